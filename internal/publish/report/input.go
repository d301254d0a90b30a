package report

import (
	"iter"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Input contains everything from which a report is generated. Slices may be nil; the site then omits the parts that
// depend on them.
type Input struct {
	Competition Competition
	Solvers     []results.SolverRow
	Questions   []Question
	// Verdicts are the judged runs, sorted by track, benchmark and solver as in the table; see Rows. They are read
	// several times, possibly concurrently.
	Verdicts iter.Seq2[results.VerdictRow, error]
	// VerdictsID identifies the content of Verdicts; empty if unknown.
	VerdictsID string
	// Entrants returns what Verdicts tell about entrants, as rows with nothing else, and a text that identifies the
	// rest of Verdicts. Optional.
	Entrants func() (kinds []results.VerdictRow, rest string, err error)
	// Keeper keeps the verdicts in a form that is fast to read, if VerdictsID is known. Optional.
	Keeper Keeper
	// Measured returns the function that returns, by run key, the data that only a run's record contains. It is called
	// when a file shows them. Optional.
	Measured func() (func(runKey string) (Measured, bool), error)
	// MeasuredID identifies the results of Measured; empty if unknown.
	MeasuredID string
	// Benchmarks must include the runs' benchmarks. They may be in any order and contain duplicates, and are read once.
	// Optional.
	Benchmarks iter.Seq2[results.BenchmarkRow, error]
	// BenchmarksID identifies the content of Benchmarks; empty if unknown.
	BenchmarksID string
	Scores       []results.ScoreRow
	Recognitions []results.RecognitionRow
	// Previous contains last year's scores for comparison. Renamed maps this year's solver names to last year's.
	Previous   []results.ScoreRow
	Renamed    map[string]string
	Confidence []results.ConfidenceRow
	// Sensitivity and Noise are shown next to Confidence.
	Sensitivity []results.SensitivityRow
	Noise       []results.NoiseRow
	Selections  []Selection
	// Retired are the benchmarks omitted before the draw. Removed are the benchmarks whose runs are not scored.
	Retired, Removed []results.UnfitRow
	// Views are the views in display order. A track's main view is the first of them that the track has. Other views
	// follow in alphabetical order. Nil means DefaultViews.
	Views []View
	// Kinds are the tracks that the competition defines itself.
	Kinds comp.Kinds
	// Limits are the tracks' limits, in addition to those in the verdicts.
	Limits     []TrackLimits
	Provenance Provenance
	// Progress is set in a report on a competition that is still running.
	Progress *Progress
	// Draft is set if the results are hidden.
	Draft bool
	// Evidence is the data file with facts that no key covers, such as the versions that programs report. If it is nil,
	// the site contains no evidence, and its publisher may add some. See WriteEvidence.
	Evidence any
	// Stored returns stored tables (Parquet) for downloads, by schema name. Optional; without it, the verdicts are not
	// available as Parquet.
	Stored map[string]func() ([]byte, error)
	// Log returns the output with the given digest. It is called for wrong answers and failures, up to LogBytes in
	// total. Optional.
	Log      func(digest string) ([]byte, error)
	LogBytes int64
}

// HideResults removes rankings and everything from which they could be reconstructed, for readers who may not see them
// yet. It keeps the progress, and everything that was known before the runs.
func (in *Input) HideResults() {
	in.Draft = true
	in.Scores, in.Recognitions, in.Confidence, in.Verdicts, in.Stored = nil, nil, nil, nil, nil
	in.Sensitivity, in.Noise = nil, nil
	if in.Progress != nil {
		in.Progress.Early = nil
	}
}

// Rows adapts a slice of rows to Input.Verdicts.
func Rows[Row any](rows []Row) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Competition is the content of the competition block.
type Competition struct {
	Name    string // such as "SMT-COMP"
	Edition string // such as "21st"; may be empty
	Year    int
	// Organisers are the people or institutions that organise the competition.
	Organisers []string
	// Notes are the organisers' messages, each with its day, newest first.
	Notes []Fact
}

// Measured contains what a run's record adds to its verdict.
type Measured struct {
	AnswerWallS      float64 // wall time of the answer in seconds; -1 if there is none
	ExitCode, Signal int64
	MeasuredAt       string // time in UTC, such as 2026-05-01T12:00:00Z
	Setting          Setting
}

// Setting describes how a run was measured. Most of a competition's runs share a setting.
type Setting struct {
	Hardware     string  `json:"hardware"`
	Isolation    string  `json:"isolation"`
	MeasuredWith string  `json:"measured_with"` // smtpipe's version
	Flags        string  `json:"flags"`         // such as truncated,throttled
	WallLimitS   float64 `json:"wall_limit_s"`  // the limits; 0 means no limit
	CPULimitS    float64 `json:"cpu_limit_s"`
	MemoryLimit  int64   `json:"memory_limit_bytes"`
	Cores        int64   `json:"cores"`
}

// Question is a requirement of the rules that only people can check, with the solvers concerned.
type Question struct {
	Text    string
	Solvers []string
}

// Selection describes how a track's benchmarks were chosen.
type Selection struct {
	Track      string
	Groups     []results.SelectionRow
	Exclusions []results.ExclusionRow
}

// View describes a view of the scores for display.
type View struct {
	Name  string // name in scores/1
	Title string
	Doc   string // a single sentence
}

// DefaultViews returns the views in the rules from 2008 to 2026.
func DefaultViews() []View {
	return []View{
		{"par", "Parallel", "Wall time is limited to the time limit of the track."},
		{"seq", "Sequential", "CPU time is limited to the time limit of the track."},
		{string(comp.AnswerSat), "Satisfiable", "Only benchmarks that are satisfiable count."},
		{string(comp.AnswerUnsat), "Unsatisfiable", "Only benchmarks that are unsatisfiable count."},
		{"24s", "24 seconds", "Wall time is limited to 24 seconds."},
		{"par2", "PAR-2", "An unsolved benchmark costs twice the time limit."},
		{"points", "Points", "Points for correct answers minus points for wrong answers."},
	}
}

// TrackLimits are a track's run limits.
type TrackLimits struct {
	Track       string
	MemoryBytes int64
}

// Provenance contains everything that outsiders need to verify the numbers.
type Provenance struct {
	ToolVersion string // smtpipe's version
	Rules       string // the rule set, such as "2026" or its digest
	RulesURL    string // address of the rules' text
	Machine     []Fact
	Absent      []Fact // entrants that could not take part, with reasons
	Registered  []Fact // events that concern entrants, such as Withdrawn, with reasons
	Inputs      []InputFile
	Nodes       []Node
	Edges       []Edge
	Verify      []string // commands that verify the competition, in order
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// InputFile is a file or tree that the pipeline read.
type InputFile struct {
	Name      string
	Digest    string // hexadecimal SHA-256
	SizeBytes int64
	From      string // the stage that read the file, unless it was the report
}

// Node is a stage instance in the pipeline.
type Node struct {
	Address string // such as stage.score.single_query
	Kind    string
	Key     string // in hexadecimal; may be empty
	Output  string // digest of the output, in hexadecimal; may be empty
	Note    string // such as "12,402 runs"
}

// Edge records that a stage uses another stage's output.
type Edge struct{ From, To string }

// Progress describes the runs' progress.
type Progress struct {
	Done, Total, Failed int64
	More                bool // some runs are not counted yet, because their benchmarks are not known
	Note                string
	Failures            []string // latest failures that need attention, newest first
	Divisions           []DivisionProgress
	// AtOnce is the average number of concurrent runs in the last active period, or 0 if unknown.
	AtOnce float64
	// Early contains the expected rankings, sorted by track and division. The rows of a ranking are adjacent.
	Early []EarlyRow
}

// EarlyRow estimates a solver's place in a division ranking from the early sample. The intervals have a confidence of
// 95 %.
type EarlyRow struct {
	Track, Division, View, Solver string
	Benchmarks, Sample            int // number of benchmarks in the division and in the sample
	// Best to Worst is the range of places that the intervals allow if no further answer is wrong. Place is the place
	// in the sample. All three are 0 for a solver that is not ranked.
	Best, Place, Worst      int
	Wrong                   int // number of wrong answers so far
	WrongLow, WrongHigh     int // interval of wrong answers in the whole division
	CorrectLow, CorrectHigh int
	Clock                   string // w for wall time, c for CPU time, or empty if the view does not rank by time
	TimeLowS, TimeHighS     float64
}

// DivisionProgress describes the progress of a division's runs.
type DivisionProgress struct {
	Track, Division string
	Done, Total     int64
	// LeftS is the total expected wall time of the remaining runs, in seconds.
	LeftS float64
}

// left returns the remaining time for runs whose wall times sum to the given seconds. ok is false if it is unknown.
func (p *Progress) left(seconds float64) (s float64, ok bool) {
	if p.AtOnce <= 0 {
		return 0, false
	}
	return seconds / p.AtOnce, true
}
