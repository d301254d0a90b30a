package runner

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestCaptureKeepsBothEnds(t *testing.T) {
	tests := []struct {
		name       string
		cap        int64
		pieces     []string
		head, tail string
		dropped    int64
	}{
		{name: "all fits", cap: 10, pieces: []string{"abc", "def"}, head: "abcde", tail: "f"},
		{name: "exactly full", cap: 10, pieces: []string{"0123456789"}, head: "01234", tail: "56789"},
		{name: "ring turns", cap: 10, pieces: []string{"0123456789", "ab", "c"}, head: "01234", tail: "89abc",
			dropped: 3},
		{name: "large piece", cap: 4, pieces: []string{"0123456789"}, head: "01", tail: "89", dropped: 6},
		{name: "odd cap", cap: 3, pieces: []string{"abcdef"}, head: "ab", tail: "f", dropped: 3},
		{name: "nothing kept", cap: 0, pieces: []string{"abc"}, dropped: 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newCapture(tt.cap, &outputCount{})
			if tt.name == "all fits" { // otherwise the head alone would hold all six bytes
				c.headCap, c.tailCap = 5, 5
			}
			for _, p := range tt.pieces {
				_, _ = c.Write([]byte(p))
			}
			o := c.output()
			if string(o.Head) != tt.head || string(o.Tail) != tt.tail || o.Dropped() != tt.dropped {
				t.Errorf("head %q tail %q dropped %d, want %q %q %d", o.Head, o.Tail, o.Dropped(), tt.head, tt.tail,
					tt.dropped)
			}
		})
	}
}

// TestCaptureInPieces splits one stream in many ways. The kept output must not depend on the splits.
func TestCaptureInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var stream []byte
	for i := range 3000 {
		stream = fmt.Appendf(stream, "%d\n", i)
	}
	for range 50 {
		c := newCapture(1001, &outputCount{})
		for rest := stream; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(700))
			_, _ = c.Write(rest[:n])
			rest = rest[n:]
		}
		o := c.output()
		if !bytes.Equal(o.Head, stream[:501]) || !bytes.Equal(o.Tail, stream[len(stream)-500:]) {
			t.Fatalf("kept %q ... %q", o.Head[:20], o.Tail[:20])
		}
		want := string(stream[:501]) + dropMark(int64(len(stream)-1001)) + string(stream[len(stream)-500:])
		if got := string(o.Bytes()); got != want {
			t.Fatalf("Bytes gives %.80q", got)
		}
	}
}

func TestLineRecorder(t *testing.T) {
	r := &lineRecorder{all: 2, cpu: func() time.Duration { return 7 }}
	for _, p := range []string{"; com", "ment\nsec", "ond\nthird\n sat \nunsa", "t\nno answer: sat\nunknown"} {
		r.write([]byte(p))
	}
	var got []string
	for _, l := range r.recorded(0) {
		got = append(got, fmt.Sprintf("%s|%d", l.Text, l.CPU))
	}
	want := []string{"; comment|0", "second|0", " sat |7", "unsat|7", "unknown|7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStopOutputCallsOnce(t *testing.T) {
	calls := 0
	count := &outputCount{limit: 10, over: func() { calls++ }}
	a, b := newCapture(100, count), newCapture(100, count)
	_, _ = a.Write(make([]byte, 6))
	_, _ = b.Write(make([]byte, 4))
	if calls != 0 {
		t.Error("called at the limit")
	}
	_, _ = b.Write(make([]byte, 1))
	_, _ = a.Write(make([]byte, 100))
	if calls != 1 {
		t.Errorf("called %d times", calls)
	}
}

// TestStolenOutput runs a command that reads data back from its own end of the pipe, after the kernel has announced the
// data to the driver. The driver must not block a thread, and must stop reading at its deadline.
func TestStolenOutput(t *testing.T) {
	read, write, err := outputPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if flags, err := unix.FcntlInt(uintptr(write), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("the command's end has flags %#x (%v); commands expect one that waits", flags, err)
	}
	c := newCapture(100, &outputCount{})
	if err := read.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() { c.copy(read); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the driver waits for an empty pipe")
	}
	if _, err := unix.Write(write, []byte("sat\n")); err != nil {
		t.Fatal(err)
	}
	closeAll(write)
	if err := read.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	if c.copy(read); string(c.output().Head) != "sat\n" {
		t.Errorf("got %q", c.output().Head)
	}
}

// TestManyAnswersAtOnce counts how often the driver reads the CPU time between two limit checks.
func TestManyAnswersAtOnce(t *testing.T) {
	reads := 0
	c := newCapture(1<<20, &outputCount{})
	c.lines = &lineRecorder{cpu: func() time.Duration { reads++; return time.Second }}
	for range 3 {
		_, _ = c.Write(bytes.Repeat([]byte("sat\n"), 200))
		_, _ = c.Write([]byte("nothing\n"))
	}
	if lines := c.lines.recorded(0); len(lines) != 600 || lines[599].CPU != time.Second {
		t.Errorf("got %d lines", len(lines))
	}
	if reads != 3 {
		t.Errorf("the CPU time was read %d times for three pieces with answers", reads)
	}
}
