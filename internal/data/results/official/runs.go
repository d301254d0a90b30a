package official

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Result is one run of a file results-TRACK-YYYY.json.
type Result struct {
	Track    string // as the file names it; UnsatCoreValidation is not a track of the competition
	Solver   string
	Path     string        // such as non-incremental/LOGIC/family/name.smt2
	Location comp.Location // the parts of Path
	Result   string        // one of outcomes
	run.Usage
	Answers int64 // answered check-sats or size of the core; -1: not recorded
}

// outcomes lists the possible values of the field result.
var outcomes = []string{string(comp.AnswerUnsat), string(comp.AnswerSat), string(comp.AnswerUnknown),
	"incremental", "OutOfMemory", "Timeout", "ModelNotValidated",
	"ModelUnsat", "ModelParsingError", "ModelPartialFunctionMissing", "ModelValidatorException",
	"ModelValidatorBenchmarkStrictTyping", "ModelValidatorTimeout", "IncrementalError", "UnsatCoreNotValidated"}

var tracks = []string{"UnsatCore", "SingleQuery", "ProofExhibition", "ModelValidation", "Incremental", "Cloud",
	"Parallel",
	"UnsatCoreValidation"}

// Answer returns the answer of the run, as far as the result shows it: sat, unsat or unknown. A run with a refused
// model answered sat, even for an unsatisfiable benchmark, and a run with a refused core answered unsat.
func (r Result) Answer() comp.Answer {
	switch r.Result {
	case "ModelNotValidated", "ModelUnsat", "ModelParsingError", "ModelPartialFunctionMissing",
		"ModelValidatorException", "ModelValidatorBenchmarkStrictTyping", "ModelValidatorTimeout":
		return comp.AnswerSat
	case "UnsatCoreNotValidated":
		return comp.AnswerUnsat
	}
	return comp.ReadAnswer(r.Result)
}

// Row returns the run as a row of history/1. The file has no status.
func (r Result) Row(year int) results.HistoryRow {
	track := r.Track
	if t, err := comp.ParseTrack(track); err == nil {
		track = t.String()
	}
	return results.HistoryRow{
		Identity: run.Identity{Benchmark: r.Path, Track: track, Solver: r.Solver, Logic: string(r.Location.Logic)},
		Usage:    r.Usage,
		Year:     int64(year), Answer: string(r.Answer()), Result: r.Result, Answers: r.Answers,
	}
}

// ReadResults reads an unpacked file of results and calls fn with each run in the file's order. An error of fn stops
// reading and is returned.
func ReadResults(r io.Reader, fn func(Result) error) error {
	b := &resultReader{s: newTokens(r), fn: fn, names: names{}}
	b.s.object(func(name []byte) {
		if string(name) != "results" {
			b.s.fail("unknown field %q of the file", name)
			return
		}
		b.s.array(b.entry)
	})
	if b.s.err == nil {
		b.s.atEnd()
	}
	if b.s.err != nil {
		return fmt.Errorf("official results, run %d: %w", b.index, b.s.err)
	}
	return nil
}

type resultReader struct {
	s        *tokens
	fn       func(Result) error
	index    int
	location location
	names    names
}

// requiredOfRun holds the bits of the fields that every run has.
const requiredOfRun = 1<<7 - 1

func (b *resultReader) entry() {
	r := Result{Answers: -1}
	var seen uint8
	b.s.object(func(name []byte) { seen |= b.field(&r, name) })
	if b.s.err == nil && seen&requiredOfRun != requiredOfRun {
		b.s.fail("a run needs track, solver, file, result, cpu_time, wallclock_time and memory_usage")
	}
	if b.s.err != nil {
		return
	}
	r.Path, r.Location = b.location.place()
	if err := b.fn(r); err != nil {
		b.s.err = err
	}
	b.index++
}

// field consumes the value of a field and gives the field's bit.
func (b *resultReader) field(r *Result, name []byte) uint8 {
	s := b.s
	switch string(name) {
	case "track":
		r.Track = b.oneOf(tracks, "track")
		return 1
	case "solver":
		r.Solver = b.names.keep(s.str())
		return 2
	case "file":
		b.location.read(s)
		return 4
	case "result":
		r.Result = b.oneOf(outcomes, "result")
		return 8
	case "cpu_time":
		r.CPUTimeS = run.Seconds(s.float())
		return 16
	case "wallclock_time":
		r.WallTimeS = run.Seconds(s.float())
		return 32
	case "memory_usage":
		r.MemoryBytes = int64(math.Round(s.float()))
		return 64
	case "nb_answers":
		r.Answers = s.whole(-1)
		return 128
	}
	s.fail("unknown field %q", name)
	return 0
}

func (b *resultReader) oneOf(known []string, what string) string {
	text := b.s.str()
	if i := slices.Index(known, string(text)); i >= 0 {
		return known[i]
	}
	b.s.fail("unknown %s %q; known are %v", what, text, known)
	return ""
}
