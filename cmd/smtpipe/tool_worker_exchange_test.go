package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/exchange"
)

// TestJobAgain checks that a job without time for a second chunk executes the command that restarts it, or otherwise
// reports this through its exit code.
func TestJobAgain(t *testing.T) {
	for _, tt := range []struct {
		again string
		code  int
	}{{"echo again >again", exit.Done}, {"", exchange.ExitAgain}} {
		dir := t.TempDir()
		header := worker.Header{Format: worker.WorkFormat, Isolation: runner.Unisolated, Cores: 1, MemoryBytes: 1e8}
		content, err := exchange.Chunk(header, []*worker.Work{{ID: "a", Command: []string{"true"},
			Limits: comp.Limits{WallTime: time.Second, Cores: 1}}})
		for n, needs := range []time.Duration{time.Second, time.Hour} {
			ticket := exchange.Ticket{Order: n, Stage: "ab", Number: n + 1, Needs: needs}
			for name, text := range map[string][]byte{
				filepath.Join(exchange.ChunksFolder, ticket.Chunk(), exchange.WorksFile): content,
				filepath.Join(exchange.TicketsFolder, "p", ticket.Name()):                nil,
				filepath.Join(exchange.WorkersFolder, "p", "ab-9-0-x"):                   nil,
			} {
				if err == nil {
					err = exchange.WriteFile(filepath.Join(dir, name), text)
				}
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("smtpipe", "tool", "worker", "--exchange", dir, "--pool", "p", "--name", "ab-9-0-x",
			"--header", `{"format":"`+worker.WorkFormat+`","isolation":"none","cores":1,"memory_bytes":100000000}`,
			"--within", "1m", "--delay", "1s", "--again", tt.again)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // the test checks the exit code below
		_, missing := os.Stat(filepath.Join(dir, "again"))
		left, err := os.ReadDir(filepath.Join(dir, exchange.TicketsFolder, "p"))
		got := cmd.ProcessState.ExitCode()
		if got != tt.code || (missing != nil) != (tt.again == "") || len(left) != 1 {
			t.Errorf("again %q: exit code %d, want %d; its command has made: %v; %d tickets are left, error %v: %s",
				tt.again, got, tt.code, missing, len(left), err, out)
		}
		if _, err := os.Stat(filepath.Join(dir, exchange.ChunksFolder, "ab-1", "ab-9-0-x")); err != nil {
			t.Error(err)
		}
	}
}
