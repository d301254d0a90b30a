// Package language implements problem languages that rules declare with patterns: which files are benchmarks, what
// benchmarks state about themselves, and which outputs are answers. SMT-LIB is not one of these languages; it has its
// own packages.
package language

import (
	"fmt"
	"math/big"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Language is a declared language, as it appears in rules and pipelines. Patterns are regular expressions in which ^
// and $ also match at line boundaries.
type Language struct {
	Name    string   `cty:"name"` // also the logic of the language's benchmarks
	Files   []string `hcl:"files" cty:"files"`
	Answers []Answer `hcl:"answer,block" cty:"answers"`
	Value   string   `hcl:"value,optional" cty:"value"` // pattern whose first group is a number; the last match counts
}

// Answer is an answer that a solver may give.
type Answer struct {
	Word   string `hcl:"word,label" cty:"word"`
	Line   string `hcl:"line" cty:"line"`              // pattern that finds the answer in an output
	Status string `hcl:"status,optional" cty:"status"` // pattern that finds this status in a benchmark
	// Contradicts lists answers that contradict this one. If there are none, the answer decides nothing.
	Contradicts []string `hcl:"contradicts,optional" cty:"contradicts"`
	// Best is "least" or "greatest" if the answer claims that no value is better; otherwise it is empty.
	Best string `hcl:"best,optional" cty:"best"`
}

// Type is the type that a language has in pipelines.
var Type = func() cty.Type {
	t, err := gocty.ImpliedType(Language{})
	if err != nil {
		panic(err) // the type is constant, so this cannot fail
	}
	return t
}()

// Files returns the part of a value of Type that determines which files are benchmarks.
func Files(v cty.Value) cty.Value { return only(v, false) }

// Benchmarks returns the part of a value of Type that determines the rows for benchmarks.
func Benchmarks(v cty.Value) cty.Value { return only(v, true) }

func only(v cty.Value, statuses bool) cty.Value {
	if !v.IsWhollyKnown() || v.IsNull() {
		return v
	}
	var l Language
	if err := gocty.FromCtyValue(v, &l); err != nil {
		return v
	}
	parts := []cty.Value{cty.StringVal(l.Name), cty.StringVal(strings.Join(l.Files, "\n"))}
	for _, a := range l.Answers {
		if statuses && a.Status != "" {
			parts = append(parts, cty.StringVal(a.Word), cty.StringVal(a.Status))
		}
	}
	return cty.TupleVal(parts)
}

// Reader reads benchmarks and outputs in a language.
type Reader struct {
	Language
	lines, statuses []*regexp.Regexp // patterns by answer; a status pattern is nil if the answer has none
	value           *regexp.Regexp
	opposites       map[string][]string // contradicting answers by answer, in both directions
}

// The values of Answer.Best.
const (
	least    = "least"
	greatest = "greatest"
)

var (
	wordPattern = pattern.Lazy(`^[a-z][a-z0-9_]*$`)
	// reserved are words that tables use instead of an answer.
	reserved = []string{"timeout", "memout", "abort"}
)

// Compile returns a language's reader, or an error that explains why the language is invalid.
func (l Language) Compile() (*Reader, error) {
	r := &Reader{Language: l, opposites: map[string][]string{}}
	if len(l.Files) == 0 || len(l.Answers) == 0 {
		return nil, fmt.Errorf("the language %s needs files and an answer", l.Name)
	}
	for _, f := range l.Files {
		if _, err := path.Match(f, ""); err != nil || f == "" {
			return nil, fmt.Errorf("%q is not a pattern of file names, such as \"*.cnf\"", f)
		}
	}
	var words []string
	for _, a := range l.Answers {
		words = append(words, a.Word)
	}
	var err error
	for i, a := range l.Answers {
		if a.Best != "" && (l.Value == "" || a.Best != least && a.Best != greatest) {
			return nil, fmt.Errorf("answer %q: best is %s or %s, and the language needs the pattern of a value", a.Word,
				least, greatest)
		}
		if !wordPattern().MatchString(a.Word) || slices.Contains(reserved, a.Word) || slices.Index(words, a.Word) != i {
			return nil, fmt.Errorf("answer %q: an answer is a word of small letters, digits and _ that no other answer "+
				"has, and not %s", a.Word, strings.Join(reserved, ", "))
		}
		for _, other := range a.Contradicts {
			if !slices.Contains(words, other) || other == a.Word {
				return nil, fmt.Errorf("answer %q contradicts %q, which is not another answer; they are %s", a.Word, other,
					strings.Join(words, ", "))
			}
			r.opposites[a.Word] = append(r.opposites[a.Word], other)
			r.opposites[other] = append(r.opposites[other], a.Word)
		}
		line, status := compile(a.Line, 0, &err), compile(a.Status, 0, &err)
		if line == nil && err == nil {
			err = fmt.Errorf("answer %q needs a pattern of its line", a.Word)
		}
		if err != nil {
			return nil, err
		}
		r.lines, r.statuses = append(r.lines, line), append(r.statuses, status)
	}
	r.value = compile(l.Value, 1, &err)
	return r, err
}

// compile compiles a pattern, which must have at least the given number of groups. It returns nil for an empty pattern.
func compile(pattern string, groups int, failed *error) *regexp.Regexp {
	if pattern == "" || *failed != nil {
		return nil
	}
	re, err := regexp.Compile("(?m)" + pattern)
	switch {
	case err != nil:
		*failed = fmt.Errorf("the pattern %q: %w", pattern, err)
	case re.NumSubexp() < groups:
		*failed = fmt.Errorf("pattern %q has no group; write parentheses around the number", pattern)
	}
	return re
}

// IsBenchmark reports whether a file is a benchmark, according to its name.
func (r *Reader) IsBenchmark(name string) bool {
	return slices.ContainsFunc(r.Files, func(f string) bool {
		ok, _ := path.Match(f, path.Base(name))
		return ok
	})
}

// Locate returns a benchmark's location, with the language as its logic and the folder as its family. ok is false if
// the file is not a benchmark.
func (r *Reader) Locate(p string) (loc comp.Location, ok bool) {
	if path.Clean(p) != p || path.IsAbs(p) || strings.HasPrefix(p, "../") || !r.IsBenchmark(p) {
		return loc, false
	}
	dir, name := path.Split(p)
	return comp.Location{Logic: comp.Logic(r.Name), Family: comp.Family(strings.TrimSuffix(dir, "/")), Name: name}, true
}

// Status returns the status that a benchmark states: one of the answers, or unknown.
func (r *Reader) Status(benchmark []byte) comp.Status {
	for i, re := range r.statuses {
		if re != nil && re.Match(benchmark) {
			return comp.Status(r.Answers[i].Word)
		}
	}
	return comp.StatusUnknown
}

// Answer returns the first answer in an output and its position; comp.AnswerNone if there is none.
func (r *Reader) Answer(output []byte) (answer comp.Answer, from, to int) {
	for i, re := range r.lines {
		if at := re.FindIndex(output); at != nil && (answer == comp.AnswerNone || at[0] < from) {
			answer, from, to = comp.Answer(r.Answers[i].Word), at[0], at[1]
		}
	}
	return answer, from, to
}

// Decides reports whether an answer can contradict another.
func (r *Reader) Decides(a comp.Answer) bool { return len(r.opposites[string(a)]) > 0 }

// Contradict reports whether two answers, or an answer and a status, cannot both be correct.
func (r *Reader) Contradict(a, b comp.Answer) bool {
	return slices.Contains(r.opposites[string(a)], string(b))
}

// Beaten reports whether an answer claims that no value is better than its own, although the other value is better.
func (r *Reader) Beaten(a comp.Answer, own, other string) bool {
	i := slices.IndexFunc(r.Answers, func(x Answer) bool { return x.Word == string(a) })
	x, ok := new(big.Rat).SetString(own)
	y, ok2 := new(big.Rat).SetString(other)
	if i < 0 || !ok || !ok2 {
		return false
	}
	switch r.Answers[i].Best {
	case least:
		return y.Cmp(x) < 0
	case greatest:
		return y.Cmp(x) > 0
	}
	return false
}

// ValueOf returns the last value in an output, as written, or "" if there is none.
func (r *Reader) ValueOf(output []byte) string {
	if r.value == nil {
		return ""
	}
	value := ""
	for _, at := range r.value.FindAllSubmatch(output, -1) {
		if number := string(at[1]); isNumber(number) {
			value = number
		}
	}
	return value
}

// isNumber reports whether a text is a decimal number that fits into tables.
func isNumber(s string) bool {
	const most = 100
	_, ok := new(big.Rat).SetString(s)
	return ok && len(s) <= most && !strings.ContainsAny(s, "/eEpPxX_")
}
