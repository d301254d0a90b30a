package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results/intake"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// replay selects as the organisers' script did and writes the list in its form.
func (s *selectFlags) replay(cmd *cobra.Command) error {
	if s.params == "" {
		return withExit(exitUsage, errors.New("--generator cpython needs --params"))
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
	if input.Easy, err = s.replayEasy(input.All); err != nil {
		return input, err
	}
	if opt.Status == "" && opt.MinAsserts == 0 {
		return input, nil
	}
	if s.status == "" {
		return input, withExit(exitUsage, fmt.Errorf("%s filters by status or asserts, which needs --status", s.params))
	}
	table, err := readFile(s.status, selection.ReadStatus)
	for _, w := range table.Warnings {
		fmt.Fprintf(stderr, "Warning: %s: %s\n", s.status, w)
	}
	input.Status = table.Lines
	return input, err
}

// retireReplayed takes the retired benchmarks out of the lists, so that nothing is drawn for them.
func (s *selectFlags) retireReplayed(input *selection.ReplayInput) error {
	gone := map[string]bool{}
	err := s.eachRetired(input.All, func(i int, _ string) { gone[libraryPath(input.All[i])] = true })
	if len(gone) > 0 {
		retired := func(name string) bool { return gone[libraryPath(name)] }
		input.All, input.New = slices.DeleteFunc(input.All, retired), slices.DeleteFunc(input.New, retired)
	}
	return err
}

// replayEasy finds what the script removes for earlier results: benchmarks that in any one file all of at least two
// runs solved, not against the status, in at most one second of CPU time.
func (s *selectFlags) replayEasy(all []string) (map[string]bool, error) {
	rule := selection.EasyRule{AnyYear: true, CPU: true, LimitS: 1, Inclusive: true, MinRuns: 2}
	var histories selection.Histories
	for i, file := range s.history {
		if _, name, err := yearOf(file); err == nil {
			file = name
		}
		rule.Years = append(rule.Years, i) // a file stands for a year
		rows, err := intake.History(file, intake.Source{Year: 1, Track: comp.SingleQuery})
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			answer := comp.Answer(r.Answer)
			solved := answer.Decides() && !answer.Contradicts(comp.Status(r.Status))
			if _, library, ok := comp.LibraryPath(r.Benchmark); ok {
				histories.Add(library, i, solved, r.CPUTimeS, r.WallTimeS)
			}
		}
	}
	easy := map[string]bool{}
	for _, p := range all {
		if _, library, ok := comp.LibraryPath(p); ok && rule.Easy(histories.Of(library)) {
			easy[library] = true
		}
	}
	return easy, nil
}

// reportReplay prints what the list alone does not show.
func reportReplay(stderr io.Writer, groups []selection.ReplayGroup) {
	for _, g := range groups {
		if g.NoStatus > 0 {
			fmt.Fprintf(stderr, "Warning: %s: %d benchmarks are not in the status table and were left out\n", g.Logic,
				g.NoStatus)
		}
	}
}
