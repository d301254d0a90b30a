package intake

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// outcomes lists the possible values of the field "result".
var outcomes = []string{string(comp.AnswerUnsat), string(comp.AnswerSat), string(comp.AnswerUnknown),
	"incremental", "OutOfMemory", "Timeout", "ModelNotValidated",
	"ModelUnsat", "ModelParsingError", "ModelPartialFunctionMissing", "ModelValidatorException",
	"ModelValidatorBenchmarkStrictTyping", "ModelValidatorTimeout", "IncrementalError", "UnsatCoreNotValidated"}

// tracks lists the organisers' tracks; UnsatCoreValidation is not a track of the competition.
var tracks = []string{"UnsatCore", "SingleQuery", "ProofExhibition", "ModelValidation", "Incremental", "Cloud",
	"Parallel",
	"UnsatCoreValidation"}

// answerOf returns the answer that a result implies: sat, unsat or unknown. A run whose model was rejected answered
// sat, even for an unsatisfiable benchmark, and a run whose core was rejected answered unsat.
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

// trackName returns the name that tables use for one of the organisers' tracks.
func trackName(track string) string {
	if t, err := comp.ParseTrack(track); err == nil {
		return t.String()
	}
	return track
}

// ReadResults reads an unpacked file results-TRACK-YYYY.json and calls fn with each run in file order. fn must not keep
// the pointer. If fn returns an error, ReadResults stops and returns it. The file contains no statuses.
func ReadResults(r io.Reader, year int, fn func(*results.HistoryRow) error) error {
	row := func(_ string, e *ranEntry) (*results.HistoryRow, error) { return e.row(year) }
	return eachEntry(r, "official results", map[string]string{"results": "run %d"}, row, fn)
}

// ReadBenchmarks reads an unpacked list benchmarks-YYYY.json and calls fn with each benchmark, the incremental ones
// first, as in the file. fn must not keep the pointer. If fn returns an error, ReadBenchmarks stops and returns it.
// Fields that the list omits are empty or 0.
func ReadBenchmarks(r io.Reader, fn func(*results.BenchmarkRow) error) error {
	lists := map[string]string{"incremental": "entry %d of incremental",
		"non_incremental": "entry %d of non_incremental"}
	row := func(list string, e *benchmarkEntry) (*results.BenchmarkRow, error) {
		return e.row(list == "incremental")
	}
	return eachEntry(r, "official list of benchmarks", lists, row, fn)
}

// fileEntry identifies a benchmark.
type fileEntry struct {
	Incremental *bool    `json:"incremental"`
	Logic       string   `json:"logic"`
	Family      []string `json:"family"`
	Name        string   `json:"name"`
}

// place returns the path and its components.
func (f *fileEntry) place() (string, comp.Location, error) {
	if f.Incremental == nil || f.Logic == "" || f.Family == nil || f.Name == "" {
		return "", comp.Location{}, errors.New("a file needs incremental, logic, family and name")
	}
	family := strings.Join(f.Family, "/")
	path := comp.Collection(*f.Incremental) + "/" + f.Logic + "/"
	if family != "" {
		path += family + "/"
	}
	return path + f.Name, comp.Location{Incremental: *f.Incremental, Logic: comp.Logic(f.Logic),
		Family: comp.Family(family), Name: f.Name}, nil
}

// ranEntry is a run in a results file. Missing numbers are nil.
type ranEntry struct {
	Track   string         `json:"track"`
	Solver  string         `json:"solver"`
	File    fileEntry      `json:"file"`
	Result  string         `json:"result"`
	CPU     *float64       `json:"cpu_time"`
	Wall    *float64       `json:"wallclock_time"`
	Memory  *float64       `json:"memory_usage"`
	Answers jsontext.Value `json:"nb_answers"`
}

func (e *ranEntry) row(year int) (*results.HistoryRow, error) {
	switch {
	case e.Track == "" || e.Solver == "" || e.Result == "" || e.CPU == nil || e.Wall == nil ||
		e.Memory == nil:
		return nil, errors.New("a run needs track, solver, file, result, cpu_time, wallclock_time and memory_usage")
	case !slices.Contains(tracks, e.Track):
		return nil, fmt.Errorf("unknown track %q; known are %v", e.Track, tracks)
	case !slices.Contains(outcomes, e.Result):
		return nil, fmt.Errorf("unknown result %q; known are %v", e.Result, outcomes)
	}
	if math.Abs(*e.Memory) > 1<<53 {
		return nil, fmt.Errorf("memory_usage is %v; it must be at most 2^53", *e.Memory)
	}
	path, at, err := e.File.place()
	if err != nil {
		return nil, err
	}
	answers, err := whole(e.Answers)
	return &results.HistoryRow{Identity: run.Identity{Benchmark: path, Track: trackName(e.Track), Solver: e.Solver,
		Logic: string(at.Logic)}, Year: int64(year), Result: e.Result, Answer: string(answerOf(e.Result)),
		Answers: answers, Usage: run.Usage{CPUTimeS: run.Seconds(*e.CPU), WallTimeS: run.Seconds(*e.Wall),
			MemoryBytes: int64(math.Round(*e.Memory))}}, err
}

