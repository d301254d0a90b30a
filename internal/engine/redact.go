package engine

import "github.com/smtpipe/smtpipe/internal/stages"

// redactedError is an error whose message contains no secrets. It unwraps to the original error.
type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.cause }

// redacted removes secrets from the message of a stage's error.
func (e *Engine) redacted(err error) error {
	if err == nil || e.opt.Redact == nil {
		return err
	}
	if text := e.opt.Redact(err.Error()); text != err.Error() {
		return &redactedError{text, err}
	}
	return err
}

// progress returns an instance's progress, which removes secrets from failure messages.
func (e *Engine) progress(addr string) stages.Progress {
	p := progress{addr, e.opt.Observer}
	if e.opt.Redact == nil {
		return p
	}
	return redactedProgress{p, e.opt.Redact}
}

type redactedProgress struct {
	progress
	redact func(string) string
}

func (p redactedProgress) Fail(item, cause, detail string) {
	p.progress.Fail(p.redact(item), p.redact(cause), p.redact(detail))
}
