package benchexec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Outcome describes how the process of a run stopped.
type Outcome struct {
	Ending   comp.Ending
	ExitCode int  // -1 unless exited
	Signal   int  // 0: none
	CodeLost bool // the exit code was lost on the way and is 0 here
	Late     bool // it ended on its own, but above a limit
	Problem  string
}

// reasons maps BenchExec's termination reasons to endings.
var reasons = map[string]comp.Ending{
	"walltime":     comp.WallTimeout,
	"cputime":      comp.CPUTimeout,
	"cputime-soft": comp.CPUTimeout,
	"memory":       comp.OutOfMemory,
	"files-count":  comp.FilesLimit,
	"files-size":   comp.FilesLimit,
}

// Outcome derives from the measurements how a run stopped. The tool module's result counts only if there are no
// measurements: for the same exit code, a module calls the organisers' runs TIMEOUT, unknown or ERROR.
//
// log is nil if there is no log. The organisers' wall time killer returns the raw status of its child as its own exit
// code, cut to 8 bits: a signal survives, an exit code is lost.
func (r *Run) Outcome(h *Header, log *Log) (Outcome, error) {
	switch {
	case r.Termination == "failed":
		return Outcome{Ending: comp.Exited, ExitCode: -1, Problem: "BenchExec could not start the command"}, nil
	case r.Termination != "":
		ending, ok := reasons[r.Termination]
		if !ok {
			return Outcome{}, fmt.Errorf("the column terminationreason is %q, which is not a reason of BenchExec that "+
				"smtpipe knows", r.Termination)
		}
		return Outcome{Ending: ending, ExitCode: -1}, nil
	case r.Signal > 0:
		return signalled(r.Signal), nil
	case log != nil && log.Killer && r.ExitCode >= 0:
		return r.killed(log), nil
	case r.ExitCode >= 0:
		return Outcome{Ending: comp.Exited, ExitCode: r.ExitCode}, nil
	}
	return r.said(h)
}

// Within returns the outcome of the run under wall and CPU time limits; 0 means no limit. A run above a limit timed out
// even if it ended on its own: BenchExec notices a limit up to a second late, and states no reason for a run that ended
// before that. The organisers' killer enforces the wall time limit without the time of its own start, which the
// measurement includes.
func (o Outcome) Within(wallS, cpuS float64, r *Run, log *Log) Outcome {
	if o.Problem != "" || o.Ending != comp.Exited && o.Ending != comp.Signalled {
		return o
	}
	late := Outcome{ExitCode: o.ExitCode, Signal: o.Signal, Late: o.Ending == comp.Exited}
	switch {
	case wallS > 0 && float64(r.WallTimeS) > wallS && (log == nil || !log.Killer):
		late.Ending = comp.WallTimeout
	case cpuS > 0 && float64(r.CPUTimeS) > cpuS:
		late.Ending = comp.CPUTimeout
	default:
		return o
	}
	return late
}

func signalled(signal int) Outcome {
	return Outcome{Ending: comp.Signalled, ExitCode: -1, Signal: signal}
}

// killed interprets the wall time killer's exit code: 9 with the word TIMEOUT, or the solver's raw status.
func (r *Run) killed(log *Log) Outcome {
	const sigkill, coreDumped = 9, 0x80
	signal := r.ExitCode &^ coreDumped
	switch {
	case log.TimedOut && r.ExitCode == sigkill:
		return Outcome{Ending: comp.WallTimeout, ExitCode: -1}
	case signal > 0:
		return signalled(signal)
	}
	return Outcome{Ending: comp.Exited, CodeLost: true}
}

// signals are BenchExec's names for signals.
var signals = map[string]int{"ABORTED": 6, "SEGMENTATION FAULT": 11, "KILLED": 15}

// said derives the outcome from the status, which is all that some tools' files contain.
func (r *Run) said(h *Header) (Outcome, error) {
	status, rest, _ := strings.Cut(r.Status, " (")
	number := func(text string) (int, bool) {
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= 0
	}
	if word, ok := strings.CutPrefix(status, "KILLED BY SIGNAL "); ok {
		if n, ok := number(word); ok && n > 0 {
			return signalled(n), nil
		}
	}
	switch {
	case status == "TIMEOUT" && h.CPULimitS > 0 && float64(r.CPUTimeS) > h.CPULimitS:
		return Outcome{Ending: comp.CPUTimeout, ExitCode: -1}, nil
	case status == "TIMEOUT":
		return Outcome{Ending: comp.WallTimeout, ExitCode: -1}, nil
	case strings.HasPrefix(status, "OUT OF") && strings.HasSuffix(status, "MEMORY"):
		return Outcome{Ending: comp.OutOfMemory, ExitCode: -1}, nil
	case signals[status] > 0:
		return signalled(signals[status]), nil
	case status == "ERROR":
		if n, ok := number(strings.TrimSuffix(rest, ")")); ok {
			return Outcome{Ending: comp.Exited, ExitCode: n}, nil
		}
		return Outcome{Ending: comp.Exited, ExitCode: 1}, nil
	case r.Answer() != comp.AnswerNone || status == "DONE" || status == "WRONG":
		return Outcome{Ending: comp.Exited}, nil
	}
	return Outcome{}, fmt.Errorf("the run has no column returnvalue, exitsignal or terminationreason, and its status "+
		"%q does not say how it ended", r.Status)
}
