package preselect

import (
	"errors"
	"fmt"
	"io"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// Files holds the paths of a selection's files.
type Files struct {
	Params     string // parameter file of the organisers' script
	Benchmarks string
	NewList    string   // list of this year's new benchmarks
	NewPrefix  string   // prefix of their families
	Status     string   // status table
	Retired    string   // list of retired benchmarks
	History    []string // [YEAR=]FILE with earlier years' results
	Results    []string // results of this year's single-query track
}

// ReadTables reads all files for a selection.
func (s *Files) ReadTables(stderr io.Writer, m *Module, track comp.Track) (*List, error) {
	marks := Marks{NewPrefix: s.NewPrefix}
	var err error
	if marks.New, err = s.readNew(); err != nil {
		return nil, err
	}
	if marks.Status, err = s.readStatus(stderr); err != nil {
		return nil, err
	}
	list, err := ReadList(s.Benchmarks, track, marks)
	if err != nil {
		return nil, err
	}
	if err := s.retire(list); err != nil {
		return nil, err
	}
	if err := s.addHistory(list); err != nil {
		return nil, err
	}
	if m.Has("history") && len(s.History) == 0 && asksHistory(track) {
		fmt.Fprintln(stderr, "Warning: without --history, no benchmark counts as easy, and no "+
			"benchmark's difficulty is known")
	}
	return list, s.addResults(list)
}

// asksHistory reports whether a track uses results of earlier years.
func asksHistory(track comp.Track) bool {
	return track == comp.SingleQuery || track == comp.Parallel || track == comp.Cloud
}

// readNew reads the list of new benchmarks, keyed by library path.
func (s *Files) readNew() (map[string]bool, error) {
	if s.NewList == "" {
		return nil, nil
	}
	list, err := ReadFile(s.NewList, selection.ReadList)
	if err != nil {
		return nil, err
	}
	isNew := make(map[string]bool, len(list))
	for _, p := range list {
		isNew[comp.FromLogic(p)] = true
	}
	return isNew, nil
}

// retire applies the list of retired benchmarks.
func (s *Files) retire(list *List) error {
	if s.Retired == "" {
		return nil
	}
	unfit, err := ReadFile(s.Retired, selection.ReadUnfit)
	if err != nil {
		return err
	}
	if err := list.Retire(unfit); err != nil {
		return fmt.Errorf("%s: %w", s.Retired, err)
	}
	return nil
}

// readStatus reads the status table, which overrides the list. It returns nil without a table.
func (s *Files) readStatus(stderr io.Writer) (map[string]selection.StatusLine, error) {
	if s.Status == "" {
		return nil, nil
	}
	table, err := ReadFile(s.Status, selection.ReadStatus)
	for _, w := range table.Warnings {
		fmt.Fprintf(stderr, "Warning: %s: %s\n", s.Status, w)
	}
	return table.Lines, err
}

// addHistory adds earlier years' results.
func (s *Files) addHistory(list *List) error {
	for _, arg := range s.History {
		year, file, err := intake.YearOf(arg)
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

// addResults adds the results of this year's single-query track.
func (s *Files) addResults(list *List) error {
	var all []results.HistoryRow
	for _, file := range s.Results {
		rows, err := intake.History(file, intake.Source{Year: ThisYear, Track: comp.SingleQuery})
		if err != nil {
			return err
		}
		all = append(all, rows...)
	}
	list.SetAnswers(all)
	return nil
}

// ReadFile decodes a plain or compressed file.
func ReadFile[T any](path string, decode func(io.Reader) (T, error)) (T, error) {
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
