package trace

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// longTrace returns a benchmark as large as the largest incremental ones: 3,000 check-sats, 60,000 commands, 3 MB.
func longTrace() string {
	var head, body strings.Builder
	body.WriteString(Separator + "\n(set-logic QF_NIA)\n")
	for i := range 3000 {
		head.WriteString([]string{"sat\n", "unsat\n"}[i%2])
		body.WriteString("(push 1)\n")
		for j := range 17 {
			fmt.Fprintf(&body, "(assert (and (<= x%d (+ y%d %d)) (not (= z%d \"a;b\"))))\n", j, i, i*j, j)
		}
		body.WriteString("(check-sat)\n(pop 1)\n")
	}
	body.WriteString("(exit)\n")
	return head.String() + body.String()
}

func BenchmarkParse(b *testing.B) {
	text := longTrace()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	text := longTrace()
	script, err := Parse(strings.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		split := splitter{text: script.Body}
		for _, ok := split.next(); ok; _, ok = split.next() {
		}
	}
}

// BenchmarkExecute uses a solver that answers immediately at no cost, so it measures only the executor.
func BenchmarkExecute(b *testing.B) {
	text := longTrace()
	script, err := Parse(strings.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s := &instant{}
		r := Execute(b.Context(), script, s, s, &fakeClock{}, Options{ContinueAfterUnknown: true})
		if r.Ending != Finished || len(r.Answers) != 3000 {
			b.Fatalf("%s: %s", r.Ending, r.Message)
		}
	}
}

// instant is a solver that answers success to commands and, alternately, sat and unsat to check-sats.
type instant struct {
	reply  []byte
	checks int
}

func (s *instant) Write(p []byte) (int, error) {
	s.reply = append(s.reply[:0], "success\n"...)
	if bytes.HasPrefix(p, []byte("(check-sat)")) {
		s.reply = append(s.reply[:0], []string{"sat\n", "unsat\n"}[s.checks%2]...)
		s.checks++
	}
	return len(p), nil
}

func (s *instant) Read(p []byte) (int, error) {
	n := copy(p, s.reply)
	s.reply = s.reply[n:]
	return n, nil
}

// TestLongTrace checks that the executor's own time does not count against the solver. The 60,000 commands (the last
// pop is not sent) take about 10 ms; the limit allows for a busy machine.
func TestLongTrace(t *testing.T) {
	script := mustParse(t, longTrace())
	best := time.Hour
	for range 5 {
		s := &instant{}
		start := time.Now()
		r := Execute(t.Context(), script, s, s, &fakeClock{}, Options{})
		best = min(best, time.Since(start))
		if r.Ending != Finished || r.Counts().Correct != 3000 || r.Commands != 3000*20 {
			t.Fatalf("%s, %+v, %d commands: %s", r.Ending, r.Counts(), r.Commands, r.Message)
		}
	}
	if best > 5*time.Second {
		t.Errorf("60,000 commands took %v at best", best)
	}
}
