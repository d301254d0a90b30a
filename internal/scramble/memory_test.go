package scramble

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/smtlib/smtlibtest"
)

// TestOutsideOfTheHeap holds the arrays outside of the heap against those on it: blanks in front of a benchmark make it
// large and change nothing else.
func TestOutsideOfTheHeap(t *testing.T) {
	padding := bytes.Repeat([]byte(" "), hugeInput)
	var s, alone Scrambler
	for i, f := range smtlibtest.Release(t) {
		if i%100 != 0 && len(f.Text) < onceInput {
			continue
		}
		for _, track := range []comp.Track{comp.SingleQuery, comp.UnsatCore} {
			opt := ForTrack(track, int64(i+1))
			want, wantErr := s.Append(nil, f.Text, opt)
			check := func(what string, got []byte, err error) {
				t.Helper()
				if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
					t.Errorf("%s, %s: got %d bytes, %v; want %d, %v", f.Path, what, len(got), err, len(want), wantErr)
				}
			}
			got, err := s.Append(nil, append(padding[:hugeInput:hugeInput], f.Text...), opt)
			check("huge", got, err)
			var out bytes.Buffer
			err = alone.WriteTo(&out, append(padding[:onceInput:onceInput], f.Text...), opt)
			check("alone", out.Bytes(), err)
			out.Reset()
			err = alone.WriteTo(&out, f.Text, opt)
			check("alone, as it is", out.Bytes(), err)
		}
	}
}

// TestOutgrownArrays has inputs with more of everything than their size makes one expect, so that each array that stands
// outside of the heap becomes too short.
func TestOutgrownArrays(t *testing.T) {
	const size = onceInput + 1000
	repeat := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	var names strings.Builder
	for i := 0; names.Len() < size; i++ {
		fmt.Fprintf(&names, "(declare-const b%s Bool)", strconv.FormatInt(int64(i), 36))
	}
	var long strings.Builder
	for i := 0; long.Len() < size; i++ {
		fmt.Fprintf(&long, "(declare-const a.name.of.%d.that.is.much.longer.than.a.slot.of.the.table B)", i)
	}
	inputs := map[string]string{
		"names":      names.String(),
		"long names": "(declare-sort B 0)" + long.String(),
		"depth":      "(assert " + repeat("(=> a ") + "a" + strings.Repeat(")", size/6) + ")",
		"width":      "(assert (or" + repeat(" a") + "))",
		"assertions": repeat("(assert a)"),
		"lets":       "(assert " + repeat("(let((b a))") + "b" + strings.Repeat(")", size/11) + ")",
		"pushes":     repeat("(push 1)"),
	}
	for name, text := range inputs {
		t.Run(name, func(t *testing.T) {
			src := []byte("(set-logic QF_UF)(declare-const a Bool)" + text + "(check-sat)")
			for _, seed := range []int64{0, 7} {
				want, err := Append(nil, src, ForTrack(comp.Incremental, seed))
				if err != nil {
					t.Fatal(err)
				}
				var s Scrambler
				var got bytes.Buffer
				if err := s.WriteTo(&got, src, ForTrack(comp.Incremental, seed)); err != nil || !bytes.Equal(got.Bytes(), want) {
					t.Errorf("seed %d: got %d bytes, %v; want the %d of the arrays on the heap", seed, got.Len(), err, len(want))
				}
			}
		})
	}
}

// TestOpenListIsKept has the tape come to its next step, at which the stacks are trimmed, inside an application whose last
// arguments begin a page of the stack.
func TestOpenListIsKept(t *testing.T) {
	const arguments, indexed = hugePage / 4, tapeStep / 3
	text := "(set-logic QF_BV)(assert (and" + strings.Repeat(" a", arguments-indexed+50) + strings.Repeat(" (_ bv1 8)", indexed+3000) + "))(check-sat)"
	want, err := Append(nil, []byte(text), Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Append(nil, append(bytes.Repeat([]byte(" "), hugeInput), text...), Options{Seed: 3})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v; want the %d of the arrays on the heap", len(got), err, len(want))
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

// The place behind the word that printWord puts behind a tape of any length can be told from its tags.
const _ = uint(placeMask - (maxTape + 1))
