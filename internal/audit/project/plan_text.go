package project

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// planMarks are the marks that precede a plan's steps.
var planMarks = map[engine.Decision]string{
	engine.Create:   "+",
	engine.Rerun:    "~",
	engine.Cached:   "=",
	engine.Deferred: "?",
}

// WritePlan prints a plan in readable form. store is a folder on the store's file system.
func WritePlan(w io.Writer, doc *Plan, store string) error {
	var b strings.Builder
	counts := map[engine.Decision]int{}
	if doc.Evidence != "" {
		fmt.Fprintf(&b, "Evidence: %s. Nothing is measured here.\n", doc.Evidence)
	}
	for i := range doc.Steps {
		s := &doc.Steps[i]
		counts[s.Decision]++
		writeStep(&b, s, doc.Evidence != "")
	}
	if doc.Changed {
		fmt.Fprintf(&b, "%d to create, %d to re-run, %d known later, %d in the store.\n",
			counts[engine.Create], counts[engine.Rerun], counts[engine.Deferred], counts[engine.Cached])
		if doc.Evidence == "" {
			writeTotals(&b, doc, freeBytes(store))
		}
	} else {
		fmt.Fprintf(&b, "Nothing to execute: all %s in the store.\n", words.Are(counts[engine.Cached], "stage"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeStep(b *strings.Builder, s *engine.Step, evidence bool) {
	fmt.Fprintf(b, "%s %s: %s%s%s\n", planMarks[s.Decision], s.Addr, s.Decision, openOf(s), rowsOf(s))
	switch s.Decision {
	case engine.Rerun:
		for _, c := range engine.Summarise(s.Changes) {
			fmt.Fprintf(b, "    %s\n", c.Text)
		}
		if len(s.Changes) == 0 {
			b.WriteString("    its record is gone\n")
		}
	case engine.Deferred:
		fmt.Fprintf(b, "    known after %s\n", words.Some(s.Waits, 4))
	}
	switch {
	case s.Cost != nil && evidence:
		writeFound(b, s.Cost)
	case s.Cost != nil:
		writeCost(b, s.Cost)
	}
	if m := s.Measured; m != nil {
		fmt.Fprintf(b, "    measured on %s until %s by smtpipe %s\n", m.Hardware,
			m.Finished.Format("2006-01-02 15:04 MST"), m.Version)
	}
}

// openOf returns a note if a step represents several instances.
func openOf(s *engine.Step) string {
	if s.Open {
		return ", its for_each value is not known yet"
	}
	return ""
}

// rowsOf returns a note on a step's number of rows.
func rowsOf(s *engine.Step) string {
	switch {
	case s.Rows < 0:
		return ""
	case s.Exact:
		return fmt.Sprintf(", %s rows", words.Thousands(int64(s.Rows)))
	}
	return fmt.Sprintf(", at most %s rows", words.Thousands(int64(s.Rows)))
}

// writeFound prints how many of a step's runs the evidence contains.
func writeFound(b *strings.Builder, c *stages.Cost) {
	switch {
	case !c.Exact:
		b.WriteString("    the evidence must contain its runs\n")
	case c.Reused == c.Runs:
		fmt.Fprintf(b, "    %s runs, all of them in the evidence\n", words.Thousands(c.Runs))
	default:
		fmt.Fprintf(b, "    %s of %s runs are not in the evidence, and none will be measured, so execution will fail\n",
			words.Thousands(c.Runs-c.Reused), words.Thousands(c.Runs))
	}
}

// writeCost prints the cost of a step's runs.
func writeCost(b *strings.Builder, c *stages.Cost) {
	switch {
	case c.Runs < 0 && c.Solvers >= 0:
		fmt.Fprintf(b, "    %s on benchmarks whose number is not known yet\n", words.Many(c.Solvers, "solver"))
		return
	case c.Runs < 0:
		b.WriteString("    the number of runs is not known yet\n")
		return
	case c.Exact:
		fmt.Fprintf(b, "    %s runs: %s to execute, %s re-used\n", words.Thousands(c.Runs),
			words.Thousands(c.Runs-c.Reused),
			words.Thousands(c.Reused))
	default:
		fmt.Fprintf(b, "    at most %s: %s × %s\n", words.Many(c.Runs, "run"), words.Many(c.Benchmarks, "benchmark"),
			words.Many(c.Solvers, "solver"))
	}
	if c.CPULimitS >= 0 {
		fmt.Fprintf(b, "    at most %s of CPU time, %s of wall time with %d at a time\n", words.Hours(c.CPULimitS),
			words.Hours(c.WallLimitS), c.Slots)
	}
	if c.NodeLimitS > 0 {
		fmt.Fprintf(b, "    at most %s of node time%s\n", words.Hours(c.NodeLimitS), aboutNodes(c))
	}
	if c.Basis != "" {
		fmt.Fprintf(b, "    about %s of CPU time, %s of wall time, based on %s\n", words.Hours(c.CPUTimeS),
			words.Hours(c.WallTimeS),
			c.Basis)
	}
}

// aboutNodes describes the probable cost of jobs on nodes.
func aboutNodes(c *stages.Cost) string {
	if c.Basis == "" {
		return ""
	}
	return ", about " + words.Hours(c.NodeTimeS)
}

// writeTotals prints the plan's total cost if there are runs to execute.
func writeTotals(b *strings.Builder, doc *Plan, free int64) {
	t := &doc.Totals
	if t.Runs > 0 {
		most := "at most "
		if t.Exact && t.MeasuredOpen == 0 {
			most = ""
		}
		fmt.Fprintf(b, "Runs: %s%s to execute, %s re-used%s.\n", most, words.Thousands(t.Runs-t.Reused),
			words.Thousands(t.Reused),
			exceptFor(t.MeasuredOpen, "whose size is not known yet"))
	}
	if t.CPULimitS > 0 {
		fmt.Fprintf(b, "CPU time: at most %s by the limits%s. Wall time with -j %d: at most %s%s.\n",
			words.Hours(t.CPULimitS), estimated(t.CPUTimeS, t), doc.Jobs, words.Hours(t.WallLimitS),
			estimated(t.WallTimeS, t))
	}
	if t.RunsOnResults > 0 {
		fmt.Fprintf(b, "Depending on the printed output: at most %s more runs, limited to %s of CPU time; "+
			"most competitions need far fewer.\n", words.Thousands(t.RunsOnResults), words.Hours(t.CPULimitOnResultsS))
	}
	if t.DiskBytes > 0 || free >= 0 {
		about := "not known yet"
		if t.DiskUncertain < t.Stages {
			about = "about " + words.Bytes(t.DiskBytes) + exceptFor(t.DiskUncertain, "that never executed")
		}
		fmt.Fprintf(b, "Disk: %s", about)
		if free >= 0 {
			fmt.Fprintf(b, "; %s are free at the store", words.Bytes(free))
		}
		b.WriteString(".\n")
	}
}

// estimated returns the text for an estimated sum, or "".
func estimated(seconds float64, t *engine.Totals) string {
	if seconds <= 0 {
		return ""
	}
	return ", probably " + words.Hours(seconds) + exceptFor(t.NotEstimated, "without an estimate")
}

// exceptFor returns a note on how many stages a figure does not cover.
func exceptFor(n int, which string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " (excluding 1 stage " + which + ")"
	}
	return fmt.Sprintf(" (excluding %d stages %s)", n, which)
}

// freeBytes returns the free space on a folder's file system, or -1 if it is unknown.
func freeBytes(dir string) int64 {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return -1
	}
	return int64(st.Bavail) * st.Bsize
}
