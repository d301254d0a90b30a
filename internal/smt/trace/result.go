package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Ending is how a dialogue ended. The runner reports how the process of the solver ended.
type Ending string

// The endings of a dialogue. Only BadBenchmark and Interrupted are not the solver's doing.
const (
	Finished     Ending = "finished"      // every expected check-sat was answered, or the script said (exit) earlier
	WrongAnswer  Ending = "wrong_answer"  // an answer differs from the expected one
	BadResponse  Ending = "bad_response"  // a response is not what the protocol asks for
	SolverEnded  Ending = "solver_ended"  // the solver closed its output while a response was awaited
	BadBenchmark Ending = "bad_benchmark" // the script ended before the last expected answer
	Interrupted  Ending = "interrupted"   // the context was cancelled
)

// LeavesSolver reports whether the dialogue ended while the solver may still be running. The official executor exits
// then, which ends the run, so the owner of the process should end it instead of waiting for its limits.
func (e Ending) LeavesSolver() bool { return e == WrongAnswer || e == BadResponse || e == BadBenchmark }

// Stamp is a moment of a run: the wall time since its start and the CPU time of its process tree, whole microseconds.
type Stamp struct{ Wall, CPU time.Duration }

// Result is the record of one dialogue. Its JSON form is compact: answers are run-length coded and times are the
// differences of successive stamps in microseconds.
type Result struct {
	Ending Ending

	// Checks is how many check-sats had an expected answer that counts.
	Checks int

	// Commands is how many commands of the script were sent.
	Commands int

	// Answers are the responses to the check-sats in order, the wrong one included, and Times when each was complete.
	Answers []comp.Answer
	Times   []Stamp

	// Wrong is 1 if the last answer is wrong, else 0.
	Wrong int

	// Early counts responses that arrived before their command was sent: such a solver answers without having read.
	Early int

	// Message is what the official executor prints about the end, without its last line feed and cut to 300 bytes;
	// empty if the dialogue finished.
	Message string
}

// Counts are the answers of a dialogue up to some moment.
type Counts struct {
	Correct  int // sat and unsat answers, or 0 if one is wrong (2019 rules, §7.1.3, and later)
	Wrong    int // 0 or 1
	Unknown  int
	Decided  int   // sat and unsat answers, the wrong one included
	Last     Stamp // of the last sat or unsat, which the time scores of 2026 need (rules, §7.1)
	Answered bool  // there is one
}

// Counts counts all answers.
func (r *Result) Counts() Counts { return r.count(len(r.Answers)) }

// Until counts the answers that came within a wall time limit; an answer exactly at the limit counts. Zero means no
// limit.
//
// Source: SMT-COMP 2019, 2022 and 2026 rules, §7.1.3: results that are returned before the limit is reached count.
func (r *Result) Until(wall time.Duration) Counts {
	n := len(r.Answers)
	for wall > 0 && n > 0 && r.Times[n-1].Wall > wall {
		n--
	}
	return r.count(n)
}

// count counts the first n answers.
func (r *Result) count(n int) Counts {
	var c Counts
	if n == len(r.Answers) {
		c.Wrong = r.Wrong
	}
	for i, a := range r.Answers[:n] {
		if !a.Decides() {
			c.Unknown++
			continue
		}
		c.Decided++
		c.Last, c.Answered = r.Times[i], true
	}
	if c.Wrong == 0 {
		c.Correct = c.Decided
	}
	return c
}

// Verdict judges a run of the incremental track by its counts: wrong, correct if all of checks check-sats were answered
// correctly, else unknown. Scores count the single answers; this is for tables with one word per run.
func (c Counts) Verdict(checks int) comp.Verdict {
	switch {
	case c.Wrong > 0:
		return comp.Wrong
	case c.Correct == checks && checks > 0:
		return comp.Correct
	}
	return comp.Unknown
}

