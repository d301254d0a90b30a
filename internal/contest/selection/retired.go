package selection

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Unfit is a benchmark that the organisers exclude: retired before the draw (SMT-COMP 2015, 2019, 2022 and 2026 rules,
// §6, first step), or removed from the results after the runs (§8).
type Unfit struct {
	Benchmark string // name as in the list, with or without its collection's folder
	Reason    string
	Line      int // line number in the list
}

// ReadUnfit reads a list of unfit benchmarks: CSV with the header benchmark,reason. Every line must contain both. It
// reports bad lines and lines that repeat a name, at most mostErrors.
func ReadUnfit(r io.Reader) ([]Unfit, error) {
	rows := limits.Table.CSV(r)
	rows.FieldsPerRecord = 2
	header, err := rows.Read()
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err == io.EOF || strings.TrimPrefix(header[0], "\ufeff") != "benchmark" || header[1] != "reason" {
		return nil, fmt.Errorf("the list must begin with the line benchmark,reason, not with %.100q",
			strings.Join(header, ","))
	}
	var list []Unfit
	var errs []error
	lines := map[string]int{}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return list, joined(errs)
		}
		if err != nil {
			return nil, errors.Join(joined(errs), err)
		}
		line, _ := rows.FieldPos(0)
		u := Unfit{Benchmark: strings.TrimSpace(row[0]), Reason: strings.TrimSpace(row[1]), Line: line}
		switch {
		case u.Benchmark == "":
			errs = append(errs, &comp.LineError{Line: line, Err: errors.New("there is no benchmark")})
		case u.Reason == "":
			errs = append(errs, &comp.LineError{Line: line, Err: fmt.Errorf("there is no reason for %s", u.Benchmark)})
		case lines[u.Benchmark] > 0:
			errs = append(errs, &comp.LineError{Line: line, Err: fmt.Errorf("%s is already in line %d", u.Benchmark,
				lines[u.Benchmark])})
		}
		lines[u.Benchmark] = line
		list = append(list, u)
	}
}

// FindUnfit returns, for each path, the index of the list entry that names it, or -1. An entry without a collection
// names the benchmark in whichever collection contains it. An entry that names no path or several paths is an error, as
// is a second entry for a path.
func FindUnfit(list []Unfit, paths []string) ([]int, error) {
	entries := map[string][]int{} // list entries by library path
	for k, u := range list {
		library := comp.FromLogic(u.Benchmark)
		entries[library] = append(entries[library], k)
	}
	of := slices.Repeat([]int{-1}, len(paths))
	named := make([]int, len(list)) // index of each entry's path, starting at 1
	var errs []error
	for i, path := range paths {
		for _, k := range entries[comp.FromLogic(path)] {
			u := &list[k]
			switch {
			case !sameCollection(u.Benchmark, path):
			case of[i] >= 0:
				errs = append(errs, &comp.LineError{Line: u.Line,
					Err: fmt.Errorf("%s is already in line %d", path, list[of[i]].Line)})
				named[k] = i + 1
			case named[k] > 0:
				errs = append(errs, &comp.LineError{Line: u.Line, Err: fmt.Errorf(
					"%s is ambiguous: %s or %s; name the collection", u.Benchmark, paths[named[k]-1], path)})
			default:
				of[i], named[k] = k, i+1
			}
		}
	}
	for k, u := range list {
		if named[k] == 0 {
			errs = append(errs, &comp.LineError{Line: u.Line, Err: fmt.Errorf("there is no benchmark %s", u.Benchmark)})
		}
	}
	return of, joined(errs)
}

// mostErrors is the maximum number of errors in a list that are reported together.
const mostErrors = 20

// joined joins the first errors, and states the number of further ones.
func joined(errs []error) error {
	if n := len(errs) - mostErrors; n > 0 {
		errs = append(errs[:mostErrors:mostErrors], fmt.Errorf("there are %d more errors", n))
	}
	return errors.Join(errs...)
}

// sameCollection reports whether two names can belong to the same collection: one of them names none, or both name the
// same.
func sameCollection(a, b string) bool {
	x, y := collection(a), collection(b)
	return x == "" || y == "" || x == y
}

func collection(name string) string {
	for folder := range strings.SplitSeq(name, "/") {
		switch {
		case folder == "incremental" || folder == "non-incremental":
			return folder
		case comp.IsLogicName(strings.ToUpper(folder)):
			return ""
		}
	}
	return ""
}