// benchmarkEntry is a benchmark in a list.
type benchmarkEntry struct {
	File      fileEntry      `json:"file"`
	Status    string         `json:"status"`
	Asserts   jsontext.Value `json:"asserts"`
	CheckSats jsontext.Value `json:"check_sats"`
}

func (e *benchmarkEntry) row(incremental bool) (row *results.BenchmarkRow, err error) {
	path, at, err := e.File.place()
	if err != nil {
		return nil, err
	}
	row = &results.BenchmarkRow{Path: path, Logic: string(at.Logic), Family: string(at.Family), Name: at.Name,
		Incremental: at.Incremental, CheckSats: 1}
	switch {
	case at.Incremental != incremental:
		return nil, errors.New("the file's field incremental contradicts the list that contains it")
	case incremental && (e.CheckSats == nil || e.Status != "" || e.Asserts != nil):
		return nil, errors.New("each entry of this list needs file and check_sats, each exactly once")
	case incremental:
		row.Status = "incremental"
		row.CheckSats, err = whole(e.CheckSats)
	case e.CheckSats != nil || e.Status == "" || e.Asserts == nil:
		return nil, errors.New("an entry of this list needs file and status, asserts, each once")
	default:
		row.Asserts, err = whole(e.Asserts)
		row.Asserts = max(row.Asserts, 0)
		status, bad := comp.ParseStatus(e.Status)
		row.Status, err = string(status), cmp.Or(err, bad)
	}
	return row, err
}

// whole returns a number without a fraction, or -1 if it is null or missing.
func whole(number jsontext.Value) (int64, error) {
	if number == nil || number.Kind() == 'n' {
		return -1, nil
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, fmt.Errorf("got %.100s where a whole number is expected", number)
	}
	return int64(f), nil
}

// eachEntry reads an object that contains lists and calls fn with the row for each entry. lists maps each list to the
// word for its entries in error messages.
func eachEntry[Entry, Row any](r io.Reader, what string, lists map[string]string,
	row func(list string, e *Entry) (*Row, error), fn func(*Row) error) error {
	parts := limits.Table.Parts(r)
	// invalid bytes are reported later, with more context
	in := jsontext.NewDecoder(parts, jsontext.AllowInvalidUTF8(true))
	entry, index, stopped := "", 0, false
	token := func(want jsontext.Kind) (string, error) {
		if got := in.PeekKind(); got != want && got != 0 {
			return "", fmt.Errorf("got %s where %s is expected", got, want)
		}
		t, err := in.ReadToken()
		if err != nil {
			return "", err
		}
		return t.String(), nil
	}
	read := func() error {
		if _, err := token('{'); err != nil {
			return err
		}
		for in.PeekKind() != '}' {
			list, err := token('"')
			if err == nil && lists[list] == "" {
				err = fmt.Errorf("unknown field %q", list)
			}
			if err == nil {
				_, err = token('[')
			}
			entry, index = lists[list], -1
			for err == nil && in.PeekKind() != ']' {
				index, stopped = index+1, false
				parts.Begin(in.InputOffset())
				var e Entry
				var made *Row
				if err = json.UnmarshalDecode(in, &e, json.RejectUnknownMembers(true)); err == nil {
					made, err = row(list, &e)
				}
				if err == nil {
					err, stopped = fn(made), true
				}
			}
			if err == nil {
				entry = ""
				_, err = token(']')
			}
			if err != nil {
				return err
			}
		}
		if _, err := token('}'); err != nil {
			return err
		}
		if in.PeekKind() != 0 {
			return errors.New("the file continues after the end of its object")
		}
		if _, err := in.ReadToken(); err != io.EOF {
			return err
		}
		return nil
	}
	err := read()
	if err == nil {
		return nil
	}
	if entry != "" {
		what += ", " + fmt.Sprintf(entry, index)
	}
	if !stopped { // fn returned the error
		err = placed(err, in.InputOffset())
	}
	return fmt.Errorf("%s: %w", what, err)
}

// goWords describes the expected JSON value for each kind of Go value.
var goWords = map[reflect.Kind]string{reflect.Bool: "true or false", reflect.Float64: "a number",
	reflect.String: "a string", reflect.Slice: "an array", reflect.Struct: "an object"}

// placed converts a decoder's error to smtpipe's wording, with its position in the unpacked file.
func placed(err error, offset int64) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok && !errors.Is(err, io.ErrUnexpectedEOF) {
		offset, err = syntax.ByteOffset, syntax.Err
		if errors.Is(err, jsontext.ErrDuplicateName) {
			err = fmt.Errorf("the field %q occurs twice", syntax.JSONPointer.LastToken())
		}
	} else if bad, ok := errors.AsType[*json.SemanticError](err); ok {
		offset = bad.ByteOffset
		err = fmt.Errorf("got %.100s where %s is expected", cmp.Or(string(bad.JSONValue), bad.JSONKind.String()),
			goWords[bad.GoType.Kind()])
		if bad.Err == json.ErrUnknownName {
			err = fmt.Errorf("unknown field %q", bad.JSONPointer.LastToken())
		}
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the file ends too early")
	}
	return &comp.ByteError{Offset: offset, Err: err}
}
