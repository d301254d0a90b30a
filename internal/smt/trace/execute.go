package trace

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Clock returns the wall time and the CPU time of the run that an execution talks to, both since its start. It is
// called at every answer.
type Clock interface {
	WallTime() time.Duration
	CPUTime() time.Duration // of the whole process tree
}

// Options change an execution. The zero Options stop at the first expected unknown.
type Options struct {
	// ContinueAfterUnknown continues after a check-sat whose expected answer is unknown; any answer to it is correct.
	// The competition has done so since 2019. The solver's own answer unknown never ends the dialogue.
	ContinueAfterUnknown bool

	// Literal keeps the oddities of the official executor: string literals are not recognised when the script is split
	// into commands, and an answer followed by white space, such as a carriage return, is wrong.
	Literal bool

	// Log receives the output of the official executor: a line for each answer, as it comes, and a message about the
	// end.
	Log io.Writer

	// MaxLine is the longest response in bytes; a longer one is a bad response. Zero is 1 MiB.
	MaxLine int
}

const defaultMaxLine = 1 << 20

// Commands of the executor itself.
const (
	printSuccess = "(set-option :print-success true)\n"
	exit         = "(exit)\n"
)

// Execute conducts the dialogue between a script and a solver that reads in and writes out.
//
// It first turns on :print-success, then sends the commands of the script one by one, each after the response to the
// one before, until every expected check-sat is answered, and ends with (exit). Responses are lines; blank lines are
// skipped. It stops at the first wrong answer, at a response that is not success or, for a check-sat, sat, unsat or
// unknown, and at the end of the solver's output.
//
// Cancelling ctx ends it immediately if in and out are Closers, which it then closes; otherwise as soon as a read or
// write returns. Execute does not close them in other cases, and does not wait for the process: the caller closes in,
// reads the rest of out, waits, and ends the process at its limits.
func Execute(ctx context.Context, script *Script, in io.Writer, out io.Reader, clock Clock, opt Options) Result {
	if opt.MaxLine == 0 {
		opt.MaxLine = defaultMaxLine
	}
	d := &dialogue{ctx: ctx, in: in, out: bufio.NewReaderSize(out, 4096), clock: clock, opt: opt}
	stop := context.AfterFunc(ctx, func() {
		closeIfCan(in)
		closeIfCan(out)
	})
	defer stop()
	d.result.Ending = Finished
	d.result.Checks = script.expected(opt.ContinueAfterUnknown)
	d.hold(script)
	return d.result
}

func closeIfCan(stream any) {
	if c, ok := stream.(io.Closer); ok {
		_ = c.Close() // it only serves to end a pending read or write
	}
}

// dialogue is the state of an execution.
type dialogue struct {
	ctx    context.Context
	in     io.Writer
	out    *bufio.Reader
	clock  Clock
	opt    Options
	send   []byte // the command with its line feed
	line   []byte // the last response
	result Result
}

// complaint holds the official executor's messages about a kind of response: for a wrong one, and for none.
type complaint struct{ bad, none string }

var (
	aboutOption  = complaint{"BAD response to set-option command: ", "BAD response to set-option command: "}
	aboutCommand = complaint{"BAD response to status command: ", "BAD response: "}
	aboutCheck   = complaint{"BAD response to check command: ", "BAD response: "}
)

// hold conducts the dialogue.
func (d *dialogue) hold(script *Script) {
	d.write([]byte(printSuccess))
	if !d.succeeded(aboutOption) {
		return
	}
	split := splitter{text: script.Body, literal: d.opt.Literal}
	for i := 0; i < d.result.Checks; {
		cmd, ok := split.next()
		if !ok {
			d.end(BadBenchmark, "BAD benchmark: unexpected EOF", nil)
			return
		}
		if cmd.isExit() {
			break
		}
		d.sendCommand(cmd.text)
		if !cmd.checkSat {
			if !d.succeeded(aboutCommand) {
				return
			}
			continue
		}
		if !d.check(script, i) {
			return
		}
		i++
	}
	d.write([]byte(exit))
}

