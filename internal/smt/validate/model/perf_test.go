package model

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// manyAssertions returns a benchmark with n assertions of about 200 bytes each over bit-vectors and integers, and its
// model.
func manyAssertions(n int) (benchmark, response []byte) {
	var b, m strings.Builder
	b.WriteString("(set-logic QF_ALL)\n")
	m.WriteString("sat\n(\n")
	const names = 1000
	for i := range names {
		fmt.Fprintf(&b, "(declare-fun bits_%d () (_ BitVec 32))\n(declare-fun number_%d () Int)\n", i, i)
		fmt.Fprintf(&m, "(define-fun bits_%d () (_ BitVec 32) #x%08x)\n(define-fun number_%d () Int %d)\n", i, i*7919,
			i, i)
	}
	for i := range n {
		x, y, z := i%names, i*31%names, i*17%names
		fmt.Fprintf(&b, "(assert (let ((sum (bvadd bits_%d bits_%d)) (big (+ number_%d (* 3 number_%d)))) "+
			"(and (bvule (bvand sum (bvnot sum)) #x00000001) (or (>= big number_%d) (= sum bits_%d)) (not (< big "+
			"number_%d)))))\n",
			x, y, x, z, x, z, z)
	}
	b.WriteString("(check-sat)\n")
	m.WriteString(")\n")
	return []byte(b.String()), []byte(m.String())
}

// BenchmarkManyAssertions measures the performance goal: 20 MB with 100,000 assertions in 2 seconds.
func BenchmarkManyAssertions(b *testing.B) {
	benchmark, response := manyAssertions(100_000)
	b.SetBytes(int64(len(benchmark)))
	b.ReportAllocs()
	for b.Loop() {
		if r := Check(context.Background(), benchmark, response, Options{}); r.Verdict != Valid {
			b.Fatal(r)
		}
	}
}

// BenchmarkFunctionTable calls a function with 2000 rows for 20,000 arguments.
func BenchmarkFunctionTable(b *testing.B) {
	var bench, m strings.Builder
	bench.WriteString("(declare-fun f (Int Int) Int)\n")
	m.WriteString("sat ((define-fun f ((x Int) (y Int)) Int ")
	const rows = 2000
	for i := range rows {
		fmt.Fprintf(&m, "(ite (and (= x %d) (= y %d)) %d ", i, i*3, i*5)
	}
	m.WriteString("0" + strings.Repeat(")", rows) + "))")
	for i := range 20_000 {
		fmt.Fprintf(&bench, "(assert (= (f %d %d) %d))\n", i%rows, i%rows*3, i%rows*5)
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := Check(context.Background(), []byte(bench.String()), []byte(m.String()), Options{}); r.Verdict != Valid {
			b.Fatal(r)
		}
	}
}

// TestMemoryAndTime checks a fifth of the goal: checking 4 MB must take less than 10 times that much live memory. On a
// busy machine, only a quadratic algorithm can exceed its time limit.
func TestMemoryAndTime(t *testing.T) {
	benchmark, response := manyAssertions(20_000)
	var before, after runtime.MemStats
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // otherwise uncollected garbage would count too
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	peak := make(chan uint64)
	stop := make(chan struct{})
	go func() {
		var most uint64
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				most = max(most, now.HeapAlloc)
			}
		}
	}()
	r := Check(context.Background(), benchmark, response, Options{})
	close(stop)
	runtime.ReadMemStats(&after)
	used := max(<-peak, after.HeapAlloc) - before.HeapAlloc
	t.Logf("%d bytes, peak %d more on the heap, %v", len(benchmark), used, time.Since(start))
	if r.Verdict != Valid {
		t.Fatal(r)
	}
	if used > 10*uint64(len(benchmark)) {
		t.Errorf("%d bytes of memory for %d bytes of text", used, len(benchmark))
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
}

// TestMemoryBeforeParsing checks that a text that consists of single letters is estimated to need more than 2 GB, while
// typical text of the same size is not.
func TestMemoryBeforeParsing(t *testing.T) {
	const size = 40 << 20
	dense := []byte("(declare-fun p () Bool)(assert (and " + strings.Repeat("p ", size/2) + "))")
	response := []byte("sat ((define-fun p () Bool true))")
	r := Check(context.Background(), dense, response, Options{})
	told := fmt.Sprintf("a check of texts of %d bytes may take 2000 MB of memory", len(dense)+len(response))
	if r.Verdict != Unknown || r.Kind != LimitReached || !strings.Contains(r.Reason, told) {
		t.Errorf("%s %s: %s", r.Verdict, r.Kind, r.Reason)
	}
	line := "(assert (bvule (bvadd long_variable_name_1 #x00000001) (bvmul long_variable_name_2 #x0000000f)))\n"
	usual := []byte(strings.Repeat(line, size/len(line)))
	if n := needed(usual, nil); n > 6*len(usual) {
		t.Errorf("%d bytes are needed for %d", n, len(usual))
	}
	// 10 MiB with one command of four words, and a response of two commands with two words and one word.
	words := []byte("(assert (= x y z))" + strings.Repeat(" ", 10<<20))
	model := []byte("(a b c)(a b)")
	want := 2*(len(words)+len(model)) + 36*(4+3) + 80*(1+2) + 90*(4+3)
	if n := needed(words, model); n != want {
		t.Errorf("%d bytes are needed, want %d", n, want)
	}
	if n := needed(words[:9<<20], model); n != 64*(9<<20+len(model)) {
		t.Errorf("%d bytes are needed for texts that are not measured", n)
	}
	if Memory(1000) != 2_000_000_000 || Memory(1_000_000_000) != 6_000_000_000 {
		t.Error("the memory of a check is 2 GB or six times its input")
	}
}