// wireResult is the JSON form of a Result.
type wireResult struct {
	Ending   Ending  `json:"ending"`
	Checks   int     `json:"checks"`
	Commands int     `json:"commands"`
	Answers  string  `json:"answers"`
	Correct  int     `json:"correct"`
	Wrong    int     `json:"wrong"`
	Unknown  int     `json:"unknown"`
	Early    int     `json:"early,omitempty"`
	LastWall float64 `json:"last_wall_s"` // -1: no sat or unsat
	LastCPU  float64 `json:"last_cpu_s"`
	WallUS   []int64 `json:"wall_us"` // differences
	CPUUS    []int64 `json:"cpu_us"`
	Message  string  `json:"message,omitempty"`
}

// MarshalJSON writes the record for the runs table. Counts and last times in it are derived.
func (r *Result) MarshalJSON() ([]byte, error) {
	c := r.Counts()
	w := wireResult{
		Ending: r.Ending, Checks: r.Checks, Commands: r.Commands, Answers: EncodeAnswers(r.Answers),
		Correct: c.Correct, Wrong: c.Wrong, Unknown: c.Unknown, Early: r.Early, Message: r.Message,
		LastWall: -1, LastCPU: -1,
		WallUS: make([]int64, len(r.Times)), CPUUS: make([]int64, len(r.Times)),
	}
	if c.Answered {
		w.LastWall, w.LastCPU = c.Last.Wall.Seconds(), c.Last.CPU.Seconds()
	}
	var last Stamp
	for i, t := range r.Times {
		w.WallUS[i], w.CPUUS[i] = (t.Wall - last.Wall).Microseconds(), (t.CPU - last.CPU).Microseconds()
		last = t
	}
	return json.Marshal(w)
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (r *Result) UnmarshalJSON(text []byte) error {
	var w wireResult
	if err := json.Unmarshal(text, &w); err != nil {
		return fmt.Errorf("trace record: %w", err)
	}
	answers, err := DecodeAnswers(w.Answers)
	if err != nil {
		return fmt.Errorf("trace record: %w", err)
	}
	if len(w.WallUS) != len(answers) || len(w.CPUUS) != len(answers) {
		return fmt.Errorf("trace record: %d answers with %d wall times and %d CPU times", len(answers), len(w.WallUS),
			len(w.CPUUS))
	}
	*r = Result{
		Ending: w.Ending, Checks: w.Checks, Commands: w.Commands, Answers: answers,
		Wrong: w.Wrong, Early: w.Early, Message: w.Message,
	}
	var at Stamp
	for i := range answers {
		at.Wall += time.Duration(w.WallUS[i]) * time.Microsecond
		at.CPU += time.Duration(w.CPUUS[i]) * time.Microsecond
		r.Times = append(r.Times, at)
	}
	return nil
}

// EncodeAnswers writes answers run-length coded, such as "sat*3,unsat".
func EncodeAnswers(answers []comp.Answer) string {
	var b strings.Builder
	for i := 0; i < len(answers); {
		n := 1
		for i+n < len(answers) && answers[i+n] == answers[i] {
			n++
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(answers[i]))
		if n > 1 {
			b.WriteString("*" + strconv.Itoa(n))
		}
		i += n
	}
	return b.String()
}

// maxAnswers bounds a decoded list: no benchmark has as many check-sats.
const maxAnswers = 1 << 26

// DecodeAnswers reads what EncodeAnswers writes.
func DecodeAnswers(text string) ([]comp.Answer, error) {
	var answers []comp.Answer
	if text == "" {
		return nil, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		word, times, repeated := strings.Cut(part, "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(times); err != nil || n < 1 || n > maxAnswers-len(answers) {
				return nil, fmt.Errorf("%q is not a run of answers; it must be as sat*3", part)
			}
		}
		if _, err := comp.ParseStatus(word); err != nil {
			return nil, fmt.Errorf("%q is not a run of answers: %w", part, err)
		}
		for range n {
			answers = append(answers, comp.Answer(word))
		}
	}
	return answers, nil
}