// sendCommand sends a command of the script.
func (d *dialogue) sendCommand(text []byte) {
	if early, err := d.out.Peek(d.out.Buffered()); err == nil && len(trim(early)) > 0 {
		d.result.Early++
	}
	d.result.Commands++
	d.send = append(append(d.send[:0], text...), '\n')
	d.write(d.send)
}

// write sends bytes to the solver. An error is left to the next read, since a solver that has ended may have printed
// why.
func (d *dialogue) write(b []byte) { _, _ = d.in.Write(b) }

// check reads the answer to check-sat number i and compares it. It returns false when the dialogue has ended.
func (d *dialogue) check(script *Script, i int) bool {
	if err := d.read(); err != nil {
		d.noResponse(aboutCheck, err)
		return false
	}
	word := string(trim(d.line))
	if _, err := comp.ParseStatus(word); err != nil {
		d.end(BadResponse, aboutCheck.bad, d.line)
		return false
	}
	answer, expected := comp.Answer(word), script.Expected[i]
	d.result.Answers = append(d.result.Answers, answer)
	d.result.Times = append(d.result.Times, Stamp{
		Wall: d.clock.WallTime().Truncate(time.Microsecond),
		CPU:  d.clock.CPUTime().Truncate(time.Microsecond),
	})
	wrong := answer.Contradicts(expected)
	if d.opt.Literal && answer.Decides() && expected.Known() {
		wrong = string(trimLeft(d.line)) != string(script.lines[i])
	}
	if wrong {
		d.result.Wrong = 1
		d.end(WrongAnswer, fmt.Sprintf("WRONG solver response: got %s, expected %s", answer, expected), nil)
		return false
	}
	if d.opt.Log != nil {
		fmt.Fprintf(d.opt.Log, "%s\n", answer)
	}
	return true
}

// succeeded reads a response and reports whether it is success; if not, the dialogue has ended.
func (d *dialogue) succeeded(about complaint) bool {
	if err := d.read(); err != nil {
		d.noResponse(about, err)
		return false
	}
	if string(trim(d.line)) != "success" {
		d.end(BadResponse, about.bad, d.line)
		return false
	}
	return true
}

// errLongLine is the error of a response that is longer than MaxLine.
var errLongLine = errors.New("the response is too long")

// read reads the next line that is not blank into d.line, including the line feed. The end of the output is an error,
// in the middle of a line as well as before one.
func (d *dialogue) read() error {
	for {
		d.line = d.line[:0]
		for {
			part, err := d.out.ReadSlice('\n')
			d.line = append(d.line, part...)
			if err == nil {
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return err
			}
			if len(d.line) > d.opt.MaxLine {
				return errLongLine
			}
		}
		if len(trimLeft(d.line)) > 0 {
			return nil
		}
		if err := d.ctx.Err(); err != nil { // nothing else stops a flood of blank lines
			return err
		}
	}
}

// noResponse records that a response did not come.
func (d *dialogue) noResponse(about complaint, err error) {
	switch {
	case d.ctx.Err() != nil:
		d.end(Interrupted, "the execution was interrupted", nil)
	case errors.Is(err, errLongLine):
		d.end(BadResponse, about.bad, append(d.line[:min(len(d.line), maxMessage)], "..."...))
	default:
		d.end(SolverEnded, about.none+"unexpected EOF", nil)
	}
}

// maxMessage bounds the length of Result.Message.
const maxMessage = 300

// end records the end of the dialogue and prints the message of the official executor, which quotes the response with
// its line feed.
func (d *dialogue) end(ending Ending, message string, response []byte) {
	d.result.Ending = ending
	if response != nil {
		message += "'" + string(response) + "'"
	}
	d.result.Message = message[:min(len(message), maxMessage)]
	if d.opt.Log != nil && ending != Interrupted {
		fmt.Fprintf(d.opt.Log, "%s\n", message)
	}
}
