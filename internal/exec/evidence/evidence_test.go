package evidence

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

func TestFirstLine(t *testing.T) {
	for _, c := range []struct{ name, output, want string }{
		{"z3", "Z3 version 4.8.12 - 64 bit\n", "Z3 version 4.8.12 - 64 bit"},
		{"empty lines before", "\n \t\ncvc5 1.0.3\nmore 2\n", "cvc5 1.0.3"},
		{"no newline", "0.7.0", "0.7.0"},
		{"control characters", "\x1b[1myices\x07 2.6\x00.4\u202e\r\n", "[1myices 2.6.4"},
		{"not UTF-8", "opensmt \xff2.5", "opensmt 2.5"},
		{"an answer", "unsat\n1.0", ""},
		{"an error", "(error \"cannot open --version, line 1\")", ""},
		{"a usage", "usage: solver FILE", ""},
		{"nothing", "", ""},
		{"too long", strings.Repeat("1", 300), strings.Repeat("1", 159) + "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := FirstLine([]byte(c.output)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestFind stores one answer by the digest of a packed archive and another by the digests of archive and tree, and
// finds each by any of its digests.
func TestFind(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	tree, archive := cache.DigestOf([]byte("tree")), cache.DigestOf([]byte("archive"))
	says := Program{SHA256: tree, Archive: archive, Name: "run.sh"}
	silent := Program{Archive: archive, Name: "silent.sh"}
	if err := Put(store, says, []string{"run.sh", "-v"}, "run 1"); err != nil {
		t.Fatal(err)
	}
	if err := Put(store, silent, []string{"silent.sh", "-version"}, ""); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program Program
		want    string
	}{
		{Program{SHA256: tree, Name: "run.sh"}, "run 1"},
		{Program{Archive: archive, Name: "run.sh"}, "run 1"},
		{Program{SHA256: tree, Archive: archive, Name: "silent.sh"}, "did not say"},
		{Program{SHA256: tree, Name: "other.sh"}, ""},
	} {
		v, err := Find(store, c.program)
		if err != nil || (v == nil) != (c.want == "") {
			t.Fatalf("%v: %v, %v", c.program, v, err)
		}
		if v == nil {
			continue
		}
		var d Document
		if d.Add(*v); d.Find(c.program) == nil || v.Text() != c.want {
			t.Errorf("%v: got %v, want %q", c.program, v, c.want)
		}
	}
}

// TestStates checks that a machine keeps one entry for each of its last fifty states, with the first and last day.
func TestStates(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	day := func(n int) time.Time { return time.Date(2026, 6, n, 23, 0, 0, 0, time.UTC) }
	slow, fast := runner.State{Governor: "powersave"}, runner.State{Governor: "performance"}
	for _, s := range []struct {
		state runner.State
		day   int
	}{{slow, 1}, {slow, 2}, {fast, 2}, {slow, 3}} {
		if err := PutState(store, "m", s.state, day(s.day)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := FindMachine(store, "m")
	if err != nil || len(m.States) != 2 {
		t.Fatalf("%+v, %v", m, err)
	}
	for i, want := range []string{"governor powersave, turbo not reported, SMT not reported (2026-06-01 to 2026-06-03)",
		"governor performance, turbo not reported, SMT not reported (2026-06-02)"} {
		if got := m.Text(i); got != "Linux not reported, "+want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for n := range 60 {
		if err := PutState(store, "m", runner.State{Kernel: fmt.Sprint(n, "\n")}, day(4)); err != nil {
			t.Fatal(err)
		}
	}
	m, _ = FindMachine(store, "m")
	if len(m.States) != 50 || m.States[0].Kernel != "10" || m.States[49].Kernel != "59" {
		t.Errorf("%d states, from %q", len(m.States), m.States[0].Kernel)
	}
}
