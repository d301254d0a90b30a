package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/trace"
)

// Talk is the online protocol of the incremental track in one run.
type Talk struct {
	script *trace.Script
	goOn   bool
	result trace.Result
}

// NewTalk reads a script of the incremental track. With goOn the dialogue goes on after the answer unknown.
func NewTalk(script []byte, goOn bool) (*Talk, error) {
	parsed, err := trace.Parse(bytes.NewReader(script))
	if err != nil {
		return nil, err
	}
	return &Talk{script: parsed, goOn: goOn}, nil
}

// errTurnedAway ends a run whose solver gave a wrong answer or none where one was due.
var errTurnedAway = errors.New("the dialogue has ended")

// Interact is for runner.Command.Interact.
func (t *Talk) Interact(ctx context.Context, p *runner.Peer) error {
	t.result = trace.Execute(ctx, t.script, p.In, p.Out, p.Clock, trace.Options{ContinueAfterUnknown: t.goOn})
	if t.result.Ending.LeavesSolver() {
		return errTurnedAway
	}
	return nil
}

// Ended tells whether the dialogue itself ended the run, so that the run was not interrupted. A nil Talk did not.
func (t *Talk) Ended() bool { return t != nil && t.result.Ending.LeavesSolver() }

// JSON is the record of the dialogue.
func (t *Talk) JSON() (json.RawMessage, error) { return json.Marshal(&t.result) }
