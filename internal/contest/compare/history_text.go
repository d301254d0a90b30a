package compare

import (
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
)

// The possible orders of builds.
const (
	ByVersion  = "version"
	ByMeasured = "measured"
	ByTold     = "told"
)

// Text returns the conditions in one line.
func (c Conditions) Text() string {
	text := fmt.Sprintf("wall time %s, memory %g GB, cores %d", c.WallTime, float64(c.MemoryBytes)/1e9, c.Cores)
	switch c.Shuffle {
	case "":
	case "none":
		text += ", several seeds of the solver"
	case "all":
		text += ", scrambled with several seeds"
	default:
		text += ", " + c.Shuffle + " scrambled with several seeds"
	}
	if c.SeedOption != "" {
		text += " (" + c.SeedOption + ")"
	}
	if c.Image != "" {
		text += ", image " + c.Image[:min(12, len(c.Image))]
	}
	return text
}

// Headline returns the solver and the history's size.
func (h *History) Headline() string {
	return fmt.Sprintf("%s: %d builds on %d benchmarks", h.Solver, len(h.Builds), h.Benchmarks)
}

// Summary states how the newest build compares.
func (h *History) Summary() string {
	var newest, best *Point
	for i := range h.Builds {
		if p := &h.Builds[i]; p.Counts {
			newest = p
			if best == nil || p.Solved > best.Solved {
				best = p
			}
		}
	}
	text := fmt.Sprintf("%s, the newest build, solves %d of %d benchmarks.", newest.Name, newest.Solved, h.Benchmarks)
	if best.Solved > newest.Solved {
		text += fmt.Sprintf(" The most is %d, by %s.", best.Solved, best.Name)
	} else {
		text += " No build solves more."
	}
	return text + fmt.Sprintf(" Lost and not regained: %d. Wrong answers and disagreements: %d.", len(h.Lost),
		len(h.Faults))
}

// Rules explains how to read the figures.
func (h *History) Rules() string {
	order := map[string]string{ByVersion: "by the versions in their names", ByMeasured: "as they were first measured",
		ByTold: "as told"}[h.Order]
	text := fmt.Sprintf("Conditions: %s. Builds are in order %s. Figures cover the benchmarks on which all builds with "+
		"figures were executed. PAR-2 is the mean of wall times less waits for a CPU, twice the limit where there is no right "+
		"answer. Lost and gained are counted against the build before.", h.Conditions.Text(), order)
	if h.Conditions.Shuffle != "" {
		text += " Solved means answered for all seeds; unstable, for some."
	}
	if len(h.Unordered) > 0 {
		text += " Builds that the order does not name: " + strings.Join(h.Unordered, ", ") + "."
	}
	for _, c := range h.Others {
		text += " The history also contains: " + c.Text() + "."
	}
	return text
}

// Note returns a remark if anything about the i-th build is special.
func (h *History) Note(i int) string {
	p := h.Builds[i]
	var notes []string
	if !p.Counts {
		notes = append(notes, fmt.Sprintf("executed only on %s", words.Count(p.Executed, "benchmark")))
	}
	if h.moved(i) {
		notes = append(notes, "another machine")
	}
	if p.Busy > p.Runs/10 {
		notes = append(notes, "busy machine")
	}
	return strings.Join(notes, ", ")
}

// moved reports whether a build was measured on a different machine from the previous counted build.
func (h *History) moved(i int) bool {
	for k := i - 1; k >= 0; k-- {
		if h.Builds[k].Counts {
			return h.Builds[i].Machine != h.Builds[k].Machine
		}
	}
	return false
}

// Text returns the loss in one line.
func (l Loss) Text() string {
	text := fmt.Sprintf("%s lost %s", l.Build, l.Benchmark)
	if l.Answered > 0 {
		text = fmt.Sprintf("%s is unstable since %s", l.Benchmark, l.Build)
	}
	text += fmt.Sprintf("; %s answered in %.2f s; the newest: %s", l.Last, l.LastWall, l.Now())
	if l.Note != "" {
		text += " (" + l.Note + ")"
	}
	return text
}

// Now describes the newest build's result.
func (l Loss) Now() string {
	if l.Answered > 0 {
		return fmt.Sprintf("answers for %d of %d seeds", l.Answered, l.Seeds)
	}
	return "nothing (" + l.Ending + ")"
}

// Text returns a fault in one line.
func (f Fault) Text() string {
	text := fmt.Sprintf("%s: %s: status %s, %s answers %s", f.Kind, f.Benchmark, f.Status, f.Build, f.Answer)
	if !f.Still {
		text += "; the newest does not"
	}
	return text
}
