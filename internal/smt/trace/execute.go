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

// Clock returns the wall time and CPU time since the start of the solver's run. It is called for each answer.
type Clock interface {
	WallTime() time.Duration
	CPUTime() time.Duration // total of the process tree
}

// Options configures an execution. With the zero Options, the dialogue ends before the first check-sat whose expected
// answer is unknown.
type Options struct {
	// ContinueAfterUnknown continues the dialogue at a check-sat whose expected answer is unknown and accepts any
	// answer to it. The competition has done so since 2019. The solver's own answer unknown never ends the dialogue.
	ContinueAfterUnknown bool

	// Literal reproduces quirks of the official executor: it does not recognise string literals when splitting the
	// script into commands, and treats an answer followed by white space, such as a carriage return, as wrong.
	Literal bool

	// Log receives the official executor's output: a line for each answer as it arrives, and a message at the end.
	Log io.Writer

	// MaxLine is the maximum length of a response in bytes. A longer one is a bad response. Zero means 1 MiB.
	MaxLine int
}

const defaultMaxLine = 1 << 20

// Commands that the executor itself sends.
const (
	printSuccess = "(set-option :print-success true)\n"
	exit         = "(exit)\n"
)

// Execute conducts the dialogue between a script and a solver that reads in and writes out.
//
// It first enables :print-success, then sends each command after the response to the previous one until every expected
// check-sat has an answer, and finally sends (exit). Responses are lines; blank lines are skipped. The dialogue stops
// at the first wrong answer, at an invalid response, and at the end of the solver's output. A valid response is success
// or, for a check-sat, sat, unsat or unknown.
//
// If ctx is cancelled, Execute closes in and out if they are Closers, which ends the dialogue immediately. Otherwise
// the dialogue ends when the pending read or write returns. Execute never closes them in other cases and does not wait
// for the process: the caller closes in, reads the rest of out, waits, and kills the process when it reaches a limit.
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
		_ = c.Close() // ends a pending read or write
	}
}

// dialogue holds the state of an execution.
type dialogue struct {
	ctx    context.Context
	in     io.Writer
	out    *bufio.Reader
	clock  Clock
	opt    Options
	send   []byte // the command and a line feed
	line   []byte // the last response
	result Result
}

// complaint holds the official executor's messages for a kind of response: one for a wrong response, one for a missing
// one.
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

// sendCommand sends one of the script's commands.
func (d *dialogue) sendCommand(text []byte) {
	if early, err := d.out.Peek(d.out.Buffered()); err == nil && len(trim(early)) > 0 {
		d.result.Early++
	}
	d.result.Commands++
	d.send = append(append(d.send[:0], text...), '\n')
	d.write(d.send)
}

// write sends bytes to the solver. It ignores errors, because a solver that has ended may still have printed the
// reason, and the next read reports the end.
func (d *dialogue) write(b []byte) { _, _ = d.in.Write(b) }

// check reads the answer to check-sat number i and compares it with the expected answer. It returns false if the
// dialogue has ended.
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

// succeeded reads a response and reports whether it is success. Otherwise it ends the dialogue.
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

// errLongLine reports a response that is longer than MaxLine.
var errLongLine = errors.New("the response is too long")

// read reads the next nonblank line, including its line feed, into d.line. It returns an error at the end of the
// output, even in the middle of a line.
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
		if err := d.ctx.Err(); err != nil { // blank lines could otherwise continue forever
			return err
		}
	}
}

// noResponse ends the dialogue after a read failed.
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

// maxMessage is the maximum length of Result.Message.
const maxMessage = 300

// end records how the dialogue ended, and logs the official executor's message, which quotes the response with its line
// feed.
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
