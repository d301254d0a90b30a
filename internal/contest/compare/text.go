package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
)

// Headline returns the outcome in one line.
func (r *Report) Headline() string {
	verdict := "No regression"
	switch {
	case r.Answered == 0:
		verdict = "Nothing compared"
	case r.Regression:
		verdict = "Regression"
	case r.Better && len(r.Reasons) > 0:
		verdict = "More answers, with regressions"
	}
	return fmt.Sprintf("%s: %s (A) and %s (B) on %d benchmarks", verdict, r.A, r.B, len(r.Pairs))
}

// Summary returns the outcome in numbers, or how the runs ended if none was answered.
func (r *Report) Summary() string {
	if r.Answered == 0 {
		return fmt.Sprintf("Neither build answered a benchmark. Endings of A: %s; of B: %s. Check the builds and the "+
			"limits.", r.endings(func(p Pair) Run { return p.A }), r.endings(func(p Pair) Run { return p.B }))
	}
	count := map[string]int{}
	for _, f := range r.Findings {
		count[f.Kind]++
	}
	text := fmt.Sprintf("Solved: A %d, B %d. Wrong: %d. Disagreements: %d. Lost: %d. Gained: %d.", r.Solved[0],
		r.Solved[1], count[Wrong], count[Disagrees], count[Lost], count[Gained])
	if r.LeftOut > 0 {
		text += fmt.Sprintf(" The budget of %g core hours left out %d of %d benchmarks.", r.CoreHours, r.LeftOut,
			r.LeftOut+len(r.Pairs))
	}
	return text
}

// endings counts a build's endings, such as "exited 12, memory limit 3".
func (r *Report) endings(of func(Pair) Run) string {
	count := map[string]int{}
	for _, p := range r.Pairs {
		count[of(p).Ending]++
	}
	var parts []string
	for _, ending := range slices.Sorted(maps.Keys(count)) {
		parts = append(parts, fmt.Sprintf("%s %d", ending, count[ending]))
	}
	return strings.Join(parts, ", ")
}

// Listed returns the groups to list: the largest ones, and those with enough pairs for a test.
func (r *Report) Listed() []Group {
	var out []Group
	for i, g := range r.Groups {
		if i == 0 || g.Pairs >= leastPairs {
			out = append(out, g)
		}
	}
	return out
}

// Unlisted returns a sentence about the groups that are not listed, if any.
func (r *Report) Unlisted() string {
	n := len(r.Groups) - len(r.Listed())
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("Logics and families with fewer than %d such pairs are not listed and not tested: %d.", leastPairs, n)
	if len(r.Pairs) < r.Available {
		text += fmt.Sprintf(" The sample has %d of %d benchmarks. A larger --sample tests more.", len(r.Pairs),
			r.Available)
	}
	return text
}

// Summary returns the outcome over all seeds in numbers.
func (s *Stability) Summary() string {
	return fmt.Sprintf("Under up to %d seeds %s stable. Unstable with A: %d, with B: %d. Of these, B answers %d for fewer "+
		"seeds, and %d for more (p %.2g).", s.Seeds, words.Are(s.Stable, "benchmark"), s.UnstableA, s.UnstableB,
		s.Fewer, s.More, s.Holm)
}

// Text returns both builds' results on a benchmark in one line.
func (s Spread) Text() string {
	return fmt.Sprintf("%s: %s: of %d seeds A answers %d, B %d", s.Class, s.Benchmark, s.Seeds, s.A, s.B)
}

// Text returns a finding in one line.
func (f Finding) Text() string {
	text := fmt.Sprintf("%s: %s: ", f.Kind, f.Benchmark.Path)
	if f.Benchmark.Seed != 0 {
		text += fmt.Sprintf("seed %d, ", f.Benchmark.Seed)
	}
	if f.Kind == Slow {
		return text + f.Times()
	}
	text += fmt.Sprintf("status %s, A %s in %.2f s, B %s in %.2f s", f.Benchmark.Status, said(f.A),
		f.A.WallTimeS, said(f.B), f.B.WallTimeS)
	if f.Note != "" {
		text += " (" + f.Note + ")"
	}
	return text
}

// Times returns both builds' times.
func (p Pair) Times() string {
	return fmt.Sprintf("CPU time A %.2f s, B %.2f s; wall time A %.2f s, B %.2f s", p.A.CPUTimeS,
		p.B.CPUTimeS, p.A.WallTimeS, p.B.WallTimeS)
}

func said(r Run) string {
	if r.Answer == "" {
		return "nothing (" + r.Ending + ")"
	}
	return r.Answer
}

// pText formats the corrected p-value.
func (m Measure) pText() string {
	if !m.Tested {
		return "-"
	}
	return fmt.Sprintf("%.2g", m.Holm)
}

// WriteJSON writes a report with all its pairs, or a history.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
