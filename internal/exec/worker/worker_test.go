package worker

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// TestRecordRoundTrip checks that every field of a record survives JSON.
func TestRecordRoundTrip(t *testing.T) {
	want := runner.Record{
		Measured: run.Measured{Ending: comp.OutOfMemory, ExitCode: -1, Signal: 9, Isolation: "full",
			Usage: run.Usage{WallTimeS: 1.234567891, CPUTimeS: 2e-9, MemoryBytes: 5}},
		UserTime: 3, SystemTime: 4, Processes: 6, ReadBytes: 7, WrittenBytes: 8, Pressure: &runner.Pressure{9, 10, 11},
		Stdout: runner.Output{Head: []byte("\xff\x00a"), Tail: []byte("b"), Total: 100},
		Stderr: runner.Output{Head: []byte("e"), Total: 1},
		Lines:  []runner.Line{{At: 12, CPU: 13, Text: "sat\xff"}},
		Flags:  runner.FlagTruncated | runner.FlagCollectPartly, Layout: "v2", Slot: 14,
		CPUs:    "0-1",
		Started: time.Date(2026, 11, 20, 1, 2, 3, 4, time.UTC), Env: []string{"A=b"},
	}
	text, err := json.Marshal(&want)
	if err != nil {
		t.Fatal(err)
	}
	var got runner.Record
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFromCommandRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*runner.Command)
	}{
		{"standard input", func(c *runner.Command) { c.StdinFile = "/x" }},
		{"writable mount", func(c *runner.Command) {
			c.Mounts = []runner.Mount{{Source: "/a", Target: "/a",
				Writable: true}}
		}},
		{"file of the machine", func(c *runner.Command) { c.Inputs = []runner.Input{{Source: "/a", Target: "/a"}} }},
		{"variables of the driver", func(c *runner.Command) { c.PassEnv = []string{"HOME"} }},
		{"not UTF-8", func(c *runner.Command) { c.Argv = append(c.Argv, "\xff") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := runner.Command{Argv: []string{"true"}}
			tt.change(&c)
			if _, err := FromCommand("x", &c, nil); err == nil {
				t.Error("there is no error")
			}
		})
	}
}

// FuzzReadResults checks that only complete lines count and that no input causes a panic.
func FuzzReadResults(f *testing.F) {
	f.Add([]byte("{\"format\":\"smtpipe-results/1\"}\n{\"id\":\"a\",\"record\":{\"ending\":\"exited\"}}\n{\"id"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, broken, err := ReadResults(bytes.NewReader(data))
		if lines := bytes.Count(data, []byte("\n")); len(all) > lines || len(all)+broken > lines+1 {
			t.Errorf("%d results and %d broken lines of %d, error %v", len(all), broken, lines, err)
		}
	})
}

// TestLongLine checks that reading results ends at a line that no worker writes.
func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 256 MiB")
	}
	zeros, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer zeros.Close()
	_, _, err = ReadResults(io.LimitReader(zeros, MaxLine+1<<16))
	if _, tooLong := errors.AsType[*limits.Error](err); !tooLong {
		t.Errorf("error %v", err)
	}
}
