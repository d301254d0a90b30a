package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results/compressed"
	"github.com/smtpipe/smtpipe/internal/results/intake"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// candidate is a benchmark of the list with what the rules ask about it.
type candidate struct {
	named      string // as the list has it
	family     string
	division   string // 2008
	category   string // 2008
	difficulty int    // 2008
	isNew      bool
	facts      selection.Facts // Path is that of the library, from the logic on, or a name that is no path
}

// selectInput is what the files say.
type selectInput struct {
	candidates []candidate
	columns    []string
	isNew      map[string]bool // library paths of --new
}

// readInput reads all files and puts their facts together.
func (s *selectFlags) readInput(cmd *cobra.Command, track comp.Track, easy selection.EasyRule) (*selectInput, error) {
	in, err := s.readCandidates(cmd, track)
	if err != nil {
		return nil, err
	}
	if err := s.addHistory(in, track); err != nil {
		return nil, err
	}
	if err := s.addResults(in); err != nil {
		return nil, err
	}
	if len(easy.Years) > 0 && len(s.history) == 0 {
		fmt.Fprintln(cmd.ErrOrStderr(), "Warning: no --history was given, so no benchmark counts as easy")
	}
	return in, s.checkColumns(in, track)
}

// readCandidates reads what does not depend on results.
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
	if err := s.retire(in); err != nil {
		return nil, err
	}
	return in, s.addStatus(cmd, in)
}

// candidate takes over one benchmark of the list.
func (s *selectFlags) candidate(in *selectInput, b *intake.Benchmark, track comp.Track) (candidate, error) {
	library := libraryPath(b.Path)
	c := candidate{
		named:      b.Named,
		family:     b.Family,
		division:   b.Division,
		category:   b.Category,
		difficulty: b.Difficulty,
		isNew:      b.New || in.isNew[library] || s.newPrefix != "" && strings.HasPrefix(b.Family, s.newPrefix),
		facts: selection.Facts{
			Path:        library,
			Logic:       comp.Logic(b.Logic),
			Incremental: b.Incremental,
			Status:      comp.StatusUnknown,
			Asserts:     int(b.Asserts),
			KnownPrefix: b.KnownPrefix,
			Retired:     b.Retired,
			SaysSat:     b.SaysSat,
			SaysUnsat:   b.SaysUnsat,
		},
	}
	if status := comp.Status(b.Status); status.Known() {
		c.facts.Status = status
	}
	if !strings.Contains(b.Named, "incremental/") && track == comp.Incremental {
		c.facts.Incremental = true // a list without the folder of the collection is that of the track
	}
	if b.Total > 0 {
		var err error
		if c.difficulty, err = selection.Difficulty(b.Solved, b.Total); err != nil {
			return c, err
		}
	}
	return c, nil
}

// libraryPath returns the path from the logic on, or the name as it is when no folder is a logic.
func libraryPath(name string) string {
	if _, library, ok := comp.LibraryPath(name); ok {
		return library
	}
	return name
}

// checkColumns holds that the files say what the rules of the track ask.
func (s *selectFlags) checkColumns(in *selectInput, track comp.Track) error {
	need := map[string]string{}
	switch {
	case s.rules == 2008:
		need["status"], need["category"] = "statuses", "categories"
		if !slices.Contains(in.columns, "difficulty") {
			need["total"] = "difficulties (or solved and total)"
		}
	case s.rules == 2015 && track == comp.Incremental:
		if !slices.Contains(in.columns, "statuses") {
			need["known_prefix"] = "known prefixes (known_prefix or statuses)"
		}
	case s.rules == 2015, track == comp.ModelValidation, track == comp.ProofExhibition:
		need["status"] = "statuses"
	case track == comp.UnsatCore:
		need["status"], need["asserts"] = "statuses", "numbers of asserts"
	}
	for _, column := range []string{"status", "asserts", "category", "total", "known_prefix"} {
		if what, needed := need[column]; needed && len(in.candidates) > 0 && !slices.Contains(in.columns, column) {
			return withExit(exitUsage, fmt.Errorf("the rules of %d for track %v need %s; give a table with the "+
				"column %s "+
				"(for status and asserts also --status)", s.rules, track, what, column))
		}
	}
	return nil
}

