package intake

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// parsed is a run in a parsed.feather (as CSV), which the organisers' tool creates from BenchExec's result files.
type parsed struct {
	results.HistoryRow
	file int    // the benchmark's number in the year's list
	task string // the benchmark's task name, such as 1041_QF_LIA_fam__a.yml; may be empty
}

// parsedNeeds are the columns that identify such a table.
var parsedNeeds = []string{"file", "answer", "cputime_s", "memory_B", "walltime_s", "solver", "track"}

// isParsed reports whether a line is the header of such a table.
func isParsed(header []byte) bool {
	names := strings.Split(strings.TrimSpace(string(header)), ",")
	return !slices.ContainsFunc(parsedNeeds, func(name string) bool { return !slices.Contains(names, name) })
}

// parsedColumns returns setters for the columns of such a table. Answers and tracks may be indexes into their lists of
// words. The logic's number is ignored, because the benchmark determines the logic.
func parsedColumns() map[string]setter[parsed] {
	ignored := func(*parsed, string) error { return nil }
	return map[string]setter[parsed]{
		"logic": ignored, "unsat_core": ignored, "participation": ignored,
		"file": func(p *parsed, text string) (err error) {
			if p.file, err = strconv.Atoi(text); err != nil || p.file < 0 {
				return fmt.Errorf("%q is not the number of a benchmark", text)
			}
			return nil
		},
		"benchmark_yml": func(p *parsed, text string) error { p.task = text; return nil },
		"solver":        func(p *parsed, text string) error { p.Solver = text; return nil },
		"answer": func(p *parsed, text string) (err error) {
			p.Result, err = word(outcomes, text)
			p.Answer = string(answerOf(p.Result))
			return err
		},
		"track": func(p *parsed, text string) error {
			track, err := word(tracks, text)
			p.Track = trackName(track)
			return err
		},
		"cputime_s":  func(p *parsed, text string) (err error) { p.CPUTimeS, err = seconds(text); return err },
		"walltime_s": func(p *parsed, text string) (err error) { p.WallTimeS, err = seconds(text); return err },
		"memory_B": func(p *parsed, text string) (err error) {
			p.MemoryBytes, err = strconv.ParseInt(text, 10, 64)
			return err
		},
		"nb_answers": func(p *parsed, text string) (err error) {
			p.Answers, err = strconv.ParseInt(text, 10, 64)
			return err
		},
	}
}

// readParsed reads a table and calls fn with each run in file order.
func readParsed(r io.Reader, source Source, fn func(*results.HistoryRow) error) error {
	fresh := parsed{HistoryRow: results.HistoryRow{Year: int64(source.Year), Answers: -1}}
	_, err := readCSV(r, fresh, parsedColumns(), func(p *parsed) error {
		at, err := source.Mapping.ofTask(p.file, p.task)
		if err != nil {
			return err
		}
		p.Benchmark, p.Logic = at.Path, string(at.Logic)
		return fn(&p.HistoryRow)
	})
	return err
}

// word parses one of the given words or its index.
func word(words []string, text string) (string, error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n < len(words) {
		return words[n], nil
	}
	if i := slices.Index(words, text); i >= 0 {
		return words[i], nil
	}
	return "", fmt.Errorf("%q must be one of %v or its number", text, words)
}

func seconds(text string) (run.Seconds, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%q is not a number of seconds", text)
	}
	return run.Seconds(n), nil
}
