package intake

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// maxProblems bounds how many different problems of a file are reported at once.
const maxProblems = 20

// checker finds rows of results that must be errors: rows without a name, with bytes that are not text, with times that
// are not numbers, or that contradict an earlier row. Every track of every year is checked separately.
type checker struct {
	errs  []error
	known map[string]bool // problems that are already in errs
	more  int
	names map[name]string
	first map[benchmark]*results.HistoryRow
}

// name is a name without its blanks, with the sort of thing that it names.
type name struct {
	kind, track, text string
	year              int64
}

type benchmark struct {
	track, path string
	year        int64
}

// check reports all problems of the rows of a track, or of all tracks if it is zero. Rows count from 1 in the file's
// order.
func check(rows []results.HistoryRow, track comp.Track) error {
	c := checker{known: map[string]bool{}, names: map[name]string{}, first: map[benchmark]*results.HistoryRow{}}
	for i := range rows {
		r := &rows[i]
		if track != 0 && r.Track != track.String() {
			continue
		}
		before := len(c.errs) + c.more
		c.texts(r, i+1)
		c.times(r, i+1)
		if before == len(c.errs)+c.more {
			c.contradictions(r, i+1)
		}
	}
	if c.more > 0 {
		c.errs = append(c.errs, fmt.Errorf("only the first %d problems are shown; there are others, %d times",
			maxProblems, c.more))
	}
	return errors.Join(c.errs...)
}

// report notes a problem with its first row.
func (c *checker) report(row int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch {
	case c.known[text]:
	case len(c.errs) == maxProblems:
		c.more++
	default:
		c.known[text] = true
		c.errs = append(c.errs, fmt.Errorf("row %d: %s", row, text))
	}
}

func (c *checker) texts(r *results.HistoryRow, row int) {
	for _, f := range [...]struct {
		column, text string
		needed       bool
	}{
		{"benchmark", r.Benchmark, true}, {"solver", r.Solver, true}, {"logic", r.Logic, false},
		{"track", r.Track, true},
		{"status", r.Status, false}, {"answer", r.Answer, false}, {"result", r.Result, false},
	} {
		if err := checkText(f.text, f.needed); err != nil {
			c.report(row, "column %s %v", f.column, err)
		}
	}
}

// checkText returns an error for a text that is blank or has bytes that are not text. The JSON decoder replaces such
// bytes by U+FFFD.
func checkText(s string, needed bool) error {
	switch {
	case s == "" && needed:
		return errors.New("is empty")
	case s != "" && strings.TrimSpace(s) == "":
		return fmt.Errorf("is blank: %q", s)
	case !utf8.ValidString(s) || strings.ContainsRune(s, utf8.RuneError):
		return fmt.Errorf("has bytes that are not UTF-8: %q", s)
	}
	return nil
}

func (c *checker) times(r *results.HistoryRow, row int) {
	if wall := float64(r.WallTimeS); wall < 0 || math.IsNaN(wall) || math.IsInf(wall, 0) {
		c.report(row, "column wall_time_s is %v; it is a number of seconds, 0 or more", r.WallTimeS)
	}
	if cpu := float64(r.CPUTimeS); math.IsNaN(cpu) || math.IsInf(cpu, 0) {
		c.report(row, "column cpu_time_s is %v; it is a number of seconds", r.CPUTimeS)
	}
}

// contradictions compares a row with the earlier ones.
func (c *checker) contradictions(r *results.HistoryRow, row int) {
	c.spelling(row, name{"solver", r.Track, r.Solver, r.Year})
	c.spelling(row, name{"benchmark", r.Track, r.Benchmark, r.Year})
	key := benchmark{r.Track, r.Benchmark, r.Year}
	first := c.first[key]
	if first == nil {
		c.first[key] = r
		return
	}
	if first.Logic != r.Logic {
		c.report(row, "benchmark %s has the logic %q here and %q in an earlier row", r.Benchmark, r.Logic, first.Logic)
	}
	if known := comp.Status(first.Status).Known() && comp.Status(r.Status).Known(); known && first.Status != r.Status {
		c.report(row, "benchmark %s has the status %q here and %q in an earlier row", r.Benchmark, r.Status,
			first.Status)
	}
}

// spelling reports a name that differs from an earlier one only in blanks, since both would mean the same thing and
// count as two.
func (c *checker) spelling(row int, n name) {
	key := n
	key.text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, n.text)
	switch known, ok := c.names[key]; {
	case !ok:
		c.names[key] = n.text
	case known != n.text:
		c.report(row, "%s %q differs only in blanks from %q in an earlier row", n.kind, n.text, known)
	}
}
