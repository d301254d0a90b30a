package preselect

import (
	"fmt"
	"io"
	"slices"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// Replay draws like the organisers' script.
func (s *Files) Replay(stderr io.Writer, opt selection.ReplayOptions) (selection.Replayed, error) {
	input, err := s.replayInput(stderr, opt)
	if err != nil {
		return selection.Replayed{}, err
	}
	return selection.Replay(input, opt)
}

func (s *Files) replayInput(stderr io.Writer, opt selection.ReplayOptions) (selection.ReplayInput, error) {
	var input selection.ReplayInput
	var err error
	if input.All, err = ReadFile(s.Benchmarks, selection.ReadList); err != nil {
		return input, err
	}
	if s.NewList != "" {
		if input.New, err = ReadFile(s.NewList, selection.ReadList); err != nil {
			return input, err
		}
	}
	if err := s.retireReplayed(&input); err != nil {
		return input, err
	}
	if input.Easy, err = s.replayEasy(); err != nil {
		return input, err
	}
	if opt.Status == "" && opt.MinAsserts == 0 {
		return input, nil
	}
	if s.Status == "" {
		return input, exit.With(exit.Usage, fmt.Errorf("%s filters by status or asserts, which requires --status",
			s.Params))
	}
	input.Status, err = s.readStatus(stderr)
	return input, err
}

// retireReplayed removes retired benchmarks from the lists, which keeps them out of the draw.
func (s *Files) retireReplayed(input *selection.ReplayInput) error {
	if s.Retired == "" {
		return nil
	}
	list, err := ReadFile(s.Retired, selection.ReadUnfit)
	if err != nil {
		return err
	}
	of, err := selection.FindUnfit(list, input.All)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Retired, err)
	}
	gone := map[string]bool{}
	for i, k := range of {
		if k >= 0 {
			gone[comp.FromLogic(input.All[i])] = true
		}
	}
	retired := func(name string) bool { return gone[comp.FromLogic(name)] }
	input.All, input.New = slices.DeleteFunc(input.All, retired), slices.DeleteFunc(input.New, retired)
	return nil
}

// replayEasy returns the benchmarks that the script removes because of the earlier results in any single file.
func (s *Files) replayEasy() (map[string]bool, error) {
	easy := map[string]bool{}
	for _, file := range s.History {
		if _, name, err := intake.YearOf(file); err == nil {
			file = name
		}
		rows, err := intake.History(file, intake.Source{Year: ThisYear, Track: comp.SingleQuery})
		if err != nil {
			return nil, err
		}
		addReplayEasy(easy, rows)
	}
	return easy, nil
}

// addReplayEasy adds the benchmarks that at least two runs tried and every run solved, consistently with the status, in
// at most one CPU-second. A CPU time below 0 means that it was not measured.
func addReplayEasy(easy map[string]bool, rows []results.HistoryRow) {
	quick, other := map[string]int{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		_, library, ok := comp.LibraryPath(r.Benchmark)
		if !ok {
			continue
		}
		answer := comp.Answer(r.Answer)
		if answer.Decides() && !answer.Contradicts(comp.Status(r.Status)) && 0 <= r.CPUTimeS && r.CPUTimeS <= 1 {
			quick[library]++
		} else {
			other[library] = true
		}
	}
	for library, runs := range quick {
		if runs >= 2 && !other[library] {
			easy[library] = true
		}
	}
}
