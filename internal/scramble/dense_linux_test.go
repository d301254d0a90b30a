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

// TestDense holds the table of huge inputs with very many names against the usual one, on inputs for which it is not made.
func TestDense(t *testing.T) {
	var s Scrambler
	check := func(name string, src []byte, opt Options) {
		t.Helper()
		want, wantErr := Append(nil, src, opt)
		s.begin(src, opt, false)
		s.reserveAll(len(src))
		s.names.reset(src)
		if s.names.memory == nil {
			t.Fatal("there is no memory outside of the heap to be had")
		}
		s.names.becomeDense(1)
		err := s.execute()
		got := s.out
		s.out = nil
		s.release()
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
		check(fmt.Sprintf("corner %d", i), []byte(src), Options{Seed: int64(i), Annotations: AllAnnotations, Core: Core{"n": {}}})
	}
	for i, f := range smtlibtest.Release(t) {
		if i%200 == 0 || len(f.Text) > 1<<20 {
			check(f.Path, f.Text, ForTrack(comp.Incremental, int64(i+1)))
		}
	}
}

// TestDenseChange has the table change in the middle of an input, and be dropped and made again between its chunks.
func TestDenseChange(t *testing.T) {
	var b strings.Builder
	b.WriteString("(set-logic QF_UF)(declare-datatype D(")
	const count = 450_000
	name := func(i int) string {
		switch n := strings.ToUpper(strconv.FormatInt(int64(i), 36)); i % 4 {
		case 0:
			return "|" + n + "|"
		case 1:
			return "|a" + n + "|"
		default:
			return "a" + n
		}
	}
	for i := range count {
		fmt.Fprintf(&b, "(%s)", name(i))
	}
	b.WriteString("))(check-sat)(get-unsat-core)(assert(or")
	for i := count / 2; i < count*9/8; i++ {
		fmt.Fprintf(&b, " %s", strings.Trim(name(i), "|"))
		if i%4 == 1 {
			fmt.Fprintf(&b, " |%s| 123456789012345678 a.name.longer.than.sixteen.%d", strings.Trim(name(i), "|"), i%1000)
		}
	}
	b.WriteString("))(check-sat)")
	src, opt := []byte(b.String()), ForTrack(comp.UnsatCore, 5)
	var s Scrambler
	s.begin(src, opt, true)
	if s.names.memory == nil {
		t.Fatal("there is no memory outside of the heap to be had")
	}
	if s.names.tooLarge(2*keepSlots) || !s.names.tooLarge(4*keepSlots) || count < manyFresh {
		t.Fatalf("%d bytes are too few or too many for a change", len(src))
	}
	s.names.memory = nil // so that there is no change
	if err := s.execute(); err != nil {
		t.Fatal(err)
	}
	want := s.out
	s.release()
	got, err := Append(nil, src, opt)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v; want the %d bytes of the usual table", len(got), err, len(want))
	}
}
