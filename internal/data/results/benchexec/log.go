package benchexec

import (
	"bytes"
	"errors"
	"strings"
)

// Log is a run's output: standard output and standard error in one stream.
type Log struct {
	Command   string // the executed command
	Output    []byte // output without the lines that BenchExec and the organisers' wall time killer added
	Truncated bool   // BenchExec removed the output's middle part
	Killer    bool   // the organisers' wall time killer started the solver
	TimedOut  bool   // the killer reports that it ended the solver at the limit
}

// separator separates the command from its output.
var separator = []byte("\n\n\n" + strings.Repeat("-", 80) + "\n\n\n")

// cut replaces the part that BenchExec removes from a log above the size limit (--maxLogfileSize, 20 MB).
var cut = []byte("\n\n\nWARNING: YOUR LOGFILE WAS TOO LONG, SOME LINES IN THE MIDDLE WERE REMOVED.\n\n\n\n")

// mark replaces the removed part, as in smtpipe's own truncated outputs.
const mark = "\n[BenchExec: output removed]\n"

// killer is the organisers' program that ends a solver at the wall time limit. After the solver has ended, it prints
// the solver's lines, each followed by an empty line, and then TIMEOUT if it ended the solver.
const killer = "walltime_killer.py"

// maxCommand limits how far ParseLog searches for the end of the command.
const maxCommand = 1 << 20

// ParseLog parses a log. An empty log is valid: the run wrote nothing. A log without BenchExec's header is an error.
func ParseLog(text []byte) (Log, error) {
	if len(text) == 0 {
		return Log{}, nil
	}
	at := bytes.Index(text[:min(len(text), maxCommand)], separator)
	if at < 0 {
		return Log{}, errors.New("the log does not begin with the command and BenchExec's line of dashes")
	}
	log := Log{Command: string(text[:at])}
	head, tail, truncated := bytes.Cut(text[at+len(separator):], cut)
	log.Killer, log.Truncated = usesKiller(log.Command), truncated
	if log.Killer {
		head, tail = single(head), single(tail)
	}
	log.Output = head
	if truncated {
		log.Output = bytes.Join([][]byte{head, tail}, []byte(mark))
	}
	if log.Killer {
		log.Output, log.TimedOut = cutTimeout(log.Output)
	}
	return log, nil
}

// usesKiller reports whether a command executes the killer, either directly or as the script of an interpreter.
func usesKiller(command string) bool {
	words := strings.Fields(command)
	for _, w := range words[:min(len(words), 2)] {
		if w == killer || strings.HasSuffix(w, "/"+killer) {
			return true
		}
	}
	return false
}

// single removes the empty line after each line. It keeps lines that are not followed by an empty line, such as lines
// from the killer's interpreter.
func single(text []byte) []byte {
	out := make([]byte, 0, len(text)/2+1)
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n') + 1
		if end == 0 {
			end = len(text)
		}
		out = append(out, text[:end]...)
		if text = text[end:]; len(text) > 0 && text[0] == '\n' {
			text = text[1:]
		}
	}
	return out
}

// cutTimeout removes the killer's final TIMEOUT.
func cutTimeout(output []byte) (rest []byte, timedOut bool) {
	rest, timedOut = bytes.CutSuffix(bytes.TrimRight(output, "\n"), []byte("TIMEOUT"))
	if !timedOut || (len(rest) > 0 && rest[len(rest)-1] != '\n') {
		return output, false
	}
	return rest, true
}
