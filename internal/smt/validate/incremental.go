package validate

import (
	"bytes"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TraceOutput is the parsed output of a trace executor: answers, one per line, possibly followed by a message.
type TraceOutput struct {
	Wrong   bool // an answer was wrong, which voids the correct answers
	Correct int  // number of sat and unsat answers, or 0 after a wrong one

	// CPU and Wall are the time stamp of the last line that ends in sat or unsat, verbatim and in seconds. They are the
	// time of the last answer; in a wrong run, the line may be the message. Answered is false if there is no such line.
	CPU, Wall string
	Answered  bool
}

// ParseTrace parses the trace executor's output, including stamps, like the official post-processor.
//
// A line counts if it ends in the whole word sat or unsat. Without a stamp, the whole line is used as both times, as in
// the post-processor.
func ParseTrace(out []byte) TraceOutput {
	var t TraceOutput
	var last []byte
	for line := range lines(out) {
		t.Wrong = t.Wrong || hasWords(line, "WRONG solver response: got")
		if endsInWord(line, string(comp.AnswerSat)) || endsInWord(line, string(comp.AnswerUnsat)) {
			t.Correct++
		}
		if bytes.HasSuffix(line, []byte(comp.AnswerSat)) {
			last = line
		}
	}
	if t.Wrong {
		t.Correct = 0
	}
	if last != nil {
		t.Answered = true
		times, _, _ := bytes.Cut(last, []byte("\t"))
		cpu, wall, found := bytes.Cut(times, []byte("/"))
		if !found {
			cpu, wall = times, times
		}
		t.CPU, t.Wall = string(cpu), string(wall)
	}
	return t
}

// LastAnswer returns the time of the last answer in a trace executor's output, in seconds since the start of the run.
// The time is in a StarExec stamp (CPU and wall time before the line) or in a last line "time SECONDS", which one
// version of the executor prints. The organisers use the latter for both times. ok is false if the output contains
// neither.
func (t TraceOutput) LastAnswer(out []byte) (wall, cpu float64, ok bool) {
	wall, errWall := strconv.ParseFloat(t.Wall, 64)
	cpu, errCPU := strconv.ParseFloat(t.CPU, 64)
	if t.Answered && errWall == nil && errCPU == nil && wall >= 0 && cpu >= 0 {
		return wall, cpu, true
	}
	for line := range lines(out) {
		text, found := bytes.CutPrefix(line, []byte("time "))
		if seconds, err := strconv.ParseFloat(string(text), 64); found && err == nil && seconds >= 0 {
			wall, cpu, ok = seconds, seconds, true
		}
	}
	return wall, cpu, ok
}

// endsInWord reports whether the line ends in word as a whole word.
func endsInWord(line []byte, word string) bool {
	if !bytes.HasSuffix(line, []byte(word)) {
		return false
	}
	before := len(line) - len(word)
	return before == 0 || !isWordByte(line[before-1])
}

// hasWords reports whether the line contains text between word boundaries.
func hasWords(line []byte, text string) bool {
	for from := 0; ; {
		i := bytes.Index(line[from:], []byte(text))
		if i < 0 {
			return false
		}
		start := from + i
		end := start + len(text)
		if (start == 0 || !isWordByte(line[start-1])) && (end == len(line) || !isWordByte(line[end])) {
			return true
		}
		from = start + 1
	}
}

// isWordByte reports whether c is a word character: a letter, a digit or an underscore.
func isWordByte(c byte) bool {
	return c == '_' || isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
}

// lastTraceAnswer returns the last answer in a trace executor's output.
func lastTraceAnswer(out []byte) Decision {
	var d Decision
	for line := range lines(out) {
		line, _, _ = unstamp(line)
		if a := comp.ReadAnswer(trim(line)); a != comp.AnswerNone {
			d = Decision{Answer: a, Line: trim(line)}
		} else if d.Line == nil && len(trim(line)) > 0 {
			d = Decision{Line: trim(line)}
		}
	}
	return d
}
