package scoreio

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	column "github.com/smtpipe/smtpipe/internal/data/table"
)

// The words allowed in columns.
var (
	categories  = []string{"", "check", "industrial", "crafted", "random"}
	statuses    = textsOfAnswers(comp.Answers)
	answers     = append(textsOfAnswers(comp.Answers), "timeout", "memout", "abort", "")
	validations = []string{"", "valid", "invalid", "illformed", "VALID", "INVALID", "UNKNOWN"}
)

func textsOfAnswers(answers []comp.Answer) (texts []string) {
	for _, a := range answers {
		texts = append(texts, string(a))
	}
	return texts
}

// fieldReader parses a line's fields and collects their errors.
type fieldReader struct {
	t     *table
	minus bool  // whether missing values are written as -1
	err   error // first of the line's errors
	errs  []error
}

// set parses a field and stores it in the row.
func (f *fieldReader) set(x *field) {
	switch to := x.to.(type) {
	case *string:
		switch {
		case x.read != nil:
			*to = x.read(f)
		case x.need:
			*to = f.need(x.at, x.name)
		default:
			*to = f.text(x.at, x.name)
		}
	case *bool:
		*to = f.yes(x.at, x.name, x.need)
	case *int64:
		*to = f.number(x.at, x.name, x.none)
	case *score.Time:
		*to = f.time(x.at, x.name)
	case *run.Seconds:
		if *to = -1; !f.empty(x.at) {
			*to = run.Seconds(f.time(x.at, x.name).Seconds())
		}
	}
}

func (f *fieldReader) fail(err error) {
	if err != nil {
		f.err = cmp.Or(f.err, err)
		f.errs = append(f.errs, err)
	}
}

// empty reports whether a column has no value in the row.
func (f *fieldReader) empty(i int) bool {
	if c, ok := f.t.stored(i, column.Float); ok {
		return f.minus && c.FloatAt(f.t.at) == -1
	}
	s := f.t.get(i)
	return s == "" || f.minus && s == "-1"
}

// text reads a text field.
func (f *fieldReader) text(i int, name string) string {
	s := f.t.get(i)
	if !utf8.ValidString(s) {
		f.fail(fmt.Errorf("column %s has bytes that are not UTF-8: %q", name, s))
	}
	return s
}

// name reads a name, which can be empty but not blank.
func (f *fieldReader) name(i int, name string) string {
	s := f.text(i, name)
	if s != "" && strings.TrimSpace(s) == "" {
		f.fail(fmt.Errorf("column %s is blank: %q", name, s))
	}
	return s
}

// need reads a required name.
func (f *fieldReader) need(i int, name string) string {
	s := f.name(i, name)
	if s == "" {
		f.fail(&EmptyError{name})
	}
	return s
}

// EmptyError reports a required column without a value.
type EmptyError struct{ Column string }

func (e *EmptyError) Error() string { return fmt.Sprintf("column %s is empty", e.Column) }

func (f *fieldReader) word(i int, name string, allowed []string) string {
	s := f.text(i, name)
	for _, w := range allowed {
		if s == w {
			return w
		}
	}
	if f.minus {
		return s // the judging stage defines the words of verdicts
	}
	f.fail(fmt.Errorf("column %s cannot be %q; it must be one of %s", name, s, strings.Trim(strings.Join(allowed, ", "),
		", ")))
	return ""
}

func (f *fieldReader) yes(i int, name string, required bool) bool {
	if c, ok := f.t.stored(i, column.Bool); ok {
		return c.BoolAt(f.t.at)
	}
	switch s := f.t.get(i); {
	case s == "yes" || s == "true":
		return true
	case s == "no" || s == "false" || s == "" && !required:
	default:
		f.fail(fmt.Errorf("column %s cannot be %q; it must be yes or no", name, s))
	}
	return false
}

// number reads an integer. An empty field returns missing, but is an error if missing is 0 and the column is required.
func (f *fieldReader) number(i int, name string, missing int64) int64 {
	if c, ok := f.t.stored(i, column.Int); ok {
		if n := c.IntAt(f.t.at); n >= 0 && n <= maxNumber {
			return n
		} else if n == -1 && f.minus {
			return missing
		}
	}
	s := f.t.get(i)
	if s == "" || s == "-1" && f.minus {
		if name == "m" {
			f.fail(errors.New("column m is empty"))
		}
		return missing
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 || n > maxNumber {
		f.fail(fmt.Errorf("column %s cannot be %q; it must be a whole number from 0 to %d", name, s, maxNumber))
	}
	return n
}

// maxNumber is the largest plausible number of answers, assertions and the like. It also prevents overflow in all sums
// over a track's runs.
const maxNumber = 1 << 31

func (f *fieldReader) time(i int, name string) score.Time {
	if t, ok, err := f.t.time(i); ok {
		if err != nil {
			f.fail(fmt.Errorf("column %s: %w", name, err))
		}
		return t
	}
	s := f.t.get(i)
	if s == "" {
		f.fail(fmt.Errorf("column %s is empty", name))
		return 0
	}
	t, err := score.ParseTime(s)
	if err != nil {
		f.fail(fmt.Errorf("column %s: %w", name, err))
	}
	return t
}

// bothVotes treats an empty vote count as zero if the other is given.
func bothVotes(unsat, sat int64) (int64, int64) {
	if unsat < 0 && sat < 0 {
		return unsat, sat
	}
	return max(unsat, 0), max(sat, 0)
}

// consistent reports contradictory values.
func (f *fieldReader) consistent(r *score.Row, incremental bool) {
	if f.errs != nil {
		return // an unreadable value cannot contradict others
	}
	if r.Cores == 0 {
		f.fail(errors.New("column m is 0; a run has at least one core"))
	}
	if r.Cores > comp.MostCores {
		f.fail(fmt.Errorf("column m is %d; the most cores that can be scored are %d", r.Cores, comp.MostCores))
	}
	if r.Limit == 0 {
		f.fail(errors.New("column T is 0; a run has a time limit"))
	}
	if r.Assertions > 0 && r.CoreSize > r.Assertions {
		f.fail(fmt.Errorf("core_size is %d and n_assertions %d; a core is not larger than its benchmark", r.CoreSize,
			r.Assertions))
	}
	if r.Assertions == 0 && r.CoreSize > 0 {
		f.fail(fmt.Errorf("core_size is %d and n_assertions is empty; the reduction needs both", r.CoreSize))
	}
	answers := r.ChecksCorrect + r.ChecksWrong
	if r.Checks > 0 && answers > r.Checks {
		f.fail(fmt.Errorf("n_checks is %d, but n_checks_correct and n_checks_wrong add up to %d", r.Checks, answers))
	}
	f.lastAnswer("last_wall_s", r.LastWallS, "wall_s", r.Wall, answers == 0 && incremental)
	f.lastAnswer("last_cpu_s", r.LastCPUS, "cpu_s", r.CPU, answers == 0 && incremental)
}

// lastAnswer reports a time stamp of a last answer that does not exist, or that is after the end of the run.
func (f *fieldReader) lastAnswer(name string, last run.Seconds, whole string, end score.Time, none bool) {
	if last >= 0 && none {
		f.fail(fmt.Errorf("%s is %v, but n_checks_correct and n_checks_wrong are 0, so there is no answer", name,
			float64(last)))
	}
	if float64(last) > end.Seconds() {
		f.fail(fmt.Errorf("%s is %v and %s is %s; the last answer cannot come after the end of the run", name,
			float64(last), whole, end))
	}
}
