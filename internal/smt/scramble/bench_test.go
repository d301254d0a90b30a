package scramble

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
)

// BenchmarkAppend scrambles the release's files of more than 100 KiB (for which the official program's times are
// published), medium-sized files, and small ones.
func BenchmarkAppend(b *testing.B) {
	sets := map[string][]smtlibtest.File{}
	for _, f := range smtlibtest.Release(b) {
		switch n := len(f.Text); {
		case n > 100<<10:
			sets["over100KiB"] = append(sets["over100KiB"], f)
		case n < 10<<10:
			sets["under10KiB"] = append(sets["under10KiB"], f)
		default:
			sets["between"] = append(sets["between"], f)
		}
	}
	for _, name := range []string{"over100KiB", "between", "under10KiB"} {
		b.Run(name, func(b *testing.B) { benchmarkAppend(b, sets[name]) })
	}
}

func benchmarkAppend(b *testing.B, files []smtlibtest.File) {
	total := 0
	for _, f := range files {
		total += len(f.Text)
	}
	opt := ForTrack(comp.SingleQuery, 2026)
	var out []byte
	b.SetBytes(int64(total))
	b.ReportAllocs()
	before := smtlibtest.CPUTime(b)
	for b.Loop() {
		for _, f := range files {
			out, _ = Append(out[:0], f.Text, opt) // a rejected file costs as much work as the text before the error
		}
	}
	spent := smtlibtest.CPUTime(b) - before
	b.ReportMetric(float64(total)*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N*len(files)), "cpu-ns/file")
}

// BenchmarkLarge scrambles generated benchmarks whose tables are larger than the CPU caches.
func BenchmarkLarge(b *testing.B) {
	inputs := []struct {
		name string
		text func() string
	}{
		{"random names", func() string { return randomNames(300_000, 200_000) }},
		{"transition system", func() string { return transitionSystem(1000, 150) }},
		{"nested lets", func() string { return nestedLets(500_000) }},
	}
	for _, in := range inputs {
		b.Run(in.name, func(b *testing.B) {
			src := []byte(in.text())
			opt := ForTrack(comp.SingleQuery, 2026)
			b.SetBytes(int64(len(src)))
			before := smtlibtest.CPUTime(b)
			for b.Loop() {
				var s Scrambler
				if err := s.WriteTo(io.Discard, src, opt); err != nil {
					b.Fatal(err)
				}
			}
			spent := smtlibtest.CPUTime(b) - before
			b.ReportMetric(float64(len(src))*float64(b.N)/1e6/spent.Seconds(), "MB/cpu-s")
		})
	}
}

// randomNames returns assertions with seven names each, drawn from a large set of names of nine or ten letters.
func randomNames(assertions, names int) string {
	draw := rand.New(rand.NewPCG(1, 2)).IntN
	var text strings.Builder
	text.WriteString("(set-logic QF_LIA)\n")
	taken := map[string]bool{}
	list := make([]string, 0, names)
	for len(list) < names {
		name := make([]byte, 9+draw(2))
		for i := range name {
			name[i] = byte('a' + draw(26))
		}
		if s := string(name); !taken[s] {
			taken[s], list = true, append(list, s)
			fmt.Fprintf(&text, "(declare-fun %s () Int)\n", s)
		}
	}
	some := func() string { return list[draw(names)] }
	for range assertions {
		fmt.Fprintf(&text, "(assert (or (<= (+ %s (* 17 %s)) %s) (and (= %s %s) (not (< %s %s)))))\n",
			some(), some(), some(), some(), some(), some(), some())
	}
	text.WriteString("(check-sat)\n")
	return text.String()
}

// transitionSystem returns steps of a transition system, each of which computes a variable from its own value and three
// random variables of the previous step.
func transitionSystem(steps, variables int) string {
	draw := rand.New(rand.NewPCG(1, 2)).IntN
	var text strings.Builder
	text.WriteString("(set-logic QF_LIA)\n")
	for step := range steps + 1 {
		for v := range variables {
			fmt.Fprintf(&text, "(declare-fun v%d_%d () Int)\n", v, step)
		}
	}
	for step := range steps {
		for v := range variables {
			fmt.Fprintf(&text, "(assert (= v%d_%d (ite (< v%d_%d v%d_%d) (+ v%d_%d 3) (- v%d_%d v%d_%d))))\n",
				v, step+1, v, step, draw(variables), step, v, step, draw(variables), step, draw(variables), step)
		}
	}
	text.WriteString("(check-sat)\n")
	return text.String()
}

// nestedLets returns a term with n nested lets, one per line. Each refers to the previous name.
func nestedLets(depth int) string {
	var text strings.Builder
	text.WriteString("(set-logic QF_UF)\n(declare-fun p () Bool)\n(assert (let ((?v_0 p))\n")
	for i := 1; i < depth; i++ {
		fmt.Fprintf(&text, "(let ((?v_%d (and ?v_%d p)))\n", i, i-1)
	}
	fmt.Fprintf(&text, "?v_%d%s)\n(check-sat)\n", depth-1, strings.Repeat(")", depth))
	return text.String()
}
