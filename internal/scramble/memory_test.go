package scramble

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/smtlib/smtlibtest"
)

// TestHugeInputs holds the arrays outside of the heap against those on it: blanks in front of a benchmark make it huge
// and change nothing else.
func TestHugeInputs(t *testing.T) {
	padding := bytes.Repeat([]byte(" "), hugeInput)
	var s Scrambler
	for i, f := range smtlibtest.Release(t) {
		if i%100 != 0 {
			continue
		}
		for _, track := range []comp.Track{comp.SingleQuery, comp.UnsatCore} {
			opt := ForTrack(track, int64(i+1))
			want, wantErr := s.Append(nil, f.Text, opt)
			got, err := s.Append(nil, append(padding[:hugeInput:hugeInput], f.Text...), opt)
			if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
				t.Errorf("%s: got %d bytes, %v; want %d, %v", f.Path, len(got), err, len(want), wantErr)
			}
		}
	}
}

// TestManyNames goes through names of every length around the limits of the table while it grows. With seed 0 a script in
// the form that is printed stays as it is.
func TestManyNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("(set-logic QF_UF)\n")
	const count = 220_000
	name := func(i int) string {
		switch i % 4 {
		case 0:
			return fmt.Sprintf("x%d", i)
		case 1:
			return fmt.Sprintf("|%d%s|", i, strings.Repeat("y", i%20))
		case 2:
			return fmt.Sprintf("%s%d", strings.Repeat("z", i%23+1), i)
		}
		return fmt.Sprintf("a.much.longer.name!%d", i)
	}
	for i := range count {
		fmt.Fprintf(&b, "(declare-fun %s () Bool)\n", name(i))
	}
	for i := range count {
		j := i * 7919 % count
		fmt.Fprintf(&b, "(assert (= %s %s #b%b 123456789012345%d))\n", name(i), name(j), uint64(1)<<40+uint64(i), i)
	}
	b.WriteString("(check-sat)\n")
	src := []byte(b.String())
	if len(src) < hugeInput {
		t.Fatalf("the script has only %d bytes", len(src))
	}
	out, err := Append(nil, src, Options{Incremental: true})
	if err != nil || !bytes.Equal(out, src) {
		t.Errorf("got %d bytes, %v; want the %d bytes of the input", len(out), err, len(src))
	}
}
