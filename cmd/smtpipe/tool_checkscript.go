package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model"
)

func newToolCheckScriptCommand() *cobra.Command {
	var track, year string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check-script --track T FILE...",
		Short: "Check scripts against the restrictions of the rules",
		Long: `check-script checks that scripts obey the restrictions that the rules of a year (§5.1) put on what a solver
is given in a track: the order of set-option and set-logic, a single check-sat, names of terms, push and pop by one level,
sorts without parameters, exit, no other commands; and that every symbol is declared before it is used and every term is
well-sorted. It looks at the script after scrambling, so a benchmark of the library lacks the options that the scrambler adds
for some tracks; only set-info may stand anywhere, where the scrambler removes it. Where a script leaves its
logic (a product of variables where all is linear, a sort or function that the logic does not have) is a warning on stderr.

Each violation is a line FILE:LINE:COLUMN: message (rule) on standard output, or with --json an object. "-" is standard
input. The exit code is 1 if there is a violation or a file that cannot be read or parsed.

The rule beside a violation names the document. Years without a document of their own are checked by that of a year near them.

` + exit.Help,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if track == "" {
				return exit.With(exit.Usage, fmt.Errorf("--track is required; the tracks are %v", comp.Tracks()))
			}
			t, err := comp.ParseTrack(track)
			if err != nil {
				return exit.With(exit.Usage, fmt.Errorf("--track: %w", err))
			}
			r, err := project.LoadRules(cmd.ErrOrStderr(), year)
			if err != nil {
				return err
			}
			if err := r.Scripts.Covers(t); err != nil {
				return exit.With(exit.Usage, err)
			}
			return runCheckScript(cmd, args, t, &r.Scripts, asJSON)
		},
	}
	cmd.Flags().StringVar(&track, "track", "", "the track, as single_query (required)")
	addRulesFlag(cmd.Flags(), &year)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per violation and line")
	return cmd
}

func runCheckScript(cmd *cobra.Command, files []string, track comp.Track, rules *smtlib.ScriptRules,
	asJSON bool,
) error {
	bad, unread := 0, 0
	for _, file := range files {
		found, warnings, err := checkScriptFile(cmd.Context(), cmd.InOrStdin(), file, track, rules)
		if err != nil {
			fmt.Fprintf(inert{cmd.ErrOrStderr()}, "Error: %s: %v\n", file, err)
			unread++
		}
		for _, w := range warnings {
			fmt.Fprintf(inert{cmd.ErrOrStderr()}, "Warning: %s:%d:%d: %s\n", file, w.Position.Line, w.Position.Column,
				w.Text)
		}
		if len(found) > 0 {
			bad++
		}
		if err := writeViolations(cmd.OutOrStdout(), file, found, asJSON); err != nil {
			return err
		}
	}
	return checkScriptEnd(bad, unread, len(files))
}

// checkScriptEnd returns the error of the whole command, if there is one.
func checkScriptEnd(bad, unread, all int) error {
	switch {
	case bad > 0 && unread > 0:
		return exit.With(exit.Error, fmt.Errorf("%d of %d scripts break the restrictions, and %d could not be read",
			bad, all, unread))
	case bad > 0:
		return exit.With(exit.Error, fmt.Errorf("%d of %d scripts break the restrictions", bad, all))
	case unread > 0:
		return exit.With(exit.Error, fmt.Errorf("%d of %d scripts could not be read", unread, all))
	}
	return nil
}

// maxLintedSort is the maximum nesting depth of sorts that are checked for well-sortedness, because sorts are compared
// and expanded part by part.
const maxLintedSort = 50_000

// deepSorts returns the nesting depth of a script's sorts if it is too deep for model.Lint, and 0 otherwise.
func deepSorts(src []byte) (int, error) {
	info, err := smtlib.Inspect(src)
	if err == nil && info.MaxDepth <= maxLintedSort {
		return 0, nil
	}
	s, err := smtlib.Parse(src)
	if err != nil {
		return 0, err
	}
	if depth := s.SortDepth(); depth > maxLintedSort {
		return depth, nil
	}
	return 0, nil
}

// checkScriptFile checks a script against the rules, and checks its sorts and logic. Scripts of version 1 are checked
// only against the rules.
func checkScriptFile(ctx context.Context, stdin io.Reader, file string, track comp.Track,
	rules *smtlib.ScriptRules) (found []smtlib.Violation, warnings []model.Finding, err error) {
	src, err := readBenchmark(stdin, file)
	if err != nil {
		return nil, nil, err
	}
	if found, err = smtlib.CheckScript(src, track, rules); err != nil || rules.Version1 {
		return found, nil, err
	}
	if depth, err := deepSorts(src); err != nil || depth > 0 {
		text := fmt.Sprintf("a sort is nested %d levels deep, so it is not checked that terms are well-sorted", depth)
		return found, []model.Finding{{Position: smtlib.PositionAt(string(src), 0), Text: text}}, err
	}
	errs, warnings, err := model.Lint(ctx, src)
	for _, e := range errs {
		found = append(found, smtlib.Violation{Position: e.Position, Rule: "SMT-LIB standard, §3.6, §4.2: declared " +
			"and well-sorted", Message: e.Text})
	}
	slices.SortStableFunc(found, func(a, b smtlib.Violation) int {
		return cmp.Compare(a.Position.Offset,
			b.Position.Offset)
	})
	return found, warnings, err
}

func writeViolations(w io.Writer, file string, found []smtlib.Violation, asJSON bool) error {
	for _, v := range found {
		var err error
		if asJSON {
			err = json.NewEncoder(w).Encode(map[string]any{
				"file": file, "line": v.Position.Line, "column": v.Position.Column, "message": v.Message,
				"rule": v.Rule,
			})
		} else {
			_, err = fmt.Fprintf(inert{w}, "%s:%d:%d: %s (%s)\n", file, v.Position.Line, v.Position.Column, v.Message,
				v.Rule)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
