package scoreio

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// effect states what a practice switch may change. Otherwise, the switch may only change values that follow from sums
// (ranks, winners, recognitions).
type effect struct {
	rules   string
	names   string // name of the switch
	with    string // switches and readings that are set in both results; without them, the switch has no effect
	tracks  string // tracks that it affects; empty: any
	views   string // views that it affects; empty: any
	changes string // kinds of facts: sums e n w c; rank winners page_rank; listed size view; page columns; recognitions
}

// follows lists the values that follow from sums.
const follows = "rank winners page_rank biggest_lead largest_contribution best_overall competition_wide solved " +
	"unsolved abstained"

// effects lists all switches in all rule sets.
var effects = []effect{
	{"2015", "times_unbounded", "", "incremental", "", "w c best_industrial"},
	{"2015", "competition_wide_for_application", "", "incremental", "", "competition_wide"},
	{"2015", "ties_by_wall", "", "single_query", "seq", "rank winners page_rank best_industrial"},
	{"2015 2019 2022", "first_listed_wins", "", "", "", "winners biggest_lead best_industrial"},
	{"2026", "first_listed_wins", "", "", "", "winners biggest_lead"},

	{"2019 2022", "late_costs_limit", "", "", "", "w c timeout"},
	{"2019 2022", "times_unbounded", "", "", "", "w c"},
	// A run that exceeded its memory limit is not late.
	{"2019 2022", "memout_costs_limit", "", "", "", "w c n e timeout"},
	{"2019 2022", "late_answers_lost", "", "single_query parallel unsat_core model_validation", "",
		"e n size w c timeout memout unsound disagreements listed"},
	{"2019 2022", "cut_costs_limit", "", "single_query parallel", "24s", "c"},
	{"2019", "any_answer_settles_views", "", "single_query", "sat unsat", "e n w c size timeout"},
	{"2022", "errors_by_answer", "", "single_query parallel", "sat unsat", "e n w c timeout"},
	{"2019 2022", "soundness_by_track", "", "", "", "unsound disagreements size listed e n w c timeout memout"},
	{"2019 2022", "disagreements_in_all_tracks", "", "unsat_core model_validation parallel", "",
		"disagreements size listed e n w c timeout memout"},
	{"2019 2022", "disagreements_by_raw_answers", "late_answers_lost", "single_query parallel", "",
		"disagreements size listed e n w c timeout memout"},
	{"2019 2022", "namesakes_removed", "", "single_query", "", "size listed e n w c timeout memout"},
	{"2019 2022", "unlisted_when_removed", "", "single_query", "",
		"listed winners page_rank biggest_lead largest_contribution"},
	{"2019 2022", "ties_by_solver_number", "", "", "", "page_rank winners biggest_lead"},
	{"2019 2022", "ties_by_wall", "", "", "seq", "rank winners page_rank biggest_lead"},
	{"2022", "published_views", "", "parallel", "24s sat unsat", "view biggest_lead largest_contribution"},
	{"2019 2022", "cores_by_post_processor", "", "unsat_core", "", "e n unsound"},
	{"2019 2022", "contribution_of_fastest_runs", "", "", "", "largest_contribution"},
	{"2019 2022", "lead_of_first_two_names", "nothing_solved=order", "", "", "biggest_lead"},
	{"2019", "lead_time_breaks_ties", "", "", "", "biggest_lead"},
	{"2019", "contribution_normalised", "", "", "", "largest_contribution"},
	{"2019", "invalid_only_after_sat", "", "model_validation", "", "e n unsound"},
	{"2019", "excluded_left_out", "", "", "", "view size listed e n w c timeout memout disagreements unsound"},
	{"2019", "best_of_2019_left_out", "", "unsat_core", "", "view size listed e n w c timeout memout unsound"},
	{"2019", "accidental_runs_left_out", "", "incremental", "", "view size listed e n w c timeout memout unsound"},
	{"2019 2022", "models_by_validator_words", "", "model_validation", "", "e n unsound"},
	{"2019", "experimental_cannot_win", "", "model_validation", "", "biggest_lead largest_contribution"},
	{"2022", "experimental_equality_cannot_win", "", "model_validation", "", "biggest_lead largest_contribution"},
	{"2022", "experimental_fp_cannot_win", "", "model_validation", "", "biggest_lead largest_contribution"},
	{"2022", "endings_set_times", "", "single_query parallel", "", "w c timeout"},
	{"2022", "other_words_are_errors", "", "single_query parallel", "",
		"e unsound disagreements size listed n w c timeout memout"},
	{"2022", "contribution_merges_namesakes", "contribution_of_fastest_runs", "", "", "largest_contribution"},
	{"2022", "unsolved_costs_nothing", "", "single_query parallel unsat_core model_validation", "", "w c"},

	{"2026", "published_views", "", "", "24s sat unsat seq", "view biggest_lead largest_contribution best_overall"},
	{"2026", "competitors_first", "lead_of_first_two_rows", "", "", "biggest_lead"},
	{"2026", "competitors_first", "contribution_of_solved_runs", "", "", "largest_contribution"},
	{"2026", "wall_before_cpu", "", "", "seq", "rank winners page_rank biggest_lead"},
	{"2026", "sound_answers_judge", "", "single_query parallel unsat_core model_validation", "",
		"e n w c unsound disagreements"},
	{"2026", "disagreements_in_all_tracks", "", "parallel unsat_core model_validation", "",
		"disagreements size listed e n w c timeout memout"},
	{"2026", "track_fixes_status", "published_views", "unsat_core model_validation", "sat unsat",
		"e n w c size timeout memout largest_contribution"},
	{"2026", "every_answer_costs_time", "", "single_query parallel unsat_core model_validation", "", "w c"},
	{"2026", "every_run_costs_time", "", "incremental", "", "w c"},
	{"2026", "timeouts_by_word", "", "", "", "timeout"},
	{"2026", "short_view_filters", "", "single_query", "24s",
		"e n w c largest_contribution page_rank solved unsolved abstained timeout memout"},
	{"2026", "rows_without_runs_hidden", "short_view_filters", "", "",
		"listed rank winners page_rank biggest_lead best_overall"},
	{"2026", "missing_runs_count", "", "", "", "page_rank solved unsolved abstained timeout memout"},
	{"2026", "lead_of_first_two_rows", "", "", "", "biggest_lead"},
	{"2026", "contribution_of_solved_runs", "", "", "", "largest_contribution"},
	{"2026", "overall_of_all_rows", "", "", "", "best_overall"},
	{"2026", "overall_counts_checks", "", "incremental unsat_core", "", "best_overall"},
	{"2026", "scores_as_recorded", "", "unsat_core model_validation incremental", "", "e n w c unsound"},
	{"2026", "core_required", "", "unsat_core", "", "w c"},
	{"2026", "reductions_below_zero", "", "unsat_core", "", "n"},
}

