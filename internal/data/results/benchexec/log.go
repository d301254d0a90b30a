package benchexec

import (
	"bytes"
	"errors"
	"strings"
)

// Log is what a run wrote, standard output and standard error in one stream.
type Log struct {
	Command   string // that was executed
	Output    []byte // without the additions of BenchExec and the organisers' wall time killer
	Truncated bool   // BenchExec removed the middle
	Killer    bool   // the organisers' wall time killer was between BenchExec and the solver
	TimedOut  bool   // the killer says that it ended the solver at its limit
}

// separator comes between the command and its output.
var separator = []byte("\n\n\n" + strings.Repeat("-", 80) + "\n\n\n")

// cut is what BenchExec writes instead of the part that it removes from a log that is too long (--maxLogfileSize, 20
// MB).
var cut = []byte("\n\n\nWARNING: YOUR LOGFILE WAS TOO LONG, SOME LINES IN THE MIDDLE WERE REMOVED.\n\n\n\n")

// mark replaces the removed part, as in too long outputs of our own runs.
const mark = "\n[BenchExec: output removed]\n"

// killer is the program of the organisers that ends a solver at the wall time limit. It prints the solver's lines when
// the solver has ended, each followed by an empty line, and then TIMEOUT if it ended the solver.
const killer = "walltime_killer.py"

// maxCommand bounds how far a log is searched for the end of its command.
const maxCommand = 1 << 20

// ParseLog reads a log. An empty log belongs to a run that wrote nothing. A log without BenchExec's header is an error.
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

// usesKiller reports whether the program of a command, or the script of an interpreter, is the killer.
func usesKiller(command string) bool {
	words := strings.Fields(command)
	for _, w := range words[:min(len(words), 2)] {
		if w == killer || strings.HasSuffix(w, "/"+killer) {
			return true
		}
	}
	return false
}

// single removes the empty line after each line. Lines without one, such as those that the killer's interpreter writes,
// stay.
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

// cutTimeout removes the killer's last word.
func cutTimeout(output []byte) (rest []byte, timedOut bool) {
	rest, timedOut = bytes.CutSuffix(bytes.TrimRight(output, "\n"), []byte("TIMEOUT"))
	if !timedOut || (len(rest) > 0 && rest[len(rest)-1] != '\n') {
		return output, false
	}
	return rest, true
}
