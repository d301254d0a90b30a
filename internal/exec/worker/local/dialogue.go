package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/smt/trace"
)

// dialogue runs the online protocol of the incremental track with one command.
type dialogue struct {
	script  *trace.Script
	options trace.Options
	result  trace.Result
}

// newDialogue parses a script of the incremental track.
func newDialogue(script []byte, continueAfterUnknown bool) (*dialogue, error) {
	parsed, err := trace.Parse(bytes.NewReader(script))
	if err != nil {
		return nil, err
	}
	return &dialogue{script: parsed, options: trace.Options{ContinueAfterUnknown: continueAfterUnknown}}, nil
}

// errLeftSolver ends a run if the solver gave a wrong answer, or no answer when one was due.
var errLeftSolver = errors.New("the dialogue has ended")

// interact implements runner.Command.Interact.
func (d *dialogue) interact(ctx context.Context, p *runner.Peer) error {
	d.result = trace.Execute(ctx, d.script, p.In, p.Out, p.Clock, d.options)
	if d.result.Ending.LeavesSolver() {
		return errLeftSolver
	}
	return nil
}

// leftSolver reports whether the dialogue itself ended the run, rather than an interruption. It returns false for a nil
// dialogue.
func (d *dialogue) leftSolver() bool { return d != nil && d.result.Ending.LeavesSolver() }

// json returns the dialogue's result.
func (d *dialogue) json() (json.RawMessage, error) { return json.Marshal(&d.result) }
