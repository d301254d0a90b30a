package intake

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// outcomes lists the possible values of the field result.
var outcomes = []string{string(comp.AnswerUnsat), string(comp.AnswerSat), string(comp.AnswerUnknown),
	"incremental", "OutOfMemory", "Timeout", "ModelNotValidated",
	"ModelUnsat", "ModelParsingError", "ModelPartialFunctionMissing", "ModelValidatorException",
	"ModelValidatorBenchmarkStrictTyping", "ModelValidatorTimeout", "IncrementalError", "UnsatCoreNotValidated"}

// tracks lists those of the organisers; UnsatCoreValidation is not a track of the competition.
var tracks = []string{"UnsatCore", "SingleQuery", "ProofExhibition", "ModelValidation", "Incremental", "Cloud",
	"Parallel",
	"UnsatCoreValidation"}

// answerOf returns the answer that a result shows: sat, unsat or unknown. A run with a refused model answered sat, even
// for an unsatisfiable benchmark, and a run with a refused core answered unsat.
func answerOf(result string) comp.Answer {
	switch result {
	case "ModelNotValidated", "ModelUnsat", "ModelParsingError", "ModelPartialFunctionMissing",
		"ModelValidatorException", "ModelValidatorBenchmarkStrictTyping", "ModelValidatorTimeout":
		return comp.AnswerSat
	case "UnsatCoreNotValidated":
		return comp.AnswerUnsat
	}
	return comp.ReadAnswer(result)
}

// trackName returns the name of one of tracks in tables.
func trackName(track string) string {
	if t, err := comp.ParseTrack(track); err == nil {
		return t.String()
	}
	return track
}

// ReadResults reads an unpacked file results-TRACK-YYYY.json and calls fn with each run in the file's order. fn must
// not keep the pointer. An error of fn stops reading and is returned. The file has no status.
func ReadResults(r io.Reader, year int, fn func(*results.HistoryRow) error) error {
	e := newEntries(r)
	var row results.HistoryRow
	texts := map[string]string{}
	field := func(name []byte) uint8 { return e.ofRun(&row, name, texts) }
	entry := func() {
		row = results.HistoryRow{Year: int64(year), Answers: -1}
		if seen := e.fields(field); e.t.err == nil && seen|128 != 255 {
			e.t.fail("a run needs track, solver, file, result, cpu_time, wallclock_time and memory_usage")
		}
		if e.t.err == nil {
			var at comp.Location
			row.Benchmark, at = e.place.place()
			row.Logic, row.Answer = string(at.Logic), string(answerOf(row.Result))
			e.end(fn(&row))
		}
	}
	e.t.object(func(name []byte) {
		if string(name) != "results" {
			e.t.fail("unknown field %q of the file", name)
		}
		e.t.array(entry)
	})
	if e.t.atEnd(); e.t.err != nil {
		return fmt.Errorf("official results, run %d: %w", e.index, e.t.err)
	}
	return nil
}

// entries reads the entries of a file.
type entries struct {
	t     *tokens
	place location
	index int // of the entry

	seen  uint8 // bits of the fields of the entry
	field func(name []byte) uint8
	next  func(name []byte)
}

func newEntries(r io.Reader) *entries {
	e := &entries{t: newTokens(r)}
	e.next = func(name []byte) {
		bit := e.field(name)
		if e.seen&bit != 0 {
			e.t.fail("the field %q occurs twice", name)
		}
		e.seen |= bit
	}
	return e
}

// fields consumes an entry. field consumes the value of a field and returns its bit. It is an error if a field occurs
// twice.
func (e *entries) fields(field func(name []byte) uint8) (seen uint8) {
	e.seen, e.field = 0, field
	e.t.object(e.next)
	return e.seen
}

// end ends an entry that was passed on.
func (e *entries) end(err error) {
	if e.t.err = err; err == nil {
		e.index++
	}
}

