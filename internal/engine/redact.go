package engine

import "github.com/smtpipe/smtpipe/internal/stages"

// redactedError is an error whose message lacks what nobody is to read. What it wraps can be asked for as before.
type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.cause }

// redacted takes sensitive values out of the message of an error of a stage.
func (e *Engine) redacted(err error) error {
	if err == nil || e.opt.Redact == nil {
		return err
	}
	if text := e.opt.Redact(err.Error()); text != err.Error() {
		return &redactedError{text, err}
	}
	return err
}

// progress returns what an instance reports to, without sensitive values in the messages of failures.
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
