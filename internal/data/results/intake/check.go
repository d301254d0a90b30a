package intake

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// maxProblems is the maximum number of a file's different problems that are reported together.
const maxProblems = 20

// checker finds invalid rows in results: rows without a name, with bytes that are not text, with times that are not
// numbers, or that contradict an earlier row. It checks every track of every year separately. Repeated runs of a solver
// on a benchmark get different names.
type checker struct {
	track  string // track to check; empty means all tracks
	row    int    // row number, starting at 1
	errs   []error
	known  map[string]bool // problems already included in errs
	more   int
	last   [7]string           // valid texts of the previous row
	words  [4]table.Dictionary // shared copies of logics, statuses, answers and results
	groups map[group]*names
	group  group // group of the last row
	names  *names
}

// group is a track of a year.
type group struct {
	track string
	year  int64
}

// names holds a group's names and the facts known about them.
type names struct {
	solvers, benchmarks spellings
	first               []benchmark      // each benchmark according to its first row, by benchmark code
	more                map[[2]int32]int // number of runs not in benchmark.ran, by benchmark and solver code
}

type spellings struct {
	table.Dictionary
	bare map[string]string // first spelling of each name with blanks, by the name without blanks
}

type benchmark struct {
	logic, status string
	ran           uint64 // set of solver codes below 64: the solvers with a run
}

// runs counts a run and returns the number of the solver's runs on the benchmark so far.
func (n *names) runs(benchmark, solver int32) int {
	ran, bit := &n.first[benchmark].ran, uint64(1)<<solver // no bit from 64 on
	if *ran&bit != bit {
		*ran |= bit
		return 1
	}
	key := [2]int32{benchmark, solver}
	n.more[key]++
	return n.more[key] + bits.OnesCount64(bit)
}

func newChecker(track comp.Track) *checker {
	c := &checker{known: map[string]bool{}, groups: map[group]*names{}}
	if track != 0 {
		c.track = track.String()
	}
	return c
}

// take checks the next row and reports whether it is valid and belongs to the track. It shares the texts of such a row
// with earlier rows. If a solver has several runs on a benchmark, it appends a number to the solver's name from the
// second run on.
func (c *checker) take(r *results.HistoryRow) bool {
	c.row++
	if c.track != "" && r.Track != c.track {
		return false
	}
	before := len(c.errs) + c.more
	c.texts(r)
	c.times(r)
	if before != len(c.errs)+c.more {
		return false
	}
	if g := (group{r.Track, r.Year}); c.names == nil || g != c.group {
		if c.names = c.groups[g]; c.names == nil {
			g.track = strings.Clone(r.Track)
			c.names = &names{more: map[[2]int32]int{}}
			c.groups[g] = c.names
		}
		c.group = g
	}
	solver := c.spelling("solver", &c.names.solvers, r.Solver)
	id := c.spelling("benchmark", &c.names.benchmarks, r.Benchmark)
	r.Solver, r.Benchmark, r.Track = c.names.solvers.Words[solver], c.names.benchmarks.Words[id], c.group.track
	for i, text := range [...]*string{&r.Logic, &r.Status, &r.Answer, &r.Result} {
		*text = c.words[i].Words[c.words[i].Code(*text)]
	}
	c.contradictions(r, id)
	if n := c.names.runs(id, solver); n > 1 {
		r.Solver = fmt.Sprintf("%s #%d", r.Solver, n)
	}
	return len(c.errs) == 0
}

// err returns all problems found so far.
func (c *checker) err() error {
	if c.more > 0 {
		c.errs = append(c.errs, fmt.Errorf("showing only the first %d problems; there are %d more",
			maxProblems, c.more))
	}
	return errors.Join(c.errs...)
}

// report records a problem and the first row that has it.
func (c *checker) report(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch {
	case c.known[text]:
	case len(c.errs) == maxProblems:
		c.more++
	default:
		c.known[text] = true
		c.errs = append(c.errs, fmt.Errorf("row %d: %s", c.row, text))
	}
}

func (c *checker) texts(r *results.HistoryRow) {
	for i, f := range [...]struct {
		column string
		text   *string
		needed bool
	}{
		{"benchmark", &r.Benchmark, true}, {"solver", &r.Solver, true}, {"logic", &r.Logic, false},
		{"track", &r.Track, true},
		{"status", &r.Status, false}, {"answer", &r.Answer, false}, {"result", &r.Result, false},
	} {
		if *f.text != "" && *f.text == c.last[i] {
			continue
		}
		if err := checkText(*f.text, f.needed); err != nil {
			c.report("column %s %v", f.column, err)
		} else {
			c.last[i] = *f.text
		}
	}
}

// checkText returns an error if a text is blank or contains bytes that are not text: those that the JSON decoder
// replaces with U+FFFD, and zero, which separates the parts of keys.
func checkText(s string, needed bool) error {
	switch {
	case s == "" && needed:
		return errors.New("is empty")
	case s != "" && strings.TrimSpace(s) == "":
		return fmt.Errorf("is blank: %q", s)
	case !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError):
		return fmt.Errorf("has bytes that are not UTF-8: %q", s)
	case strings.Contains(s, "\x00"):
		return fmt.Errorf("has a zero byte: %q", s)
	}
	return nil
}

func (c *checker) times(r *results.HistoryRow) {
	if wall := float64(r.WallTimeS); wall < 0 || math.IsNaN(wall) || math.IsInf(wall, 0) {
		c.report("column wall_time_s is %v; it must be a number of seconds of at least 0", r.WallTimeS)
	}
	if cpu := float64(r.CPUTimeS); math.IsNaN(cpu) || math.IsInf(cpu, 0) {
		c.report("column cpu_time_s is %v; it must be a number of seconds", r.CPUTimeS)
	}
}

// contradictions compares a row with its benchmark's first row.
func (c *checker) contradictions(r *results.HistoryRow, id int32) {
	if int(id) == len(c.names.first) {
		c.names.first = append(c.names.first, benchmark{logic: r.Logic, status: r.Status})
		return
	}
	first := c.names.first[id]
	if first.logic != r.Logic {
		c.report("benchmark %s has the logic %q here and %q in an earlier row", r.Benchmark, r.Logic, first.logic)
	}
	if known := comp.Status(first.status).Known() && comp.Status(r.Status).Known(); known && first.status != r.Status {
		c.report("benchmark %s has the status %q here and %q in an earlier row", r.Benchmark, r.Status, first.status)
	}
}

// spelling returns a name's code. It reports a name that differs from an earlier one only in blanks, because both mean
// the same but would be counted separately.
func (c *checker) spelling(kind string, of *spellings, text string) int32 {
	before := len(of.Words)
	code := of.Code(text)
	if int(code) < before {
		return code
	}
	text = of.Words[code]
	bare := strings.Join(strings.Fields(text), "")
	known, differs := of.bare[bare]
	if !differs && bare != text && of.Has(bare) {
		known, differs = bare, true
	}
	switch {
	case differs:
		c.report("%s %q differs from %q in an earlier row only in blanks", kind, text, known)
	case bare != text:
		if of.bare == nil {
			of.bare = map[string]string{}
		}
		of.bare[bare] = text
	}
	return code
}