// ofRun consumes a field of a run.
func (e *entries) ofRun(r *results.HistoryRow, name []byte, texts map[string]string) uint8 {
	t := e.t
	switch string(name) {
	case "track":
		r.Track = trackName(t.oneOf(tracks, "track"))
		return 1
	case "solver":
		text := t.str()
		var known bool
		if r.Solver, known = texts[string(text)]; !known {
			r.Solver = string(text)
			texts[r.Solver] = r.Solver
		}
		return 2
	case "file":
		e.place.read(t)
		return 4
	case "result":
		r.Result = t.oneOf(outcomes, "result")
		return 8
	case "cpu_time":
		r.CPUTimeS = run.Seconds(t.float())
		return 16
	case "wallclock_time":
		r.WallTimeS = run.Seconds(t.float())
		return 32
	case "memory_usage":
		r.MemoryBytes = int64(math.Round(t.float()))
		return 64
	case "nb_answers":
		r.Answers = t.whole(-1)
		return 128
	}
	t.fail("unknown field %q", name)
	return 0
}

// oneOf consumes one of some texts.
func (t *tokens) oneOf(known []string, what string) string {
	text := t.str()
	if i := slices.Index(known, string(text)); i >= 0 {
		return known[i]
	}
	t.fail("unknown %s %q; known are %v", what, text, known)
	return ""
}

// ReadBenchmarks reads an unpacked list benchmarks-YYYY.json and calls fn with each benchmark, the incremental ones
// first, as in the file. fn must not keep the pointer. An error of fn stops reading and is returned. Data that is not
// in the list is empty or 0.
func ReadBenchmarks(r io.Reader, fn func(*results.BenchmarkRow) error) error {
	e := newEntries(r)
	var row results.BenchmarkRow
	list := ""
	field := func(name []byte) uint8 { return e.ofBenchmark(&row, name) }
	entry := func() {
		row = results.BenchmarkRow{CheckSats: 1}
		e.benchmark(&row, list == "incremental", field, fn)
	}
	e.t.object(func(name []byte) {
		switch list = string(name); list {
		case "incremental", "non_incremental":
			e.index = 0
			e.t.array(entry)
		default:
			e.t.fail("unknown field %q of the list", name)
			list = ""
		}
		if e.t.err == nil {
			list = ""
		}
	})
	switch e.t.atEnd(); {
	case e.t.err == nil:
		return nil
	case list == "":
		return fmt.Errorf("official list of benchmarks: %w", e.t.err)
	}
	return fmt.Errorf("official list of benchmarks, entry %d of %s: %w", e.index, list, e.t.err)
}

// benchmark consumes {file, status, asserts} or {file, check_sats}.
func (e *entries) benchmark(row *results.BenchmarkRow, incremental bool, field func(name []byte) uint8,
	fn func(*results.BenchmarkRow) error) {
	needed, fields := uint8(1|2|4), "status, asserts"
	if incremental {
		needed, fields, row.Status = 1|8, "check_sats", "incremental"
	}
	seen := e.fields(field)
	switch {
	case e.t.err != nil:
	case seen != needed:
		e.t.fail("an entry of this list needs file and %s, each once", fields)
	case e.place.incremental != incremental:
		e.t.fail("the file's field incremental contradicts the list that it is in")
	default:
		var at comp.Location
		row.Path, at = e.place.place()
		row.Logic, row.Family, row.Name, row.Incremental = string(at.Logic), string(at.Family), at.Name, at.Incremental
		e.end(fn(row))
	}
}

// ofBenchmark consumes a field of a benchmark.
func (e *entries) ofBenchmark(row *results.BenchmarkRow, name []byte) uint8 {
	switch string(name) {
	case "file":
		e.place.read(e.t)
		return 1
	case "status":
		text := string(e.t.str())
		status, err := comp.ParseStatus(text)
		if err != nil {
			e.t.fail("%w", err)
		}
		row.Status = string(status)
		return 2
	case "asserts":
		row.Asserts = max(e.t.whole(-1), 0)
		return 4
	case "check_sats":
		row.CheckSats = e.t.whole(-1)
		return 8
	}
	e.t.fail("unknown field %q", name)
	return 0
}
