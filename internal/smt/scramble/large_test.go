package scramble

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

// Sizes of large and very large inputs.
const (
	large = 64 << 10
	huge  = 8 << 20
)

// TestPadding puts spaces before benchmarks, which enlarges their tables but must not otherwise change the output.
func TestPadding(t *testing.T) {
	padding := bytes.Repeat([]byte(" "), huge)
	var s, alone Scrambler
	for i, f := range smtlibtest.Release(t) {
		if i%100 != 0 && len(f.Text) < large {
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
			got, err := s.Append(nil, append(padding[:huge:huge], f.Text...), opt)
			check("huge", got, err)
			var out bytes.Buffer
			err = alone.WriteTo(&out, append(padding[:large:large], f.Text...), opt)
			check("alone", out.Bytes(), err)
			out.Reset()
			err = alone.WriteTo(&out, f.Text, opt)
			check("alone, as it is", out.Bytes(), err)
		}
	}
}

// TestOutgrownArrays uses inputs that contain more items than their size suggests, so every array must grow.
func TestOutgrownArrays(t *testing.T) {
	const size = large + 1000
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
				var s Scrambler
				_, err := s.Append(nil, src, ForTrack(comp.Incremental, seed+1))
				if err != nil {
					t.Fatal(err)
				}
				want, err := s.Append(nil, src, ForTrack(comp.Incremental, seed))
				if err != nil {
					t.Fatal(err)
				}
				s = Scrambler{}
				var got bytes.Buffer
				if err := s.WriteTo(&got, src, ForTrack(comp.Incremental, seed)); err != nil ||
					!bytes.Equal(got.Bytes(), want) {
					t.Errorf("seed %d: got %d bytes, %v; want the %d of arrays that have grown", seed, got.Len(), err,
						len(want))
				}
			}
		})
	}
}

// TestWideList uses an application with a million arguments, so that the operand stack and the tape grow while it is
// read. With seed 0, a script in printed form must stay unchanged.
func TestWideList(t *testing.T) {
	const arguments = 1 << 19
	src := "(set-logic QF_BV)\n(assert (and" + strings.Repeat(" a", arguments) + strings.Repeat(" (_ bv1 8)",
		arguments) + "))\n(check-sat)\n"
	got, err := Append(nil, []byte(src), Options{Incremental: true})
	if err != nil || string(got) != src {
		t.Errorf("got %d bytes, %v; want the %d of the input", len(got), err, len(src))
	}
}

// TestManyNames uses names of every length around the table's limits while the table grows. With seed 0, a script in
// printed form must stay unchanged.
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
	if len(src) < huge {
		t.Fatalf("the script has only %d bytes", len(src))
	}
	out, err := Append(nil, src, Options{Incremental: true})
	if err != nil || !bytes.Equal(out, src) {
		t.Errorf("got %d bytes, %v; want the %d bytes of the input", len(out), err, len(src))
	}
}

// TestManyQuotedNames uses names in two spellings, in two chunks, among very many names. Bars must make no difference:
// the same script without bars must produce the same result.
func TestManyQuotedNames(t *testing.T) {
	const count = 450_000
	write := func(bar string) []byte {
		name := func(i int) string {
			switch n := strings.ToUpper(strconv.FormatInt(int64(i), 36)); i % 4 {
			case 0:
				return "|" + n + "|"
			case 1:
				return bar + "a" + n + bar
			default:
				return "a" + n
			}
		}
		var b bytes.Buffer
		b.WriteString("(set-logic QF_UF)(declare-datatype D(")
		for i := range count {
			fmt.Fprintf(&b, "(%s)", name(i))
		}
		b.WriteString("))(check-sat)(get-unsat-core)(assert(or")
		for i := count / 2; i < count; i++ {
			fmt.Fprintf(&b, " %s", strings.Trim(name(i), "|"))
			if i%4 == 1 {
				fmt.Fprintf(&b, " %s 123456789012345678 a.name.longer.than.sixteen.%d", name(i), i%1000)
			}
		}
		b.WriteString("))(check-sat)")
		return b.Bytes()
	}
	want, err := Append(nil, write(""), ForTrack(comp.UnsatCore, 5))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Append(nil, write("|"), ForTrack(comp.UnsatCore, 5)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v; want the %d bytes of the script without bars", len(got), err, len(want))
	}
}

// TestReuse compares a Scrambler that is reused many times with new ones.
func TestReuse(t *testing.T) {
	var s Scrambler
	check := func(name string, src []byte, opt Options) {
		t.Helper()
		want, wantErr := new(Scrambler).Append(nil, src, opt)
		got, err := s.Append(nil, src, opt)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !bytes.Equal(got, want) {
			t.Errorf("%s: got %.300q, %v; want %.300q, %v", name, got, err, want, wantErr)
		}
	}
	for i := range 100 {
		g := newScriptGenerator(uint64(i))
		g.script()
		opt := g.options()
		check(fmt.Sprintf("script %d", i), g.text(), opt)
		check(fmt.Sprintf("damaged script %d", i), g.damage(g.text()), opt)
	}
	for i, src := range corners {
		check(fmt.Sprintf("corner %d", i), []byte(src), Options{Seed: int64(i), Annotations: AllAnnotations,
			Core: Core{"n": {}}})
	}
	for i, f := range smtlibtest.Release(t) {
		if i%200 == 0 || len(f.Text) > 1<<20 {
			check(f.Path, f.Text, ForTrack(comp.Incremental, int64(i+1)))
		}
	}
}

// For a tape of any length, the position after the word that printList appends cannot be mistaken for a word's tags.
const _ = uint(placeMask - (maxTape + 1))
