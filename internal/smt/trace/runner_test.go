package trace_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/smt/trace"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// The clock that stages pass to Execute is the runner's.
var _ trace.Clock = (*runner.Clock)(nil)

// TestInSandbox conducts dialogues through the runner with shell scripts that answer, work, hang or never read.
func TestInSandbox(t *testing.T) {
	testkit.Program(t, "sh")
	host, err := runner.Open(runner.Config{Isolation: runner.BestEffort, Jobs: 1, NoLock: true})
	if err != nil {
		t.Skip(err)
	}
	defer host.Close()
	const answerAll = `while read -r l; do case $l in "(check-sat)") %s echo sat;; *) echo success;; esac; done`
	const work = `i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done;`
	const script = "sat\nsat\n" + trace.Separator + "\n(set-logic QF_UF)\n(check-sat)\n(check-sat)\n(exit)\n"
	large := script[:len(script)-len("(check-sat)\n(exit)\n")] + strings.Repeat("(assert true)\n", 1000) +
		"(check-sat)\n(exit)\n"
	huge := "sat\n" + trace.Separator + "\n(assert " + strings.Repeat("x", 1<<20) + ")\n(check-sat)\n"
	tests := []struct {
		name, shell, script string
		ending              trace.Ending
		process             comp.Ending
		answers             int
	}{
		{"answers", strings.Replace(answerAll, "%s", "", 1), script, trace.Finished, comp.Exited, 2},
		{"a thousand commands", strings.Replace(answerAll, "%s", "", 1), large, trace.Finished, comp.Exited, 2},
		{"works before it answers", strings.Replace(answerAll, "%s", work, 1), script, trace.Finished, comp.Exited, 2},
		{"hangs", "echo success; echo success; exec sleep 60", script, trace.SolverEnded, comp.WallTimeout, 0},
		{"never reads", "echo success; exec sleep 60", huge, trace.SolverEnded, comp.WallTimeout, 0},
		{"crashes", "echo success; kill -9 $$", script, trace.SolverEnded, comp.Signalled, 0},
		{"floods", "echo success; exec yes", script, trace.BadResponse, comp.Killed, 0},
		{"goes on after a wrong answer", "echo success; echo success; echo unsat; exec sleep 60", script,
			trace.WrongAnswer, comp.Killed, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parsed, err := trace.Parse(strings.NewReader(tt.script))
			if err != nil {
				t.Fatal(err)
			}
			limit := time.Minute
			if tt.process == comp.WallTimeout {
				limit = 300 * time.Millisecond
			}
			var r trace.Result
			rec, err := host.Run(t.Context(), runner.Command{
				Argv: []string{"sh", "-c", tt.shell}, HostSystem: true,
				Limits: comp.Limits{WallTime: limit, MemoryBytes: 200e6},
				Interact: func(ctx context.Context, p *runner.Peer) error {
					r = trace.Execute(ctx, parsed, p.In, p.Out, p.Clock, trace.Options{ContinueAfterUnknown: true})
					if r.Ending.LeavesSolver() {
						return errors.New(r.Message) // ends the run
					}
					return nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Ending != tt.ending || rec.Ending != tt.process || len(r.Answers) != tt.answers {
				t.Errorf("dialogue %s, process %s, %d answers (%s); want %s, %s, %d", r.Ending, rec.Ending,
					len(r.Answers), r.Message, tt.ending, tt.process, tt.answers)
			}
			for _, at := range r.Times {
				if at.Wall <= 0 || at.Wall > rec.WallTimeS.Duration() || at.CPU < 0 ||
					at.CPU > rec.CPUTimeS.Duration()+10*time.Millisecond {
					t.Errorf("an answer at %v wall, %v CPU of a run of %v and %v", at.Wall, at.CPU,
						rec.WallTimeS.Duration(),
						rec.CPUTimeS.Duration())
				}
			}
			if strings.HasPrefix(tt.name, "works") && len(r.Times) == 2 &&
				r.Times[1].CPU-r.Times[0].CPU < 5*time.Millisecond {
				t.Errorf("CPU times %v and %v of two answers with work between", r.Times[0].CPU, r.Times[1].CPU)
			}
		})
	}
}
