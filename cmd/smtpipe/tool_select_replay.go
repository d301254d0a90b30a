package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
)

// replay selects like the organisers' script and writes the list in the script's format.
func (s *selectFlags) replay(cmd *cobra.Command) error {
	if s.params == "" {
		return exit.With(exit.Usage, errors.New("--generator cpython needs --params"))
	}
	params, err := readFile(s.params, selection.ReadReplayParams)
	if err != nil {
		return err
	}
	for _, key := range params.Ignored {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s: unknown key %q was ignored\n", s.params, key)
	}
	if cmd.Flags().Changed("seed") {
		params.Options.Seed = new(big.Int).SetUint64(s.seed)
	}
	input, err := s.replayInput(cmd.ErrOrStderr(), params.Options)
	if err != nil {
		return err
	}
	replayed, err := selection.Replay(input, params.Options)
	if err != nil {
		return err
	}
	text := strings.Join(replayed.Paths, "\n")
	if params.FinalNewline {
		text += "\n"
	}
	reportReplay(cmd.ErrOrStderr(), replayed.Groups)
	return s.write(cmd, text)
}

func (s *selectFlags) replayInput(stderr io.Writer, opt selection.ReplayOptions) (selection.ReplayInput, error) {
	var input selection.ReplayInput
	var err error
	if input.All, err = readFile(s.benchmarks, selection.ReadList); err != nil {
		return input, err
	}
	if s.newList != "" {
		if input.New, err = readFile(s.newList, selection.ReadList); err != nil {
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
	if s.status == "" {
		return input, exit.With(exit.Usage, fmt.Errorf("%s filters by status or asserts, which needs --status",
			s.params))
	}
	table, err := readFile(s.status, selection.ReadStatus)
	for _, w := range table.Warnings {
		fmt.Fprintf(stderr, "Warning: %s: %s\n", s.status, w)
	}
	input.Status = table.Lines
	return input, err
}

// retireReplayed removes the retired benchmarks from the lists, so that nothing is drawn for them.
func (s *selectFlags) retireReplayed(input *selection.ReplayInput) error {
	if s.retired == "" {
		return nil
	}
	list, err := readFile(s.retired, selection.ReadUnfit)
	if err != nil {
		return err
	}
	of, err := selection.FindUnfit(list, input.All)
	if err != nil {
		return fmt.Errorf("%s: %w", s.retired, err)
	}
	gone := map[string]bool{}
	for i, k := range of {
		if k >= 0 {
			gone[libraryPath(input.All[i])] = true
		}
	}
	retired := func(name string) bool { return gone[libraryPath(name)] }
	input.All, input.New = slices.DeleteFunc(input.All, retired), slices.DeleteFunc(input.New, retired)
	return nil
}

// libraryPath returns the path from the logic on. If no folder is a logic, it returns the name unchanged.
func libraryPath(name string) string {
	if _, library, ok := comp.LibraryPath(name); ok {
		return library
	}
	return name
}

// replayEasy finds the benchmarks that the script removes because of earlier results in any single file.
func (s *selectFlags) replayEasy() (map[string]bool, error) {
	easy := map[string]bool{}
	for _, file := range s.history {
		if _, name, err := yearOf(file); err == nil {
			file = name
		}
		rows, err := intake.History(file, intake.Source{Year: preselect.ThisYear, Track: comp.SingleQuery})
		if err != nil {
			return nil, err
		}
		addReplayEasy(easy, rows)
	}
	return easy, nil
}

// addReplayEasy adds the benchmarks that at least two runs tried and all of them solved, consistently with the status,
// in at most one CPU-second. A CPU time below 0 means that it was not measured.
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

// reportReplay prints facts that the list alone does not show.
func reportReplay(stderr io.Writer, groups []selection.ReplayGroup) {
	for _, g := range groups {
		if g.NoStatus > 0 {
			fmt.Fprintf(stderr, "Warning: %s: %d benchmarks are not in the status table and were left out\n", g.Logic,
				g.NoStatus)
		}
	}
}
