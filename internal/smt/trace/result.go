package trace

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Ending states how a dialogue ended. The runner reports how the solver's process ended.
type Ending string

// Possible endings. The solver is responsible for all except BadBenchmark and Interrupted.
const (
	Finished     Ending = "finished"      // every expected check-sat was answered, or (exit) came earlier
	WrongAnswer  Ending = "wrong_answer"  // an answer differs from the expected one
	BadResponse  Ending = "bad_response"  // a response violates the protocol
	SolverEnded  Ending = "solver_ended"  // the solver closed its output when a response was expected
	BadBenchmark Ending = "bad_benchmark" // the script ended before the last expected answer
	Interrupted  Ending = "interrupted"   // the context was cancelled
)

// LeavesSolver reports whether the dialogue ended while the solver may still be running. In that case the official
// executor exits, which ends the run, so the caller should end the process without waiting for its limits.
func (e Ending) LeavesSolver() bool { return e == WrongAnswer || e == BadResponse || e == BadBenchmark }

// Stamp is a point in time of a run: the wall time since its start and the CPU time of its process tree, in whole
// microseconds.
type Stamp struct{ Wall, CPU time.Duration }

// Result records one dialogue. Its JSON form is compact: answers are run-length coded, and times are differences
// between consecutive stamps in microseconds.
type Result struct {
	Ending Ending

	// Checks is the number of check-sats whose expected answer counts.
	Checks int

	// Commands is the number of script commands that were sent.
	Commands int

	// Answers are the responses to the check-sats in order, including a wrong one. Times records when each response was
	// complete.
	Answers []comp.Answer
	Times   []Stamp

	// Wrong is 1 if the last answer is wrong, else 0.
	Wrong int

	// Early counts responses that arrived before their command was sent, from a solver that answers without reading.
	Early int

	// Message is the official executor's message about the end, without its last line feed and truncated to 300 bytes.
	// It is empty if the dialogue finished.
	Message string
}

// Counts counts the answers of a dialogue up to some point in time.
type Counts struct {
	Correct  int // number of sat and unsat answers, or 0 if one is wrong (rules since 2019, §7.1.3)
	Wrong    int // number of wrong answers, 0 or 1
	Unknown  int
	Decided  int   // number of sat and unsat answers, including a wrong one
	Last     Stamp // time of the last sat or unsat, which the time scores of 2026 use (rules, §7.1)
	Answered bool  // Last is set
}

// Counts counts all answers.
func (r *Result) Counts() Counts { return r.count(len(r.Answers)) }

// Until counts the answers within a wall time limit, including an answer exactly at the limit. Zero means no limit.
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

// Verdict returns the verdict on an incremental run: wrong if an answer is wrong, correct if all checks check-sats were
// answered correctly, and otherwise unknown. Scores count individual answers; the verdict is for tables with one word
// per run.
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
	LastWall float64 `json:"last_wall_s"` // -1 without sat or unsat answers
	LastCPU  float64 `json:"last_cpu_s"`
	WallUS   []int64 `json:"wall_us"` // differences between consecutive stamps
	CPUUS    []int64 `json:"cpu_us"`
	Message  string  `json:"message,omitempty"`
}

// MarshalJSON encodes the result for the runs table, and adds the derived counts and last times.
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

// UnmarshalJSON decodes the output of MarshalJSON.
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

// EncodeAnswers returns answers in run-length code, such as "sat*3,unsat".
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

// maxAnswers limits the length of a decoded list. No benchmark has that many check-sats.
const maxAnswers = 1 << 26

// DecodeAnswers decodes the output of EncodeAnswers.
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
				return nil, fmt.Errorf("%q is not a run of answers; it must have the form sat*3", part)
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
