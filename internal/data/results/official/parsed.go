package official

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Parsed is one run of a parsed.feather, which the organisers' tool creates from result files of BenchExec, as CSV.
type Parsed struct {
	Result
	File int    // number of the benchmark in the list of the year; Path and Location are empty
	Task string // name of its task, such as 1041_QF_LIA_fam__a.yml; may be empty
}

// parsedColumns are the columns that are read; the numbers of answers and tracks count the words of Result from 0.
var parsedColumns = []string{"file", "answer", "cputime_s", "memory_B", "walltime_s", "solver", "track"}

// otherColumns may be present. The number of the logic follows from the benchmark.
var otherColumns = []string{"logic", "benchmark_yml", "nb_answers", "unsat_core", "participation"}

// IsParsed reports whether a line is the header of such a table.
func IsParsed(header []byte) bool {
	names := strings.Split(strings.TrimSpace(string(header)), ",")
	return !slices.ContainsFunc(parsedColumns, func(name string) bool { return !slices.Contains(names, name) })
}

// ReadParsed reads a table and calls fn with each run in the file's order; fn must not keep the pointer. An error of fn
// stops reading and is returned.
func ReadParsed(r io.Reader, fn func(*Parsed) error) error {
	in := csv.NewReader(limits.Table.Reader(r))
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return fmt.Errorf("parsed results: %w", err)
	}
	columns := slices.Clone(header)
	for _, name := range columns {
		if !slices.Contains(parsedColumns, name) && !slices.Contains(otherColumns, name) {
			return fmt.Errorf("parsed results: unknown column %.100q; the columns are %s", name,
				strings.Join(slices.Concat(parsedColumns, otherColumns), ", "))
		}
	}
	for {
		record, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("parsed results: %w", err)
		}
		line, _ := in.FieldPos(0)
		p := Parsed{Result: Result{Answers: -1}}
		for i, name := range columns {
			if err := p.set(name, strings.TrimSpace(record[i])); err != nil {
				return &comp.LineError{Line: line, Where: "column " + name, Err: err}
			}
		}
		if err := fn(&p); err != nil {
			return &comp.LineError{Line: line, Err: err}
		}
	}
}

func (p *Parsed) set(column, text string) error {
	var err error
	switch column {
	case "file":
		p.File, err = strconv.Atoi(text)
		if err != nil || p.File < 0 {
			return fmt.Errorf("%q is not the number of a benchmark", text)
		}
	case "benchmark_yml":
		p.Task = strings.Clone(text)
	case "solver":
		p.Solver = strings.Clone(text)
	case "answer":
		p.Result.Result, err = word(outcomes, text)
	case "track":
		p.Track, err = word(tracks, text)
	case "cputime_s":
		p.CPUTimeS, err = seconds(text)
	case "walltime_s":
		p.WallTimeS, err = seconds(text)
	case "memory_B":
		p.MemoryBytes, err = strconv.ParseInt(text, 10, 64)
	case "nb_answers":
		p.Answers, err = strconv.ParseInt(text, 10, 64)
	}
	return err
}

// word reads one of the given words, or its number.
func word(words []string, text string) (string, error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < len(words) {
		return words[n], nil
	}
	if i := slices.Index(words, text); i >= 0 {
		return words[i], nil
	}
	return "", fmt.Errorf("%q is neither one of %v nor its number", text, words)
}

func seconds(text string) (run.Seconds, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%q is not a number of seconds", text)
	}
	return run.Seconds(n), nil
}
