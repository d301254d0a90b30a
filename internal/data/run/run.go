// Package run defines a run in parts: which solver ran on which benchmark (Identity), the measurements (Measured) and
// limits (Limits), the judgement (Judged), and the facts about its benchmark (Subject) and solver (Entrant) that
// scoring needs. The runner fills Measured. These types are embedded in workers' results (JSON), stored records
// (Record), the tables of runs, verdicts and history with their exports, and scored runs.
package run

import (
	"encoding/json"
	"math"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Identity identifies a run's solver, benchmark and track.
type Identity struct {
	Benchmark string `parquet:"benchmark" doc:"place in the release"`
	Solver    string `parquet:"solver,dict" doc:"name"`
	Track     string `parquet:"track,dict" doc:"track"`
	Logic     string `parquet:"logic,dict" doc:"logic"`
}

// Subject is what is known about a run's benchmark.
type Subject struct {
	Division string `parquet:"division,dict" doc:"division of the logic in this track"`
	Family   string `parquet:"family,dict" doc:"family"`
	New      bool   `parquet:"new" doc:"the family is new this year"`
	Category string `parquet:"category,dict" doc:"industrial, crafted, random or check"`
	Status   string `parquet:"status,dict" doc:"known status: sat, unsat, unknown"`
}

// Entrant describes a solver's entrant in a track.
type Entrant struct {
	Team        string `parquet:"team,dict" doc:"team"`
	Competitive bool   `parquet:"competitive" doc:"competes"`
	OpenSource  bool   `parquet:"open_source" doc:"the solver's source code is open"`
	NewEntrant  bool   `parquet:"new_entrant" doc:"the solver competes for the first time"`
	Barred      string `parquet:"barred,dict" doc:"why the solver cannot win in this track; empty: it can"`
	BaseSolver  string `parquet:"base_solver,dict" doc:"base solver of a derived solver"`
}

// Usage contains the resources that a run used.
type Usage struct {
	WallTimeS   Seconds `parquet:"wall_time_s" json:"wall_time_ns" doc:"wall time from exec to exit, seconds"`
	CPUTimeS    Seconds `parquet:"cpu_time_s" json:"cpu_time_ns" doc:"CPU time of the process tree, seconds"`
	MemoryBytes int64   `parquet:"memory_bytes" json:"memory_bytes" doc:"peak memory of the process tree"`
}

// Known returns the usage with negative values, which were not measured, replaced by 0.
func (u Usage) Known() Usage {
	return Usage{max(u.WallTimeS, 0), max(u.CPUTimeS, 0), max(u.MemoryBytes, 0)}
}

// InlineStdout is the maximum size of Measured.Stdout in bytes.
const InlineStdout = 256

// AttachedMark separates a run's printed output from the file that the run left, in its standard output.
const AttachedMark = "\n--- smtpipe: the file of the run ---\n"

// Measured holds the measurements of a run. It contains the solver's output as bytes, never as an answer, so that a
// better parser needs no new run. Fields that a worker measures have JSON names. Add new fields at the end, because
// stored records use this order.
type Measured struct {
	Ending   comp.Ending `parquet:"ending,dict" json:"ending" doc:"exited, signalled, wall_timeout, cpu_timeout, out_of_memory, output_limit, pids_limit, files_limit"`
	ExitCode int64       `parquet:"exit_code" json:"exit_code" doc:"exit code; -1 unless exited"`
	Signal   int64       `parquet:"signal" json:"signal,omitempty" doc:"signal that ended the process; 0: none"`
	Usage

	AnswerWallTimeS Seconds `parquet:"answer_wall_time_s" json:"-" doc:"wall time of the first line sat, unsat or unknown; -1: none"`
	Stdout          string  `parquet:"stdout" json:"-" doc:"standard output if it is short (at most 256 bytes); otherwise see stdout_sha256"`
	StdoutSHA256    string  `parquet:"stdout_sha256" json:"-" role:"blob" doc:"digest of the captured standard output; empty: it is in stdout"`
	StdoutBytes     int64   `parquet:"stdout_bytes" json:"-" doc:"bytes written to standard output, including those beyond the cap"`
	StderrSHA256    string  `parquet:"stderr_sha256" json:"-" role:"blob" doc:"digest of the captured standard error; empty: nothing was written"`
	StderrBytes     int64   `parquet:"stderr_bytes" json:"-" doc:"bytes written to standard error"`
	Trace           string  `parquet:"trace" json:"-" doc:"incremental track: the trace executor's record, JSON"`
	Flags           string  `parquet:"flags,dict" json:"-" doc:"remarks for readers of the figures, such as truncated,throttled"`
	Isolation       string  `parquet:"isolation,dict" json:"isolation" doc:"isolation that was in force"`
}

// Limits are a run's limits.
type Limits struct {
	WallLimitS  Seconds `parquet:"wall_limit_s" doc:"wall time limit T, seconds; 0: none"`
	CPULimitS   Seconds `parquet:"cpu_limit_s" doc:"CPU time limit, seconds; 0: none"`
	MemoryLimit int64   `parquet:"memory_limit_bytes" doc:"memory limit; 0: none"`
	Cores       int64   `parquet:"cores" doc:"cores m given to the run"`
}

// Judged is a run's judgement, based on its output.
type Judged struct {
	Answer        string  `parquet:"answer,dict" doc:"sat, unsat, unknown, timeout, memout, abort or empty"`
	Verdict       string  `parquet:"verdict,dict" doc:"correct, wrong or unknown"`
	Reason        string  `parquet:"reason,dict" doc:"why the verdict is not correct; also notes attempts ended by a SIGKILL that smtpipe did not send"`
	Checks        int64   `parquet:"n_checks" doc:"check-sats of the benchmark; industry challenge: for a single query, this and the next two columns are 0"`
	ChecksCorrect int64   `parquet:"n_checks_correct" doc:"correct answers"`
	ChecksWrong   int64   `parquet:"n_checks_wrong" doc:"wrong answers"`
	LastWallS     Seconds `parquet:"last_wall_s" doc:"incremental: wall time of the last sat or unsat; -1: none"`
	LastCPUS      Seconds `parquet:"last_cpu_s" doc:"incremental: CPU time of the last sat or unsat; -1: none"`
	Assertions    int64   `parquet:"n_assertions" doc:"unsat core: named assertions N"`
	CoreSize      int64   `parquet:"core_size" doc:"unsat core: names in the core; -1: no core"`
	Validation    string  `parquet:"validation,dict" doc:"unsat core: valid, invalid, illformed; model: VALID, INVALID, UNKNOWN; otherwise empty"`
	ValUnsat      int64   `parquet:"val_unsat" doc:"unsat core: validation solvers that said unsat; -1: not asked"`
	ValSat        int64   `parquet:"val_sat" doc:"unsat core: validation solvers that said sat; -1: not asked"`
	Details       string  `parquet:"details" doc:"pairs KEY=VALUE, one per line; proof: from wrapper and checker; model: second opinions"`
}

// Unjudged returns the Judged value of a run without an answer, a core or a model.
func Unjudged() Judged {
	return Judged{LastWallS: -1, LastCPUS: -1, CoreSize: -1, ValUnsat: -1, ValSat: -1}
}

// Seconds is a time in seconds. In JSON it is an integer in nanoseconds.
type Seconds float64

// Duration returns the time, rounded to nanoseconds.
func (s Seconds) Duration() time.Duration { return time.Duration(math.Round(float64(s) * 1e9)) }

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) { return json.Marshal(s.Duration()) }

// UnmarshalJSON implements json.Unmarshaler.
func (s *Seconds) UnmarshalJSON(text []byte) error {
	var d time.Duration
	err := json.Unmarshal(text, &d)
	*s = Seconds(d.Seconds())
	return err
}

// SecondsOf converts a duration to seconds.
func SecondsOf(d time.Duration) Seconds { return Seconds(d.Seconds()) }
