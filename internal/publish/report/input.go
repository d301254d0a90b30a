package report

import (
	"iter"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Input holds everything from which a report is generated. Slices may be nil; the parts that they would fill are then
// left out of the site.
type Input struct {
	Competition Competition
	Solvers     []results.SolverRow
	Questions   []Question
	// Verdicts are the judged runs, sorted by track, benchmark and solver like the table; see Rows. They are read
	// several times, possibly concurrently.
	Verdicts iter.Seq2[results.VerdictRow, error]
	// VerdictsID identifies the content of Verdicts; empty if unknown.
	VerdictsID string
	// Measured returns data that only a run's record contains, by run key. Optional.
	Measured func(runKey string) (Measured, bool)
	// MeasuredID identifies the results of Measured; empty if unknown.
	MeasuredID string
	// Benchmarks are at least those of the runs, in any order and also several times, and read once. Optional.
	Benchmarks iter.Seq2[results.BenchmarkRow, error]
	// BenchmarksID identifies the content of Benchmarks; empty if unknown.
	BenchmarksID string
	Scores       []results.ScoreRow
	Recognitions []results.RecognitionRow
	// Previous holds last year's scores for comparison; Renamed maps this year's names of solvers to last year's.
	Previous   []results.ScoreRow
	Renamed    map[string]string
	Confidence []results.ConfidenceRow
	// Sensitivity and Noise are shown next to Confidence.
	Sensitivity []results.SensitivityRow
	Noise       []results.NoiseRow
	Selections  []Selection
	// Retired are the benchmarks left out before the draw; Removed are those whose runs are not scored.
	Retired, Removed []results.UnfitRow
	// Views names the views in display order; the first of them that a track has is its main view. Views without an
	// entry follow in alphabetical order. Nil means DefaultViews.
	Views []View
	// Kinds are the competition's own tracks.
	Kinds comp.Kinds
	// Limits are the limits of tracks, in addition to those in the verdicts.
	Limits     []TrackLimits
	Provenance Provenance
	// Progress is set in the report of a competition that is still running.
	Progress *Progress
	// Draft is set if results are hidden.
	Draft bool
	// Evidence is the data file with facts that no key covers, such as the versions that programs report. If it is nil,
	// the site has none, and its publisher may add one. See WriteEvidence.
	Evidence any
	// Stored returns stored tables (Parquet), by name of the schema, for downloads. Optional; without it, the verdicts
	// are not available as Parquet.
	Stored map[string]func() ([]byte, error)
	// Log returns the output with a digest. It is used for wrong answers and failures, up to LogBytes in total.
	// Optional.
	Log      func(digest string) ([]byte, error)
	LogBytes int64
}

// HideResults removes rankings and everything from which they could be reconstructed, for readers who may not see them
// yet. The progress stays, and everything that was known before the runs.
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
	Edition string // such as "21st", may be empty
	Year    int
	// Organisers are the people or institutions that organise the competition.
	Organisers []string
	// Notes are the organisers' messages, by day, newest first.
	Notes []Fact
}

// Measured is the data of a run's record beyond its verdict.
type Measured struct {
	AnswerWallS      float64 // wall time of the answer, seconds; -1: none
	ExitCode, Signal int64
	MeasuredAt       string // UTC, such as 2026-05-01T12:00:00Z
	Setting          Setting
}

// Setting describes how a run was measured. Most runs of a competition share a setting.
type Setting struct {
	Hardware     string  `json:"hardware"`
	Isolation    string  `json:"isolation"`
	MeasuredWith string  `json:"measured_with"` // version of smtpipe
	Flags        string  `json:"flags"`         // such as truncated,throttled
	WallLimitS   float64 `json:"wall_limit_s"`  // limits; 0 means none
	CPULimitS    float64 `json:"cpu_limit_s"`
	MemoryLimit  int64   `json:"memory_limit_bytes"`
	Cores        int64   `json:"cores"`
}

