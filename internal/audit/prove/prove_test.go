package prove

import (
	"testing"
)

func TestParseName(t *testing.T) {
	for text, want := range map[string]Name{
		"QF_BV single_query par cvc5.correct":     {"QF_BV", "single_query", "par", "cvc5", "n"},
		"LIA incremental par z3 4.4.0.actual_cpu": {"LIA", "incremental", "par", "z3 4.4.0", "ac"},
	} {
		if got, err := ParseName(text); got != want || err != nil {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "QF_BV par cvc5.correct", "QF_BV single_query par cvc5", "A b c .correct",
		"QF_BV single_query par cvc5.rank"} {
		if got, err := ParseName(text); err == nil {
			t.Errorf("%s is not the name of a cell, and gave %+v", text, got)
		}
	}
}

// TestText checks that invalid UTF-8 is decoded as by Python's error handler surrogateescape.
func TestText(t *testing.T) {
	for s, want := range map[text]string{
		"sat\n":            `"sat\n"`,
		"\xff\"\u00e9\xc3": "\"\\udcff\\\"\u00e9\\udcc3\"",
	} {
		got, err := s.MarshalJSON()
		if string(got) != want || err != nil {
			t.Errorf("%q is %s, want %s; %v", string(s), got, want, err)
		}
	}
}
