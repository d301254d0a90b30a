package score

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// nameKey is a name without blanks, and the kind of object that it denotes.
type nameKey struct{ kind, name string }

// disagrees reports contradictions between a row and earlier ones, except in its benchmark's and its solver's data. old
// reports whether an earlier row has the benchmark, whose index is id. known reports whether an earlier row has the
// solver.
func (t *Track) disagrees(row *Row, id int32, old, known bool) (errs []error) {
	if !known {
		errs = append(errs, t.oneSpelling("solver", row.Solver), t.oneSpelling("solver", row.BaseSolver),
			t.oneSpelling("team", row.Team))
	}
	if !old {
		n := len(t.Benchmarks)
		if n == 0 || t.Benchmarks[n-1].Logic != row.Logic || t.Benchmarks[n-1].Division != row.Division {
			errs = append(errs, t.oneSpelling("division", row.Division), t.oneSpelling("logic", row.Logic))
		}
		errs = append(errs, t.benchmarkSpelling(row))
		first, ok := t.limits[row.Division]
		if ok {
			errs = append(errs, first.agree(row)...)
		}
		return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	}
	b := &t.Benchmarks[id]
	errs = append(errs, limits{b.Limit, b.Cores}.agree(row)...)
	if b.assertions != row.Assertions {
		errs = append(errs, fmt.Errorf("benchmark %s of division %s has n_assertions %d here and %d in an earlier row",
			b.Name, b.Division, row.Assertions, b.assertions))
	}
	return slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// agree reports limits that differ from those of earlier runs in the division. Scores under different limits cannot be
// summed: T and m are fixed for a track (SMT-COMP 2026 rules, §5.1).
func (l limits) agree(row *Row) (errs []error) {
	if l.T != row.Limit {
		errs = append(errs, fmt.Errorf("column T is %s here and %s in an earlier row of division %s; "+
			"a division has one time limit", row.Limit, l.T, row.Division))
	}
	if l.cores != row.Cores {
		errs = append(errs, fmt.Errorf("column m is %d here and %d in an earlier row of division %s; "+
			"a division has one number of cores", row.Cores, l.cores, row.Division))
	}
	return errs
}

// oneSpelling reports a name that differs from an earlier one only in blanks, which would make one object count as two.
func (t *Track) oneSpelling(kind, name string) error {
	if name == "" {
		return nil
	}
	key := nameKey{kind, withoutBlanks(name)}
	known, ok := t.names[key]
	switch {
	case !ok:
		if t.names == nil {
			t.names = map[nameKey]string{}
		}
		t.names[nameKey{kind, strings.Clone(key.name)}] = strings.Clone(name)
	case known != name:
		return twins(kind, name, known)
	}
	return nil
}

// benchmarkSpelling does the same for a division's benchmarks. There are many, and hardly any name contains a blank, so
// it stores only the names that do.
func (t *Track) benchmarkSpelling(row *Row) error {
	name := withoutBlanks(row.Benchmark)
	if name == row.Benchmark && t.spaced == nil {
		return nil
	}
	key := benchmarkKey{row.Division, name}
	known, ok := t.spaced[key]
	t.index()
	if id, plain := t.benchmarkIDs[key]; plain {
		known, ok = t.Benchmarks[id].Name, true
	}
	switch {
	case ok && known != row.Benchmark:
		return twins("benchmark", row.Benchmark, known)
	case !ok && name != row.Benchmark:
		if t.spaced == nil {
			t.spaced = map[benchmarkKey]string{}
		}
		t.spaced[benchmarkKey{strings.Clone(row.Division), strings.Clone(name)}] = strings.Clone(row.Benchmark)
	}
	return nil
}

func twins(kind, name, known string) error {
	return fmt.Errorf("%s %q differs from %q in an earlier row only in blanks", kind, name, known)
}

// withoutBlanks removes all white space, even within a name.
func withoutBlanks(s string) string {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= utf8.RuneSelf {
			return strings.Join(strings.Fields(s), "")
		}
	}
	return s
}