// TestSwitches turns on each switch alone, on random runs in all tracks, and checks that it has only the listed
// effects, and at least one.
func TestSwitches(t *testing.T) {
	tested := map[string]bool{}
	for _, rules := range ruleSets(t) {
		rs := ruleSet(t, rules)
		folders := randomFolders(t, rules)
		without := map[string]map[fact]string{} // facts without the switch, by folder and enabled switches
		// The gate checks more than a few folders only for a switch that has no effect in these.
		few := len(testkit.Sample(len(folders), len(folders)/5))
		for _, x := range effects {
			if !slices.Contains(strings.Fields(x.rules), rules) {
				continue
			}
			tested[rules+" "+x.names] = true
			t.Run(rules+"/"+strings.TrimSpace(x.names+" "+x.with), func(t *testing.T) {
				seen := map[string]bool{}
				for i, o := range folders {
					if i >= few && len(seen) > 0 {
						break
					}
					maps.Copy(seen, x.changed(t, rs, o, without))
				}
				if len(seen) == 0 {
					t.Error("it has no effect")
				}
			})
		}
		for _, p := range rs.Practices {
			if !tested[rules+" "+p.ID] {
				t.Errorf("rule set %s: nothing is said of the effect of %s", rules, p.ID)
			}
		}
	}
}

// turn turns on a switch, or selects a reading written as NAME=VALUE.
func turn(t *testing.T, rs *score.RuleSet, rd *score.Readings, word string) {
	t.Helper()
	if name, value, ok := strings.Cut(word, "="); ok {
		if rd.Values == nil {
			rd.Values = map[string]string{}
		}
		rd.Values[name] = value
		return
	}
	if err := rs.Turn(rd, word, true); err != nil {
		t.Fatal(err)
	}
}

