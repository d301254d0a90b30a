package importer

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// sources reads the arguments that describe the results files.
func sources(a *stages.Args) ([]source, error) {
	var errs []error
	kind := intake.Kind(a.String("kind"))
	if kind != "" && !slices.Contains(intake.Kinds, kind) {
		errs = append(errs, a.Invalid("kind", "Unknown kind", fmt.Sprintf("%q is not a kind of results; the kinds "+
			"are %v.",
			kind, intake.Kinds)))
	}
	year := a.Int("year")
	logs := a.Files("logs")
	var all []source
	for _, f := range a.Files("results") {
		s := source{File: f, year: int(year), kind: kind}
		if s.year == 0 {
			if s.year = yearOf(f.Name); s.year == 0 {
				errs = append(errs, a.Invalid("results", "No year", fmt.Sprintf("The file name %s does not "+
					"contain the "+
					"competition's year; set year.", f.Name)))
			}
		}
		var problem string
		if s.logs, problem = logsOf(f, logs); problem != "" {
			errs = append(errs, a.Invalid("logs", "No logs", problem))
		}
		all = append(all, s)
	}
	return all, errors.Join(errs...)
}

const maxYear = 9999

var yearInName = pattern.Lazy(`(?:^|[^0-9])((?:19|20)[0-9]{2})(?:[^0-9]|$)`)

// yearOf returns the year in a file's name; 0 if there is none.
func yearOf(name string) int {
	m := yearInName().FindStringSubmatch(path.Base(name))
	if m == nil {
		return 0
	}
	year, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return year
}

// logsOf finds the logs that were written with a results file: the logs with the same name or, if there are several,
// those in the same folder. A single log file is used in any case. problem explains why no logs are found.
func logsOf(f stages.File, logs []stages.File) (found *stages.File, problem string) {
	switch len(logs) {
	case 0:
		return nil, ""
	case 1:
		return &logs[0], ""
	}
	var named, beside []*stages.File
	for i := range logs {
		if l := &logs[i]; benchexec.BaseName(l.Name) == benchexec.BaseName(f.Name) {
			named = append(named, l)
			if path.Dir(l.Name) == path.Dir(f.Name) {
				beside = append(beside, l)
			}
		}
	}
	switch {
	case len(beside) == 1:
		return beside[0], ""
	case len(named) == 1:
		return named[0], ""
	case len(named) == 0:
		return nil, fmt.Sprintf("None of the logs belongs to %s; its log archive must be named "+
			"%s.logfiles.zip.", f.Name,
			benchexec.BaseName(f.Name))
	}
	return nil, fmt.Sprintf("%d of the logs may belong to %s; put the right one in the "+
		"folder that contains the results file.", len(named), f.Name)
}