// readNew reads the list of new benchmarks by library path.
func (s *selectFlags) readNew() (map[string]bool, error) {
	if s.newList == "" {
		return nil, nil
	}
	list, err := readFile(s.newList, selection.ReadList)
	if err != nil {
		return nil, err
	}
	isNew := make(map[string]bool, len(list))
	for _, p := range list {
		isNew[libraryPath(p)] = true
	}
	return isNew, nil
}

// retire takes over the list of retired benchmarks.
func (s *selectFlags) retire(in *selectInput) error {
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

// addStatus takes over the status table, which wins over the list.
func (s *selectFlags) addStatus(cmd *cobra.Command, in *selectInput) error {
	if s.status == "" {
		return nil
	}
	table, err := readFile(s.status, selection.ReadStatus)
	for _, w := range table.Warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s: %s\n", s.status, w)
	}
	if err != nil {
		return err
	}
	for i := range in.candidates {
		f := &in.candidates[i].facts
		if line, ok := table.Lines[f.Path]; ok {
			f.Status, f.Asserts = line.Status, line.Asserts
			f.SaysSat, f.SaysUnsat = f.SaysSat || line.Sat > 0, f.SaysUnsat || line.Unsat > 0
		}
	}
	in.columns = append(in.columns, "status", "asserts")
	return nil
}

// addHistory takes over the results of earlier years.
func (s *selectFlags) addHistory(in *selectInput, track comp.Track) error {
	corresponding := track
	if track == comp.Parallel || track == comp.Cloud {
		corresponding = comp.SingleQuery // hard instances are those of the single-query track
	}
	var histories selection.Histories
	for _, arg := range s.history {
		year, file, err := yearOf(arg)
		if err != nil {
			return withExit(exitUsage, err)
		}
		rows, err := intake.History(file, intake.Source{Year: year, Track: corresponding})
		if err != nil {
			return err
		}
		for _, r := range rows {
			histories.Add(libraryPath(r.Benchmark), int(r.Year), comp.Answer(r.Answer).Decides(), r.CPUTimeS,
				r.WallTimeS)
		}
	}
	for i := range in.candidates {
		in.candidates[i].facts.History = histories.Of(in.candidates[i].facts.Path)
	}
	return nil
}

// fourDigits finds the year in a file's name.
var fourDigits = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)[0-9]{2})(?:[^0-9]|$)`)

// yearOf splits [YEAR=]FILE; without a year it is that of the file's name.
func yearOf(arg string) (int, string, error) {
	if before, file, ok := strings.Cut(arg, "="); ok {
		if year, err := strconv.Atoi(before); err == nil {
			return year, file, nil
		}
	}
	if m := fourDigits.FindStringSubmatch(filepath.Base(arg)); m != nil {
		year, err := strconv.Atoi(m[1])
		return year, arg, err
	}
	return 0, "", fmt.Errorf("the name of %s has no year; write --history YEAR=%s", arg, arg)
}

// addResults judges the benchmarks of unknown status by this year's sound answers.
func (s *selectFlags) addResults(in *selectInput) error {
	if len(s.results) == 0 {
		return nil
	}
	catalog, err := s.readCatalog()
	if err != nil {
		return err
	}
	status := make(map[string]comp.Status, len(in.candidates))
	for _, c := range in.candidates {
		status[c.facts.Path] = c.facts.Status
	}
	var answered []selection.Answered
	for _, file := range s.results {
		rows, err := intake.History(file, intake.Source{Year: s.rules, Track: comp.SingleQuery})
		if err != nil {
			return err
		}
		for _, r := range rows {
			library := libraryPath(r.Benchmark)
			a := selection.Answered{Benchmark: library, Solver: r.Solver, Division: comp.Division(r.Logic),
				Status: status[library], Answer: comp.Answer(r.Answer)}
			if catalog != nil {
				if d, ok := catalog.DivisionOf(comp.SingleQuery, comp.Logic(r.Logic)); ok {
					a.Division = d
				}
			}
			answered = append(answered, a)
		}
	}
	says := selection.SoundAnswers(answered)
	for i := range in.candidates {
		f := &in.candidates[i].facts
		f.SaysSat, f.SaysUnsat = f.SaysSat || says[f.Path].Sat, f.SaysUnsat || says[f.Path].Unsat
	}
	return nil
}

// readFile reads a plain or compressed file with a decoder.
func readFile[T any](path string, decode func(io.Reader) (T, error)) (T, error) {
	var none T
	in, err := compressed.Open(path)
	if err != nil {
		return none, err
	}
	value, err := decode(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return value, fmt.Errorf("%s: %w", path, err)
	}
	return value, nil
}
