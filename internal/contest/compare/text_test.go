package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestComment checks that a comment on a pull request has at most 60 lines, however much there is to report, and starts
// with the worst findings. B loses one benchmark in each of 12 families, is unstable on another, wrong on one, and
// slower everywhere: 29 reasons.
func TestComment(t *testing.T) {
	var pairs []Pair
	for family := range 12 {
		for i := range 20 {
			for seed := range 3 {
				p := pair(fmt.Sprintf("%02d/%d", family, i), "sat", "sat", "sat", time.Second,
					time.Duration(family+2)*time.Second)
				p.Benchmark.Family, p.Benchmark.Seed = fmt.Sprintf("f%02d", family), int64(seed+1)
				switch {
				case i == 0:
					p.B.Answer = "" // lost
				case i == 1 && family == 5:
					p.B.Answer = "unsat"
				case i == 1 && seed <= family%2:
					p.B.Answer = "" // unstable: answers under one or two of three seeds
				case i == 2 && family == 3:
					p.Benchmark.Family = "small" // a family with too few pairs
				}
				pairs = append(pairs, p)
			}
		}
	}
	r := Compare(pairs, limits)
	for i := range r.Look {
		r.Look[i].Command = "smtpipe tool exec"
	}
	var b strings.Builder
	if err := r.Document(InComment).WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, "\n"); n != 60 {
		t.Errorf("%d lines, want 60: %s", n, text)
	}
	for _, order := range [][]string{
		{"### Regression", "- wrong answers: 1\n", "- lost: 12, allowed 0\n", "- and 23 more\n"},
		{"#### Answers", "- wrong: 05/1", "- lost: 00/0", "- and 5 more\n"},
		{"#### Stability", "- lost: 00/0", "- and 21 more\n"},
		{"| QF\\_UF/f11 | 19 | CPU time | 13.000 |", "| QF\\_UF/f10 |", "\nFurther rows: 31.\n", "not tested: 1."},
		{"#### To look at", "- wrong: 05/1", "  `` smtpipe tool exec ``\n", "- lost: 02/0: "},
	} {
		at := 0
		for _, want := range order {
			i := strings.Index(text[at:], want)
			if i < 0 {
				t.Fatalf("no %q after %q: %s", want, order, text)
			}
			at += i
		}
	}
}