// changed turns on the switch, reports forbidden changes, and returns the kinds of facts that it changed.
func (x effect) changed(t *testing.T, rs *score.RuleSet, o *Official,
	without map[string]map[fact]string) map[string]bool {
	t.Helper()
	before, after := score.Readings{}, score.Readings{}
	for _, word := range strings.Fields(x.with) {
		turn(t, rs, &before, word)
		turn(t, rs, &after, word)
	}
	turn(t, rs, &after, x.names)
	at := o.Dir + " " + x.with
	if without[at] == nil {
		without[at] = factsOf(t, rs, o, before)
	}
	a, b := without[at], factsOf(t, rs, o, after)
	seen, sums := map[string]bool{}, false
	var bad []string
	for f := range union(a, b) {
		if a[f] == b[f] || f.inRowOf(a, b) {
			continue
		}
		seen[f.kind] = true
		sums = sums || strings.Contains(" e n w c listed size ", " "+f.kind+" ")
		if !x.allows(f) {
			bad = append(bad, fmt.Sprintf("%v: %s -> %s", f, a[f], b[f]))
		}
	}
	slices.Sort(bad)
	for _, line := range bad {
		if kind, _, _ := strings.Cut(line, " "); sums && slices.Contains(strings.Fields(follows), kind) {
			continue
		}
		t.Errorf("%s: %s", o.Dir, line)
	}
	return seen
}

func (x effect) allows(f fact) bool {
	in := func(list, s string) bool { return list == "" || s == "" || slices.Contains(strings.Fields(list), s) }
	return in(x.changes, f.kind) && in(x.tracks, f.track) && in(x.views, f.view)
}

// fact identifies a figure in a result.
type fact struct{ kind, track, table, view, solver string }

func (f fact) String() string {
	return strings.Join([]string{f.kind, f.track, f.table, f.view, f.solver}, " ")
}

// inRowOf reports whether the fact belongs to a row or view that only one of the two results contains. Whether the row
// exists is a separate fact.
func (f fact) inRowOf(a, b map[fact]string) bool {
	view := fact{"view", f.track, f.table, f.view, ""}
	row := fact{"listed", f.track, f.table, f.view, f.solver}
	return f.kind != "view" && f.view != "" && a[view] != b[view] || f.kind != "listed" && f.solver != "" &&
		a[row] != b[row]
}

func union(a, b map[fact]string) map[fact]bool {
	all := map[fact]bool{}
	for f := range a {
		all[f] = true
	}
	for f := range b {
		all[f] = true
	}
	return all
}

// factsOf returns all figures in the result and on the pages.
func factsOf(t *testing.T, rs *score.RuleSet, o *Official, rd score.Readings) map[fact]string {
	t.Helper()
	res, err := score.Compute(t.Context(), rs, o.Runs, rd)
	if err != nil {
		t.Fatal(err)
	}
	out := map[fact]string{}
	for _, tr := range res.Tracks {
		for _, l := range tr.Disagreements {
			out[fact{"disagreements", tr.Name, l.Name, "", ""}] = strings.Join(l.Items, " ")
		}
		for _, l := range tr.Unsound {
			out[fact{"unsound", tr.Name, l.Name, "", ""}] = strings.Join(l.Items, " ")
		}
		for _, d := range tr.Divisions {
			tableFacts(out, fact{track: tr.Name, table: d.Name}, d)
		}
		w := resultWriter{rs: rs}
		for i := range tr.Recognitions {
			for _, m := range w.recognition(&tr.Recognitions[i]) {
				doc, _ := json.Marshal(m.value)
				out[fact{tr.Recognitions[i].Name, tr.Name, "", m.key, ""}] = string(doc)
			}
		}
	}
	pages := o.Tables(res)
	for name, d := range pages.Divisions {
		for view, key := range viewNames {
			rows, _ := d[key].([]any)
			for _, raw := range rows {
				row := raw.(map[string]any)
				at := fact{"page_rank", res.Tracks[0].Name, name, view, row["solver"].(string)}
				out[at] = fmt.Sprint(row["rank"])
				for _, at.kind = range []string{"solved", "unsolved", "abstained", "timeout", "memout"} {
					out[at] = fmt.Sprint(row[at.kind])
				}
			}
		}
	}
	return out
}

