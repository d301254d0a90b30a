package benchexec

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Outcome describes how a run's process stopped.
type Outcome struct {
	Ending   comp.Ending
	ExitCode int  // -1 if the process did not exit
	Signal   int  // 0 if there was none
	CodeLost bool // the real exit code is unknown, and ExitCode is 0
	Late     bool // the process ended on its own after exceeding a limit
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

// Outcome determines from the measurements how a run stopped. The tool module's result counts only if there are no
// measurements, because for the same exit code, a module may report TIMEOUT, unknown or ERROR.
//
// log is nil if there is no log. The organisers' wall time killer exits with its child's raw status, truncated to 8
// bits: a signal survives, but an exit code is lost.
func (r *Run) Outcome(h *Header, log *Log) (Outcome, error) {
	switch {
	case r.Termination == "failed":
		return Outcome{Ending: comp.Exited, ExitCode: -1, Problem: "BenchExec could not start the command"}, nil
	case r.Termination != "":
		ending, ok := reasons[r.Termination]
		if !ok {
			return Outcome{}, fmt.Errorf("column terminationreason is %q, which is not a BenchExec reason that "+
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

// Within returns the run's outcome under wall and CPU time limits; 0 means no limit. A run above a limit timed out even
// if it ended on its own, because BenchExec enforces a limit up to a second late and records no reason for a run that
// ends before that. The organisers' killer enforces the wall time limit from the solver's start, whereas the
// measurement includes the killer's own start.
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

// said derives the outcome from the status, the only information in some tools' files.
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
