package smtlib

import "testing"

// TestMeasure compares with words counted by hand. All tokens except parentheses and command names are words.
func TestMeasure(t *testing.T) {
	for _, row := range []struct {
		src  string
		want Measures
	}{
		{"", Measures{}},
		{"(check-sat)", Measures{Bytes: 11, Commands: 1}},
		{"(assert (and p (not p)))\n; (assert\n(assert |a b|)", Measures{Bytes: 49, Words: 5, Commands: 2, Largest: 4}},
		{`(echo "(x")`, Measures{Bytes: 11, Words: 1, Commands: 1, Largest: 1}},
	} {
		if got := Measure([]byte(row.src)); got != row.want {
			t.Errorf("%q: %+v, want %+v", row.src, got, row.want)
		}
	}
}
