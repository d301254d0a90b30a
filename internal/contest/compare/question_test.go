package compare

import (
	"strings"
	"testing"
)

func TestQuestion(t *testing.T) {
	pair := func(status string, a, b Run) Pair {
		return Pair{Benchmark: Benchmark{Path: "p", Status: status}, A: a, B: b}
	}
	cpu := func(seconds float64) Run {
		r := in(seconds, "sat")
		r.CPUTimeS = r.WallTimeS
		return r
	}
	dead := Run{Ending: "signalled"}
	for _, c := range []struct {
		name     string
		of       Pair
		want     string // expected question, or a part of the error
		yes, no  Pair   // pairs on smaller scripts that do and do not show the finding
		notAsked bool
	}{
		{name: "lost", of: pair("sat", in(1, "sat"), in(9, "")), want: "lost:wall_timeout",
			yes: pair("unknown", in(1, "unsat"), in(9, "")), no: pair("sat", in(1, "sat"), dead)},
		{name: "lost by both", of: pair("sat", in(1, "sat"), dead), want: "lost:signalled",
			yes: pair("sat", in(1, "sat"), dead), no: pair("sat", in(9, ""), dead)},
		{name: "wrong", of: pair("sat", in(1, "sat"), in(1, "unsat")), want: "disagrees",
			yes: pair("sat", in(1, "unsat"), in(1, "sat")), no: pair("sat", in(1, "unsat"), in(1, "unsat"))},
		{name: "disagrees", of: pair("unknown", in(1, "sat"), in(1, "unsat")), want: "disagrees",
			yes: pair("unknown", in(1, "sat"), in(1, "unsat")), no: pair("sat", in(1, "sat"), in(9, ""))},
		{name: "slow", of: pair("sat", cpu(0.1), cpu(0.4)), want: "slow",
			yes: pair("sat", cpu(0.2), cpu(0.4)), no: pair("sat", cpu(0.05), cpu(0.2))},
		{name: "twice nothing", of: pair("sat", cpu(0.01), cpu(0.02)), want: "not clearly worse", notAsked: true},
		{name: "gained", of: pair("sat", in(9, ""), in(1, "sat")), want: "swap the builds", notAsked: true},
		{name: "no judge", of: pair("sat", in(9, ""), in(1, "unsat")), want: "as A that answers it", notAsked: true},
		{name: "wrong judge", of: pair("sat", in(1, "unsat"), in(9, "")), want: "as A that is right", notAsked: true},
		{name: "both wrong", of: pair("sat", in(1, "unsat"), in(1, "unsat")), want: "as A that is right",
			notAsked: true},
	} {
		q, err := Ask(c.of)
		if c.notAsked {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %s", c.name, err, c.want)
			}
			continue
		}
		if err != nil || q.String() != c.want || !q.Shows(c.of) {
			t.Errorf("%s: the question is %s, error %v, want %s", c.name, q, err, c.want)
		}
		if parsed, err := ParseQuestion(q.String()); err != nil || parsed != q {
			t.Errorf("%s is read as %v, error %v", q, parsed, err)
		}
		if !q.Shows(c.yes) || q.Shows(c.no) {
			t.Errorf("%s: shows %t and %t, want true and false", c.name, q.Shows(c.yes), q.Shows(c.no))
		}
	}
	for _, text := range []string{"", "gained", "slow:exited", "disagrees:x"} {
		if _, err := ParseQuestion(text); err == nil {
			t.Errorf("%q is a question", text)
		}
	}
}