// Question is a requirement of the rules that only people can check, with the solvers that it concerns.
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

// View names a view of the scores for people.
type View struct {
	Name  string // as in scores/1
	Title string
	Doc   string // one sentence
}

// DefaultViews returns the views of the rules of 2008 to 2026.
func DefaultViews() []View {
	return []View{
		{"par", "Parallel", "Wall time is limited to the time limit of the track."},
		{"seq", "Sequential", "CPU time is limited to the time limit of the track."},
		{string(comp.AnswerSat), "Satisfiable", "Only benchmarks that are satisfiable count."},
		{string(comp.AnswerUnsat), "Unsatisfiable", "Only benchmarks that are unsatisfiable count."},
		{"24s", "24 seconds", "Wall time is limited to 24 seconds."},
		{"par2", "PAR-2", "An unsolved benchmark costs twice the time limit."},
		{"points", "Points", "Points for correct answers, less those for wrong ones."},
	}
}

// TrackLimits are the limits of the runs of one track.
type TrackLimits struct {
	Track       string
	MemoryBytes int64
}

// Provenance holds everything that outsiders need to check the numbers.
type Provenance struct {
	ToolVersion string // of smtpipe
	Rules       string // the rule set, such as "2026" or its digest
	RulesURL    string // where to read them
	Machine     []Fact
	Absent      []Fact // entrants that could not take part, with reasons
	Registered  []Fact // what happened to entrants, such as Withdrawn, with reasons
	Inputs      []InputFile
	Nodes       []Node
	Edges       []Edge
	Verify      []string // commands that check the competition, in order
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// InputFile is a file or tree that the pipeline read.
type InputFile struct {
	Name      string
	Digest    string // SHA-256, hex
	SizeBytes int64
	From      string // the stage that read it, if it was not the report itself
}

// Node is a stage instance of the pipeline.
type Node struct {
	Address string // such as stage.score.single_query
	Kind    string
	Key     string // hex; may be empty
	Output  string // digest of the output, hex; may be empty
	Note    string // such as "12,402 runs"
}

// Edge records that one stage uses another's output.
type Edge struct{ From, To string }

// Progress is the progress of the runs.
type Progress struct {
	Done, Total, Failed int64
	More                bool // some runs are not counted yet, because their benchmarks are unknown
	Note                string
	Failures            []string // the latest failures that need attention, newest first
	Divisions           []DivisionProgress
	// AtOnce is the average number of concurrent runs in the last active period; 0 if unknown.
	AtOnce float64
	// Early holds the expected rankings, sorted by track and division, with the rows of each ranking adjacent.
	Early []EarlyRow
}

// EarlyRow is the estimate, from the early sample, of a solver's place in a ranking of a division. The intervals have a
// confidence of 95 %.
type EarlyRow struct {
	Track, Division, View, Solver string
	Benchmarks, Sample            int // in the division; in the sample
	// Best to Worst are the places that the intervals allow if no more answers are wrong. Place is the place in the
	// sample. They are 0 for a solver that is not ranked.
	Best, Place, Worst      int
	Wrong                   int // wrong answers so far
	WrongLow, WrongHigh     int // in the whole division
	CorrectLow, CorrectHigh int
	Clock                   string // w: wall time, c: CPU time; empty: the view does not rank by time
	TimeLowS, TimeHighS     float64
}

// DivisionProgress is the progress of the runs of a division.
type DivisionProgress struct {
	Track, Division string
	Done, Total     int64
	// LeftS is the expected wall time of the remaining runs, one after another, in seconds.
	LeftS float64
}

// left returns the remaining time for runs that would take the given seconds one after another. ok is false if it is
// unknown.
func (p *Progress) left(seconds float64) (s float64, ok bool) {
	if p.AtOnce <= 0 {
		return 0, false
	}
	return seconds / p.AtOnce, true
}
