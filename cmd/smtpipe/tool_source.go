package main

import (
	"io"

	"github.com/smtpipe/smtpipe/cmd/smtpipe/scrambling"
)

// readSource reads a whole file; "-" is standard input.
func readSource(stdin io.Reader, file string) ([]byte, error) {
	return scrambling.ReadSource(stdin, file)
}
