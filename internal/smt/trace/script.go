package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Separator is the line between the expected answers and the script.
const Separator = "--- BENCHMARK BEGINS HERE ---"

// Script is a benchmark with its expected answers. Executions do not modify it, so they may share it concurrently.
type Script struct {
	// Expected holds the expected answers to the first check-sats. There may be more check-sats than answers.
	Expected []comp.Status

	// Body is the script after the separator.
	Body []byte

	lines [][]byte // the lines of Expected, verbatim including line feeds
}

// HeaderError reports an invalid line before the separator.
type HeaderError struct {
	Number int    // line number, from 1
	Line   string // the line as read, including its line feed
}

func (e *HeaderError) Error() string {
	return fmt.Sprintf("line %d of the expected answers is %.60q; it must be sat, unsat, unknown or %q", e.Number,
		e.Line, Separator)
}

// ErrNoSeparator reports a benchmark without the separator line, such as one that was not scrambled for this track.
var ErrNoSeparator = errors.New("there is no line " + Separator +
	"; scramble the benchmark for the incremental track first")

// Parse reads a benchmark with its expected answers: lines with sat, unsat or unknown, then Separator, then an SMT-LIB
// script. White space around the words is ignored. Parse reads all of r but does not check the script; see
// Script.Check.
func Parse(r io.Reader) (*Script, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read a benchmark with expected answers: %w", err)
	}
	s := &Script{}
	at, number := 0, 0
	for line := range bytes.Lines(text) {
		at += len(line)
		number++
		word := string(trim(line))
		if word == Separator {
			s.Body = text[at:]
			return s, nil
		}
		status, err := comp.ParseStatus(word)
		if err != nil {
			return nil, &HeaderError{Number: number, Line: string(line)}
		}
		s.Expected = append(s.Expected, status)
		s.lines = append(s.lines, line)
	}
	return nil, ErrNoSeparator
}

// expected returns the number of check-sats to execute: one per expected answer, or only those before the first
// expected unknown.
func (s *Script) expected(continueAfterUnknown bool) int {
	if !continueAfterUnknown {
		for i, status := range s.Expected {
			if status == comp.StatusUnknown {
				return i
			}
		}
	}
	return len(s.Expected)
}

// space is the white space of the C locale.
const space = " \t\n\v\f\r"

func trim(line []byte) []byte { return bytes.Trim(line, space) }

func trimLeft(line []byte) []byte { return bytes.TrimLeft(line, space) }
