package comp

import "fmt"

// Status is what a benchmark declares with (set-info :status S).
type Status string

// The statuses of SMT-LIB.
const (
	StatusSat     = Status(AnswerSat)
	StatusUnsat   = Status(AnswerUnsat)
	StatusUnknown = Status(AnswerUnknown)
)

// ParseStatus parses sat, unsat or unknown.
func ParseStatus(s string) (Status, error) {
	if a := ReadAnswer(s); a != AnswerNone {
		return Status(a), nil
	}
	return "", fmt.Errorf("unknown status %q; it must be sat, unsat or unknown", s)
}

// Known reports whether the status is sat or unsat.
func (s Status) Known() bool { return s == StatusSat || s == StatusUnsat }

// Answer is a solver's answer to a check-sat. The empty Answer means that the solver printed none.
type Answer string

// The answers of a solver.
const (
	AnswerNone    Answer = ""
	AnswerSat     Answer = "sat"
	AnswerUnsat   Answer = "unsat"
	AnswerUnknown Answer = "unknown"
)

// Answers are all answers that a solver can print. Any two different deciding answers contradict each other.
var Answers = []Answer{AnswerSat, AnswerUnsat, AnswerUnknown}

// ReadAnswer returns the answer that a word denotes, or none.
func ReadAnswer[S ~string | ~[]byte](word S) Answer {
	for _, a := range Answers {
		if string(word) == string(a) {
			return a
		}
	}
	return AnswerNone
}

// Opposite returns the answer that contradicts a sat or unsat answer.
func (a Answer) Opposite() Answer {
	switch a {
	case AnswerSat:
		return AnswerUnsat
	case AnswerUnsat:
		return AnswerSat
	}
	return AnswerNone
}

// Decides reports whether the answer is sat or unsat.
func (a Answer) Decides() bool { return a == AnswerSat || a == AnswerUnsat }

// Contradicts reports whether the answer is the opposite of a known status.
func (a Answer) Contradicts(s Status) bool { return s.Known() && a.Opposite() == Answer(s) }

// Ending describes how a run's process stopped, independently of the solver's answer.
type Ending string

// The endings.
const (
	Exited      Ending = "exited"       // exited normally, with an exit code
	Signalled   Ending = "signalled"    // ended by a signal that smtpipe did not send
	WallTimeout Ending = "wall_timeout" // stopped at the wall time limit
	CPUTimeout  Ending = "cpu_timeout"  // stopped at the CPU time limit
	OutOfMemory Ending = "out_of_memory"
	OutputLimit Ending = "output_limit"
	PidsLimit   Ending = "pids_limit"  // stopped because it could not create a process or thread
	FilesLimit  Ending = "files_limit" // filled its scratch space
	Killed      Ending = "killed"      // killed by the operator; never stored as a result
)

// Known reports whether e is one of the endings.
func (e Ending) Known() bool {
	switch e {
	case Exited, Signalled, WallTimeout, CPUTimeout, OutOfMemory, OutputLimit, PidsLimit, FilesLimit, Killed:
		return true
	}
	return false
}

// TimedOut reports whether a time limit ended the run.
func (e Ending) TimedOut() bool { return e == WallTimeout || e == CPUTimeout }

// Verdict is the judgement of an answer, based on status and validation.
type Verdict string

// The verdicts. Disregarded applies to runs on benchmarks that the rules remove from the results.
const (
	Correct     Verdict = "correct"
	Wrong       Verdict = "wrong"
	Unknown     Verdict = "unknown"
	Disregarded Verdict = "disregarded"
)
