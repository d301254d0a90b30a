package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results/intake"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// candidate is a benchmark of the list with the data that the rules need.
type candidate struct {
	named  string // as in the list
	family string
	isNew  bool
	facts  selection.Facts // Path is that of the library, from the logic on, or a name that is not a path
}

// selectInput holds the content of the files.
type selectInput struct {
	candidates []candidate
	columns    []string
	isNew      map[string]bool // library paths of --new
}

// readCandidates reads the data that does not depend on results.
func (s *selectFlags) readCandidates(cmd *cobra.Command, track comp.Track) (*selectInput, error) {
	in := &selectInput{}
	var err error
	if in.isNew, err = s.readNew(); err != nil {
		return nil, err
	}
	in.columns, err = intake.Benchmarks(s.benchmarks, func(b *intake.Benchmark) error {
		c, err := s.candidate(in, b, track)
		in.candidates = append(in.candidates, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.retireCandidates(in); err != nil {
		return nil, err
	}
	return in, s.addStatus(cmd, in)
}

// candidate converts one benchmark of the list.
func (s *selectFlags) candidate(in *selectInput, b *intake.Benchmark, track comp.Track) (candidate, error) {
	library := libraryPath(b.Path)
	c := candidate{
		named:  b.Named,
		family: b.Family,
		isNew:  b.New || in.isNew[library] || s.newPrefix != "" && strings.HasPrefix(b.Family, s.newPrefix),
		facts: selection.Facts{
			Path:        library,
			Logic:       comp.Logic(b.Logic),
			Incremental: b.Incremental,
			Status:      comp.StatusUnknown,
			Asserts:     int(b.Asserts),
			Retired:     b.Retired,
		},
	}
	if status := comp.Status(b.Status); status.Known() {
		c.facts.Status = status
	}
	if !strings.Contains(b.Named, "incremental/") && track == comp.Incremental {
		c.facts.Incremental = true // a list without the folder of the collection belongs to the track's collection
	}
	return c, nil
}

// retireCandidates applies the list of retired benchmarks.
func (s *selectFlags) retireCandidates(in *selectInput) error {
	names := make([]string, len(in.candidates))
	for i, c := range in.candidates {
		names[i] = c.named
	}
	return s.eachRetired(names, func(i int, reason string) { in.candidates[i].facts.Retired = reason })
}

// eachRetired calls do for each of the benchmarks that the list of retired ones names.
func (s *selectFlags) eachRetired(names []string, do func(i int, reason string)) error {
	if s.retired == "" {
		return nil
	}
	list, err := readFile(s.retired, selection.ReadUnfit)
	if err != nil {
		return err
	}
	of, err := selection.FindUnfit(list, names)
	if err != nil {
		return fmt.Errorf("%s: %w", s.retired, err)
	}
	for i, k := range of {
		if k >= 0 {
			do(i, list[k].Reason)
		}
	}
	return nil
}

// addStatus applies the status table, which overrides the list.
func (s *selectFlags) addStatus(cmd *cobra.Command, in *selectInput) error {
	table, err := s.readStatus(cmd)
	if err != nil || table == nil {
		return err
	}
	for i := range in.candidates {
		f := &in.candidates[i].facts
		if line, ok := table[f.Path]; ok {
			f.Status, f.Asserts = line.Status, line.Asserts
		}
	}
	in.columns = append(in.columns, "status", "asserts")
	return nil
}
