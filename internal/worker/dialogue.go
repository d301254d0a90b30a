package worker

import (
	"bytes"
	"context"
	"errors"

	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/trace"
)

// dialogue is the online protocol of the incremental track in one run.
type dialogue struct {
	script *trace.Script
	goOn   bool
	result trace.Result
}

// newDialogue reads a script of the incremental track.
func newDialogue(script []byte, goOn bool) (*dialogue, error) {
	parsed, err := trace.Parse(bytes.NewReader(script))
	if err != nil {
		return nil, err
	}
	return &dialogue{script: parsed, goOn: goOn}, nil
}

// errTurnedAway ends a run whose solver gave a wrong answer or none where one was due.
var errTurnedAway = errors.New("the dialogue has ended")

// interact is for runner.Command.Interact.
func (d *dialogue) interact(ctx context.Context, p *runner.Peer) error {
	d.result = trace.Execute(ctx, d.script, p.In, p.Out, p.Clock, trace.Options{ContinueAfterUnknown: d.goOn})
	if d.result.Ending.LeavesSolver() {
		return errTurnedAway
	}
	return nil
}

// ended tells whether the dialogue itself ended the run, so that the run was not interrupted.
func (d *dialogue) ended() bool { return d != nil && d.result.Ending.LeavesSolver() }
