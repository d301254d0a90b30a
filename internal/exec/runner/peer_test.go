package runner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// openBest opens a host with the highest isolation available on this machine.
func openBest(t *testing.T) *lab {
	t.Helper()
	h, err := Open(Config{Isolation: BestEffort, Jobs: 1, NoLock: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return &lab{mode: mode{config: Config{Isolation: h.Isolation()}}, host: h}
}

func TestInteract(t *testing.T) {
	l := openBest(t)
	var replies []string
	var wall, cpu []time.Duration
	c := l.victim("echo")
	c.Interact = func(_ context.Context, p *Peer) error {
		in := bufio.NewReader(p.Out)
		for i := range 3 {
			if _, err := fmt.Fprintf(p.In, "(check-sat %d)\n", i); err != nil {
				return err
			}
			line, err := in.ReadString('\n')
			if err != nil {
				return err
			}
			replies = append(replies, line)
			wall, cpu = append(wall, p.Clock.WallTime()), append(cpu, p.Clock.CPUTime())
		}
		return nil // returning closes the command's standard input, which ends the command
	}
	rec := l.run(t, c)
	wantEnding(t, rec, comp.Exited)
	if got := strings.Join(replies, ""); got != "(check-sat 0)\n(check-sat 1)\n(check-sat 2)\n" {
		t.Errorf("replies %q", got)
	}
	if got := string(rec.Stdout.Bytes()); got != strings.Join(replies, "") {
		t.Errorf("captured %q", got)
	}
	for i := range wall {
		if wall[i] <= 0 || wall[i] > rec.WallTimeS.Duration() || cpu[i] > rec.CPUTimeS.Duration() || i > 0 &&
			(wall[i] < wall[i-1] ||
				cpu[i] < cpu[i-1]) {
			t.Errorf("times %v and %v do not grow up to %v and %v", wall, cpu, rec.WallTimeS.Duration(),
				rec.CPUTimeS.Duration())
		}
	}
}

func TestInteractFails(t *testing.T) {
	l := openBest(t)
	c := l.victim("sleep", "10s")
	c.Interact = func(context.Context, *Peer) error { return errors.New("the solver's answer is nonsense") }
	rec := l.run(t, c)
	wantEnding(t, rec, comp.Killed)
	if rec.WallTimeS.Duration() > 2*time.Second*slow {
		t.Errorf("the command lived on for %v", rec.WallTimeS.Duration())
	}
}

func TestInteractMeetsLimit(t *testing.T) {
	l := openBest(t)
	var readErr, writeErr error
	c := l.victim("print", "hello", ",", "sleep", "10s")
	c.Limits.WallTime = 150 * time.Millisecond * slow
	c.Interact = func(_ context.Context, p *Peer) error {
		_, readErr = io.ReadAll(p.Out) // reading ends when the limit kills the command
		// The kernel closes a dead process's files one after another, so its input may stay open for a moment.
		for end := time.Now().Add(5 * time.Second); writeErr == nil &&
			time.Now().Before(end); time.Sleep(time.Millisecond) {
			_, writeErr = p.In.Write([]byte("more\n"))
		}
		return nil
	}
	rec := l.run(t, c)
	wantEnding(t, rec, comp.WallTimeout)
	wantOut(t, rec, "hello")
	if readErr != nil || writeErr == nil {
		t.Errorf("read gave %v, want the end; write gave %v, want an error", readErr, writeErr)
	}
}

func TestValidate(t *testing.T) {
	ok := Command{Argv: []string{"x"}}
	tests := []struct {
		name   string
		change func(*Command)
		want   string
	}{
		{"fine", func(*Command) {}, ""},
		{"empty", func(c *Command) { c.Argv = nil }, "empty"},
		{"NUL", func(c *Command) { c.Argv = []string{"x", "a\x00b"} }, "NUL"},
		{"two inputs", func(c *Command) { c.Stdin, c.StdinFile = strings.NewReader(""), "f" }, "only one of"},
		{"relative target", func(c *Command) { c.Mounts = []Mount{{Source: "/a", Target: "b"}} }, "must be absolute"},
		{"target leads up", func(c *Command) { c.Inputs = []Input{{Target: "/a/../../b"}} }, "must be absolute"},
		{"root target of an input", func(c *Command) { c.Inputs = []Input{{Target: "/"}} }, "below the root"},
		{"environment", func(c *Command) { c.Env = []string{"NAME"} }, "NAME=VALUE"},
		{"limit", func(c *Command) { c.Limits.WallTime = -1 }, "must be at least 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := ok
			tt.change(&c)
			err := c.validate()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRefusesLessIsolation(t *testing.T) {
	caps := &capabilities{layout: &layout{kind: LayoutNone, why: []string{"cgroup v2: permission denied"}},
		sandbox: sandboxCan{ok: true}}
	_, err := caps.choose(Full)
	if !errors.Is(err, ErrIsolation) || !strings.Contains(err.Error(), "permission denied") ||
		!strings.Contains(err.Error(), "best_effort") {
		t.Errorf("error %v", err)
	}
	if level, err := caps.choose(BestEffort); err != nil || level != NamespacesOnly {
		t.Errorf("best effort gives %s, %v", level, err)
	}
	caps.sandbox = sandboxCan{why: "namespaces: operation not permitted"}
	if level, err := caps.choose(BestEffort); err != nil || level != Unisolated {
		t.Errorf("best effort gives %s, %v", level, err)
	}
}
