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

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
)

// readTables reads all files for a selection.
func (s *selectFlags) readTables(cmd *cobra.Command, m *preselect.Module, track comp.Track) (*preselect.List, error) {
	marks := preselect.Marks{NewPrefix: s.newPrefix}
	var err error
	if marks.New, err = s.readNew(); err != nil {
		return nil, err
	}
	if marks.Status, err = s.readStatus(cmd); err != nil {
		return nil, err
	}
	list, err := preselect.ReadList(s.benchmarks, track, marks)
	if err != nil {
		return nil, err
	}
	if err := s.retire(list); err != nil {
		return nil, err
	}
	if err := s.addHistory(list); err != nil {
		return nil, err
	}
	if m.Has("history") && len(s.history) == 0 && asksHistory(track) {
		fmt.Fprintln(cmd.ErrOrStderr(), "Warning: no --history was given, so no benchmark counts as easy, and for "+
			"none is known how hard it is")
	}
	return list, s.addResults(list)
}

// asksHistory reports whether a track uses earlier years.
func asksHistory(track comp.Track) bool {
	return track == comp.SingleQuery || track == comp.Parallel || track == comp.Cloud
}

// alternatives are columns from which another column follows.
var alternatives = map[string]string{"difficulty": "total", "statuses": "known_prefix"}

// checkColumns checks that the list has the columns that the rules need.
func (s *selectFlags) checkColumns(list *preselect.List, need []string) error {
	var missing []string
	for _, column := range need {
		if !slices.Contains(list.Columns, column) && !slices.Contains(list.Columns, alternatives[column]) &&
			(column != "difficulty" || len(s.history) == 0) {
			missing = append(missing, column)
		}
	}
	if len(missing) == 0 || len(list.Paths) == 0 {
		return nil
	}
	return exit.With(exit.Usage, fmt.Errorf("the rules of %s ask more of the benchmarks for this track than %s "+
		"says; give a table with the columns %s (for status and asserts also --status)", s.rules, s.benchmarks,
		strings.Join(missing, ", ")))
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

// retire applies the list of retired benchmarks.
func (s *selectFlags) retire(list *preselect.List) error {
	if s.retired == "" {
		return nil
	}
	unfit, err := readFile(s.retired, selection.ReadUnfit)
	if err != nil {
		return err
	}
	if err := list.Retire(unfit); err != nil {
		return fmt.Errorf("%s: %w", s.retired, err)
	}
	return nil
}

// readStatus reads the status table, which overrides the list. It returns nil if there is none.
func (s *selectFlags) readStatus(cmd *cobra.Command) (map[string]selection.StatusLine, error) {
	if s.status == "" {
		return nil, nil
	}
	table, err := readFile(s.status, selection.ReadStatus)
	for _, w := range table.Warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s: %s\n", s.status, w)
	}
	return table.Lines, err
}

// addHistory adds the results of earlier years.
func (s *selectFlags) addHistory(list *preselect.List) error {
	for _, arg := range s.history {
		year, file, err := yearOf(arg)
		if err != nil {
			return exit.With(exit.Usage, err)
		}
		rows, err := intake.History(file, intake.Source{Year: year, Track: comp.SingleQuery})
		if err != nil {
			return err
		}
		list.AddHistory(rows)
	}
	return nil
}

// fourDigits finds the year in a file name.
var fourDigits = regexp.MustCompile(`(?:^|[^0-9])((?:19|20)[0-9]{2})(?:[^0-9]|$)`)

// yearOf splits [YEAR=]FILE. Without a year it uses the one in the file name.
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

// addResults adds the results of this year's single-query track.
func (s *selectFlags) addResults(list *preselect.List) error {
	var all []results.HistoryRow
	for _, file := range s.results {
		rows, err := intake.History(file, intake.Source{Year: preselect.ThisYear, Track: comp.SingleQuery})
		if err != nil {
			return err
		}
		all = append(all, rows...)
	}
	list.SetAnswers(all)
	return nil
}

// readFile decodes a plain or compressed file.
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
