package score

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// This file implements the organisers' deviations from their rules. Rule sets declare the switches; those that the
// engine itself uses are listed here and checked where they apply.

// engineSwitches lists the practice switches that the engine itself uses, beyond those named in a rule set's
// expressions.
var engineSwitches = []string{
	"competition_wide_for_application", "competitors_first", "contribution_merges_namesakes", "contribution_normalised",
	"contribution_of_fastest_runs", "contribution_of_solved_runs", "disagreements_by_raw_answers",
	"disagreements_in_all_tracks", "endings_set_times", "first_listed_wins", "lead_of_first_two_names",
	"lead_of_first_two_rows", "lead_time_breaks_ties", "missing_runs_count", "namesakes_removed",
	"other_words_are_errors",
	"overall_counts_checks", "overall_of_all_rows", "published_views", "rows_without_runs_hidden",
	"soundness_by_track", "ties_by_solver_number", "ties_by_wall", "unlisted_when_removed", "wall_before_cpu",
}

// order returns a view's order. A view by CPU time may also order by wall time. CPU times that were not recorded are
// ignored.
func (e *scoring) order(v *View) []Key {
	if e.t.noCPU {
		return slices.DeleteFunc(slices.Clone(v.Order), func(k Key) bool { return k.Column == "c" || k.Column == "ac" })
	}
	if slices.ContainsFunc(v.Order, func(k Key) bool { return k.Column == "w" }) {
		return v.Order
	}
	wall, cpu := Key{Column: "w"}, slices.IndexFunc(v.Order, func(k Key) bool { return k.Column == "c" })
	switch {
	case e.on("wall_before_cpu") && cpu >= 0:
		return slices.Insert(slices.Clone(v.Order), cpu, wall)
	case e.on("ties_by_wall"):
		return append(slices.Clone(v.Order), wall)
	}
	return v.Order
}

// listed returns a ranking's rows in the order of the pages.
func (e *scoring) listed(r *Ranking) []*Entry {
	var out, others []*Entry
	for i := range r.Entries {
		if x := &r.Entries[i]; x.Competitive || !e.on("competitors_first") {
			out = append(out, x)
		} else {
			others = append(others, x)
		}
	}
	return slices.Concat(out, others)
}

// firstListed returns the first competitive solver in a list, if it solved something.
func firstListed(entries []Entry) []string {
	for i := range entries {
		if x := &entries[i]; x.Competitive {
			if x.Cell.Correct > 0 {
				return []string{x.Solver}
			}
			break
		}
	}
	return []string{}
}

// hidden reports whether the pages since 2024 omit a cell's row: in the view, the solver has neither a run nor a
// selected benchmark without one.
func (e *scoring) hidden(c *Cell) bool {
	return c.Counted+c.Missing == 0 && e.on("rows_without_runs_hidden")
}

// unsoundInTrack returns the solvers that the organisers' first program calls unsound: all solvers with a name under
// which any answer, even after the limit, contradicts a known status anywhere in the track. If the program treats other
// words as errors, these count, too.
func (e *scoring) unsoundInTrack() map[int]bool {
	names := map[string]bool{}
	for i, b := range e.t.benchmark {
		status, answer := e.t.Benchmarks[b].Status, e.rawAnswer(i)
		said := comp.Answer(answer).Decides() ||
			e.on("other_words_are_errors") && answer != "" && answer != "starexec-unknown"
		if comp.Status(status).Known() && said && answer != status {
			names[e.t.Solvers[e.t.solver[i]].Name] = true
		}
	}
	out := map[int]bool{}
	for s := range e.t.Solvers {
		if names[e.t.Solvers[s].Name] {
			out[s] = true
		}
	}
	return out
}

// gone reports whether all of a solver's runs were on removed benchmarks, which hides it from the first program.
func (e *scoring) gone(c *Cell) bool { return c.Kept == 0 && e.on("unlisted_when_removed") }

// rawAnswer returns a run's answer as the organisers' first program read it. In the cloud and parallel tracks of 2021,
// late answers had already been removed.
func (e *scoring) rawAnswer(i int) string {
	if e.on("endings_set_times") && e.t.wall[i] > e.t.restAt(i).Limit {
		return ""
	}
	return e.t.answer.At(i)
}

// soundAnswers reports, for each benchmark, whether a sound solver ever answers sat, and whether one ever answers
// unsat.
func (e *scoring) soundAnswers() (sat, unsat []bool) {
	sat, unsat = make([]bool, len(e.t.Benchmarks)), make([]bool, len(e.t.Benchmarks))
	for i, b := range e.t.benchmark {
		if e.sound[e.division(b)][e.t.solver[i]] {
			answer := e.rawAnswer(i)
			sat[b] = sat[b] || answer == claimNames[claimSat]
			unsat[b] = unsat[b] || answer == claimNames[claimUnsat]
		}
	}
	return sat, unsat
}

// removeNamesakes removes the benchmarks that have the same name as a removed benchmark in another logic.
func (e *scoring) removeNamesakes() {
	gone := map[string]bool{}
	for i, removed := range e.removed {
		if removed {
			gone[withoutLogic(e.t.Benchmarks[i].Name)] = true
		}
	}
	if len(gone) == 0 {
		return
	}
	for i := range e.removed {
		e.removed[i] = e.removed[i] || gone[withoutLogic(e.t.Benchmarks[i].Name)]
	}
}
