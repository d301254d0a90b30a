package compare

import (
	"fmt"
	"io"
	"strings"
)

// decide says why this is a regression, if it is one.
func (r *Report) decide() {
	count := map[string]int{}
	for _, f := range r.Findings {
		if !f.Excused {
			count[f.Kind]++
		}
	}
	if n := count[Wrong]; n > 0 {
		r.Reasons = append(r.Reasons, fmt.Sprintf("wrong answers: %d", n))
	}
	if n := count[Disagrees]; n > 0 {
		r.Reasons = append(r.Reasons, fmt.Sprintf("disagreements: %d", n))
	}
	if n := count[Lost]; n > r.Options.Lost {
		r.Reasons = append(r.Reasons, fmt.Sprintf("lost: %d, allowed %d", n, r.Options.Lost))
	}
	for _, g := range r.Groups {
		if g.Verdict == "slower" {
			r.Reasons = append(r.Reasons, fmt.Sprintf("slower: %s, %s time, median ratio %.3f, p %.2g", g.name(),
				g.Time, g.Median, g.Holm))
		}
	}
	r.Regression = len(r.Reasons) > 0
}

func (g Group) name() string {
	switch {
	case g.Logic == "":
		return "all"
	case g.Family == "":
		return g.Logic
	}
	return g.Logic + "/" + g.Family
}

// WriteText writes a report for a terminal, or as Markdown.
func WriteText(w io.Writer, r *Report, markdown bool) error {
	var b strings.Builder
	title, code := "%s\n", "    %s\n"
	if markdown {
		title, code = "### %s\n\n", "  `%s`\n"
	}
	verdict := "No regression"
	if r.Regression {
		verdict = "Regression"
	}
	fmt.Fprintf(&b, title, fmt.Sprintf("%s: %s (A) and %s (B) on %d benchmarks", verdict, r.A, r.B, r.Pairs))
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "- %s\n", reason)
	}
	b.WriteByte('\n')
	for _, f := range r.Findings {
		excused := ""
		if f.Excused {
			excused = " (does not count: A was wrong too, or near its limit)"
		}
		fmt.Fprintf(&b, "- %s: %s: status %s, A %s, B %s%s\n", f.Kind, f.Benchmark.Path, f.Benchmark.Status, said(f.A),
			said(f.B), excused)
	}
	fmt.Fprintf(&b, "\n"+title, "Time and memory, B to A, where both gave the same answer")
	r.table(&b, markdown)
	if len(r.Look) > 0 {
		fmt.Fprintf(&b, "\n"+title, "To look at")
	}
	for _, f := range r.Look {
		fmt.Fprintf(&b, "- %s: %s: A %s, B %s\n", f.Kind, f.Benchmark.Path, took(f.A), took(f.B))
		fmt.Fprintf(&b, code, f.Command)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func took(r Run) string {
	return fmt.Sprintf("%.2f s (%.2f s of CPU time)", r.WallTime.Seconds(), r.CPUTime.Seconds())
}

func said(r Run) string {
	if r.Answer == "" {
		return "nothing (" + r.Ending + ")"
	}
	return r.Answer
}

func (r *Report) table(b *strings.Builder, markdown bool) {
	line := "%-30s %-4s %6s %8s %8s %8s %8s %8s  %s\n"
	if markdown {
		line = "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n"
	}
	fmt.Fprintf(b, line, "group", "time", "pairs", "median", "geomean", "effect", "p (Holm)", "memory", "verdict")
	if markdown {
		b.WriteString("|---|---|--:|--:|--:|--:|--:|--:|---|\n")
	}
	for _, g := range r.Groups {
		f := func(x float64) string { return fmt.Sprintf("%.3f", x) }
		p := "-"
		if g.Tested {
			p = fmt.Sprintf("%.2g", g.Holm)
		}
		fmt.Fprintf(b, line, g.name(), g.Time, fmt.Sprint(g.Pairs), f(g.Median), f(g.Mean), f(g.RankBiserial), p,
			f(g.Memory), g.Verdict)
	}
}