func tableFacts(out map[fact]string, at fact, d *score.DivisionResult) {
	for _, r := range d.Rankings {
		at.view = r.View
		set := func(kind, solver string, v any) { out[fact{kind, at.track, at.table, at.view, solver}] = fmt.Sprint(v) }
		set("view", "", true)
		set("size", "", r.Benchmarks)
		set("winners", "", r.Winners)
		for i := range r.Entries {
			e := &r.Entries[i]
			set("listed", e.Solver, true)
			set("rank", e.Solver, e.Rank)
			set("e", e.Solver, e.Cell.Errors)
			set("n", e.Solver, e.Cell.Correct)
			set("w", e.Solver, e.Cell.Wall)
			set("c", e.Solver, e.Cell.CPU)
		}
	}
}

// randomFolders returns folders with random runs in every track of a rule set.
func randomFolders(t *testing.T, rules string) (out []*Official) {
	years := map[string]int{"2015": 2015, "2019": 2019, "2022": 2022, "2026": 2024}
	tracks := map[string]string{"2015": "main application",
		"2019": "single-query incremental unsat-core model-validation",
		"2022": "single-query incremental unsat-core model-validation parallel",
		"2026": "single-query incremental unsat-core model-validation parallel"}
	for seed := range uint64(10) {
		for _, track := range strings.Fields(tracks[rules]) {
			out = append(out, officialFolder(t, fmt.Sprintf("%d-%s", years[rules], track),
				randomOfficial(track, years[rules], seed), `{"divisions": {}}`))
		}
	}
	return out
}

// randomOfficial returns a table of official runs that contains cases for every switch.
func randomOfficial(track string, year int, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 5))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	limit := map[bool]float64{true: 2400, false: 1200}[year < 2020]
	var b strings.Builder
	b.WriteString(
		"benchmark,logic,division,solver,solver_id,competitive,status,answer,n_correct,n_total,error,wall_s,cpu_s,run_status,job_set,excluded,model_validator_status,model_validator_error,model_validator_exception\n")
	solvers := []string{"A", "B", "C", "2018-Z3"}
	ids := r.Perm(4)
	sizes := map[string]int{"QF_UF": 1 + r.IntN(2), "QF_LIA": 3, "QF_ANIA": 2, "QF_FP": 2}
	divisions := map[string]string{"QF_UF": "QF_Equality", "QF_LIA": "QF_Arith", "QF_ANIA": "QF_Arith",
		"QF_FP": "QF_FPArith"}
	for _, logic := range []string{"QF_UF", "QF_LIA", "QF_ANIA", "QF_FP"} {
		division := divisions[logic]
		if year < 2021 {
			division = logic
		}
		for i := range sizes[logic] {
			status, total := pick("sat", "unsat", "unknown"), 1
			excluded := pick("0", "0", "0", "1")
			if track == "unsat-core" || track == "incremental" || track == "application" {
				total = 1 + r.IntN(5)
			}
			for k, s := range solvers {
				if r.IntN(6) == 0 {
					continue
				}
				answer := pick("sat", "unsat", "sat", "unsat", "unknown", "timeout", "Timeout", "memout", "CRASHED")
				if status != "unknown" && (answer == "sat" || answer == "unsat") && r.IntN(4) > 0 {
					answer = status // most solvers are sound
				}
				wall := []float64{1, 2, 23, 24, 25, 30, limit - 1, limit, limit + 1}[r.IntN(9)]
				cpu := wall * []float64{1, 1, 0.5, 4, 5}[r.IntN(5)]
				wrong, correct := r.IntN(8)/7, r.IntN(total+1)
				if wrong > 0 || answer != "sat" && answer != "unsat" && track == "single-query" {
					correct = 0
				}
				if track == "unsat-core" && year >= 2024 && r.IntN(6) == 0 {
					correct = -1 - r.IntN(3)
				}
				fmt.Fprintf(&b, "%s/f/%d.smt2,%s,%s,%s,%d,%t,%s,%s,%d,%d,%d,%v,%v,%s,%s,%s,%s,%s,%s\n",
					logic, i, logic, division, s, ids[k], k < 3, status, answer, correct, total, wrong, wall, cpu,
					pick("complete", "complete", "timeout (wallclock)", "memout"), pick("main", "bestof2019"), excluded,
					pick("", "VALID", "INVALID", "UNKNOWN"), pick("-", "unhandled_exception"),
					pick("-", "x: ( expected"))
			}
		}
	}
	return b.String()
}
