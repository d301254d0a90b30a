package main

import (
	"io"

	"github.com/smtpipe/smtpipe/internal/base/words"
)

// inert writes texts that cannot command the terminal. Solvers and strangers' files choose much of what commands print.
type inert struct{ io.Writer }

func (w inert) Write(p []byte) (int, error) {
	_, err := io.WriteString(w.Writer, words.Inert(string(p)))
	return len(p), err
}
