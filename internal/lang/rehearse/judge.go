package rehearse

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Entry summarises an entrant's runs in a track.
type Entry struct {
	Entrant
	Runs     int `json:"runs"`
	Right    int `json:"right"`     // number of runs with the expected result
	TimedOut int `json:"timed_out"` // number of runs that reached the wall time limit
	// MeanWallS is the mean wall time of the runs on trivial benchmarks, in seconds.
	MeanWallS float64 `json:"mean_wall_time_s"`

	trivial int // number of runs on trivial benchmarks
}

// Finding is a behaviour that an entrant shows in several of a track's logics.
type Finding struct {
	Entrant
	What   string   `json:"what"`
	Bad    bool     `json:"bad"` // whether it counts against the entrant; otherwise people should check it
	Logics []string `json:"logics"`
	Run    string   `json:"run"`  // one of its runs, as BENCHMARK@SOLVER
	Said   string   `json:"said"` // the solver's output in that run, in one line; empty: only answers
}

// slow is a wall time that no solver should need for a benchmark of a few lines.
const slow = 5 * time.Second

// Judge summarises runs. earlier contains answers from an earlier year. text returns the end of the output with the
// given digest.
func Judge(verdicts []results.VerdictRow, runs []results.RunRow, earlier []results.HistoryRow,
	text func(digest string) string,
) ([]Entry, []Finding) {
	before := map[run.Identity]comp.Answer{}
	for i := range earlier {
		before[named(earlier[i].Identity)] = comp.Answer(earlier[i].Answer)
	}
	measured := map[run.Identity]*results.RunRow{}
	for i := range runs {
		measured[runs[i].Identity] = &runs[i] // the last attempt wins
	}
	entries, findings := map[Entrant]*Entry{}, map[[3]string]*Finding{}
	for i := range verdicts {
		v := &verdicts[i]
		at := Entrant{v.Solver, v.Track}
		if entries[at] == nil {
			entries[at] = &Entry{Entrant: at}
		}
		r := measured[v.Identity]
		if r == nil {
			r = &results.RunRow{Identity: v.Identity, Measured: v.Measured}
		}
		what, bad := remark(v, r, before[named(v.Identity)])
		entries[at].add(r, bad)
		if what == "" {
			continue
		}
		f := findings[[3]string{v.Solver, v.Track, what}]
		if f == nil {
			f = &Finding{Entrant: at, What: what, Bad: bad, Run: v.Benchmark + "@" + v.Solver,
				Said: said(r, text)}
			findings[[3]string{v.Solver, v.Track, what}] = f
		}
		if !slices.Contains(f.Logics, v.Logic) {
			f.Logics = append(f.Logics, v.Logic)
		}
	}
	return sorted(entries, func(e Entry) []string { return []string{e.Solver, e.Track} }),
		sorted(findings, func(f Finding) []string {
			slices.Sort(f.Logics)
			return []string{f.Solver, fmt.Sprint(!f.Bad), f.Track, f.What}
		})
}

// add counts a run.
func (e *Entry) add(r *results.RunRow, bad bool) {
	e.Runs++
	if !bad {
		e.Right++
	}
	if r.Ending == comp.WallTimeout {
		e.TimedOut++
	}
	if preflight.Generated(r.Benchmark) {
		e.trivial++
		e.MeanWallS += (float64(r.WallTimeS) - e.MeanWallS) / float64(e.trivial)
	}
}

// Sorted sorts by solver and track.
func Sorted(all []Entry) []Entry {
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Solver, b.Solver), cmp.Compare(a.Track, b.Track))
	})
	return all
}

func sorted[K comparable, V any](all map[K]*V, key func(V) []string) []V {
	var list []V
	for v := range maps.Values(all) {
		list = append(list, *v)
	}
	slices.SortFunc(list, func(a, b V) int { return slices.Compare(key(a), key(b)) })
	return list
}

// atLine matches a position in an output, which varies between logics.
var atLine = pattern.Lazy(`response line \d+, column \d+: `)

// named returns the solver, track and benchmark without the logic, because other years may use a different name for it.
func named(id run.Identity) run.Identity {
	id.Logic = ""
	return id
}

// remark states what is wrong or strange about a run. before is the solver's answer in an earlier year.
func remark(v *results.VerdictRow, r *results.RunRow, before comp.Answer) (what string, bad bool) {
	answer, reason := comp.Answer(v.Answer), atLine().ReplaceAllString(v.Reason, "")
	switch trivial := preflight.Generated(v.Benchmark); {
	case comp.Verdict(v.Verdict) == comp.Wrong:
		return "an error: " + reason, true
	case before.Decides() && answer == before.Opposite():
		return fmt.Sprintf("an error: %s, and %s in an earlier year", answer, before), true
	case comp.Verdict(v.Verdict) == comp.Correct && trivial && r.WallTimeS.Duration() > slow:
		return fmt.Sprintf("takes more than %v for a benchmark of a few lines", slow), false
	case comp.Verdict(v.Verdict) == comp.Correct && r.StderrBytes > 0:
		return "writes to standard error", false
	case comp.Verdict(v.Verdict) == comp.Correct && slices.Contains(strings.Split(r.Flags, ","), "crowded"):
		return "it runs more threads than it has cores", false
	case comp.Verdict(v.Verdict) == comp.Correct:
		return "", false
	case trivial && answer == comp.AnswerUnknown:
		return "no result: it answers unknown", true
	case trivial, v.Answer == "", v.Answer == "abort": // other real benchmarks can be too hard
		return "no result: " + reason, true
	case before.Decides() && !answer.Decides():
		return "no answer where it had one in an earlier year", false
	}
	return "", false
}

// said returns a solver's message, preferably from standard error: the first line that is not an answer, followed by
// the last line if the run failed.
func said(r *results.RunRow, text func(digest string) string) string {
	for _, out := range []string{text(r.StderrSHA256), r.Stdout, text(r.StdoutSHA256)} {
		lines := slices.DeleteFunc(strings.Split(strings.Map(printable, out), "\n"), func(line string) bool {
			return !strings.ContainsFunc(line, unicode.IsLetter) ||
				slices.Contains(comp.Answers, comp.Answer(strings.TrimSpace(line)))
		})
		switch n := len(lines); {
		case n == 0:
			continue
		case n == 1, r.Ending == comp.Exited && r.ExitCode == 0:
			return short(lines[0])
		default:
			return short(lines[0]) + " … " + short(lines[n-1])
		}
	}
	return ""
}

func short(line string) string {
	const most = 160
	line = strings.TrimSpace(line)
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most]) + " …"
	}
	return line
}

func printable(c rune) rune {
	if c != '\n' && unicode.IsControl(c) {
		return ' '
	}
	return c
}
