package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
)

// selectFlags are the flags of "tool select".
type selectFlags struct {
	preselect.Files
	generator string
	output    string

	rules       string
	track       string
	seed        uint64
	opening     string
	logics      []string
	submissions []string
	competitive string
	set         []string
	practice    bool
	options     map[string]*string // values of the flags in selectOptions

	openingFactor int64

	flavour string

	table      string
	eligible   string
	exclusions string
	choices    string
}

func newToolSelectCommand() *cobra.Command {
	var s selectFlags
	cmd := &cobra.Command{
		Use:   "select --rules YEAR|FOLDER --seed N --benchmarks FILE",
		Short: "Select the benchmarks of a track by the rules of a year, or as the organisers' script did",
		Long: `select chooses the benchmarks of one track. With --rules it does so by the rules of a year that is part of the program,
or of a folder such as ./2027: by the module tracks.hcl that its pipelines use, with the C library's random() and the draw
order of docs/write/randomness.md. --set gives values to variables of that module, where its text can be read in several ways. With
--generator cpython it repeats the organisers' script of 2019-2023 with the parameters of a file, to the byte.

Files may be plain or compressed (gzip, zstd, bzip2, xz). --benchmarks takes the organisers' benchmarks-YYYY.json, a table
benchmarks/1 (Parquet, CSV, JSON lines) or a list of paths; --history and --results take the organisers' JSON, StarExec's
job tables, BenchExec's XML or a table history/1. docs/write/selection.md describes the columns, the rules of each year and the
readings that its variables choose between.

` + exit.Help,
		Example: `  smtpipe tool select --rules 2026 --seed 22731074 --benchmarks benchmarks-2025.json.gz \
      --new-prefix 2025 --history results-sq-2024.json.gz -o selected.txt --table groups.csv
  smtpipe tool select --generator cpython --params params.json --benchmarks all.txt.gz --new new.txt.gz`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.execute(cmd) },
	}
	s.register(cmd)
	return cmd
}

func (s *selectFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&s.rules, "rules", "", "rules: a year of the program, or the path of a folder")
	f.StringVar(&s.track, "track", comp.SingleQuery.String(), "track to select for")
	f.Uint64Var(&s.seed, "seed", 0, "competition seed, 0 to 4294967295; for polars and cpython to 2^64-1")
	f.StringVar(&s.Benchmarks, "benchmarks", "", "benchmarks to select from")
	f.StringVar(&s.NewList, "new", "", "list of the benchmarks that are new this year")
	f.StringVar(&s.NewPrefix, "new-prefix", "", "take benchmarks for new whose family begins with this")
	f.StringVar(&s.Status, "status", "",
		"status table, CSV: benchmark, status, number of asserts, sqSatRes, sqUnsatRes")
	f.StringArrayVar(&s.History, "history", nil,
		"[YEAR=]FILE with results of the track in an earlier year (repeatable)")
	f.StringArrayVar(&s.Results, "results", nil, "file with this year's single-query results, for the unknown status "+
		"(repeatable)")
	f.StringVar(&s.Retired, "retired", "", "list of retired benchmarks, CSV: benchmark, reason")
	f.StringSliceVar(&s.logics, "logics", nil, "logics that are run (default: the logics of the submissions, else all)")
	f.StringSliceVar(&s.submissions, "submissions", nil, "submission files, for the competitive logics and the seed")
	f.StringVar(&s.competitive, "competitive", "",
		"a logic is competitive with two teams (teams), or two participations (entries, the default for polars)")
	f.StringVar(&s.opening, "opening", "", "opening value of the stock index, for the seed (with --submissions)")
	f.Int64Var(&s.openingFactor, "opening-factor", 0, "what the opening value is multiplied by (default: as in the "+
		"rules of the year)")
	f.StringArrayVar(&s.set, "set", nil, "NAME=VALUE of a variable of the rules' module (repeatable)")
	s.options = map[string]*string{}
	for _, o := range selectOptions {
		s.options[o.flag] = f.String(o.flag, "", fmt.Sprintf("%s; as --set %s=...", o.usage, o.variable))
	}
	f.BoolVar(&s.practice, "practice", false, "sizes, easy and new benchmarks, and logics of models as in the "+
		"organisers' tool; as --set "+strings.Join(practice, ", "))
	f.StringVar(&s.generator, "generator", "glibc", "random numbers: glibc, or all as the organisers do: cpython for "+
		"their script, polars for their tool")
	f.StringVar(&s.Params, "params", "", "cpython: parameters of the script, JSON")
	f.StringVar(&s.flavour, "flavour", "", "polars: rand-0.8 (polars up to 1.31) or rand-0.9 (from 1.32 on)")
	f.StringVarP(&s.output, "output", "o", "", "file for the selected paths (default: standard output)")
	f.StringVar(&s.table, "table", "", "file for the counts of each logic, CSV")
	f.StringVar(&s.eligible, "eligible", "", "file for the paths that were drawn from, selected or not")
	f.StringVar(&s.exclusions, "exclusions", "", "file for the counts by logic and reason, CSV")
	f.StringVar(&s.choices, "choices", "", "file for the reason of each benchmark, CSV")
}

func (s *selectFlags) execute(cmd *cobra.Command) error {
	if s.Benchmarks == "" {
		return exit.With(exit.Usage, errors.New("--benchmarks is required"))
	}
	switch {
	case s.generator == "cpython":
		var unused error
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if !slices.Contains(replayed, f.Name) {
				unused = exit.With(exit.Usage, fmt.Errorf("--%s has no effect with --generator cpython; leave it out",
					f.Name))
			}
		})
		if unused != nil {
			return unused
		}
		return s.replay(cmd)
	case s.Params != "":
		return exit.With(exit.Usage, errors.New("--params has no effect without --generator cpython; leave it out"))
	case s.generator != "glibc" && s.generator != byPolars:
		return exit.With(exit.Usage, fmt.Errorf("unknown generator %q; it must be glibc, cpython or polars",
			s.generator))
	case s.rules == "":
		return exit.With(exit.Usage, fmt.Errorf("--rules is required: a folder, or one of %s",
			strings.Join(rules.Names(), ", ")))
	}
	return s.byRules(cmd)
}

// write writes the selection to the output file or to standard output.
func (s *selectFlags) write(cmd *cobra.Command, text string) error {
	if s.output == "" {
		_, err := io.WriteString(cmd.OutOrStdout(), text)
		return err
	}
	return outfile.WriteText(s.output, text)
}

// lines returns the texts, each followed by a newline.
func lines(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(texts, "\n") + "\n"
}

// replayed lists the flags that a selection by the organisers' script has.
var replayed = []string{"generator", "params", "benchmarks", "new", "status", "history", "retired", "seed", "output"}

// replay selects like the organisers' script and writes the list in that script's format.
func (s *selectFlags) replay(cmd *cobra.Command) error {
	if s.Params == "" {
		return exit.With(exit.Usage, errors.New("--generator cpython needs --params"))
	}
	params, err := preselect.ReadFile(s.Params, selection.ReadReplayParams)
	if err != nil {
		return err
	}
	for _, key := range params.Ignored {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s: unknown key %q was ignored\n", s.Params, key)
	}
	if cmd.Flags().Changed("seed") {
		params.Options.Seed = new(big.Int).SetUint64(s.seed)
	}
	replayed, err := s.Files.Replay(cmd.ErrOrStderr(), params.Options)
	if err != nil {
		return err
	}
	text := strings.Join(replayed.Paths, "\n")
	if params.FinalNewline {
		text += "\n"
	}
	for _, g := range replayed.Groups {
		if g.NoStatus > 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s: %d benchmarks are not in the status table and were left out\n",
				g.Logic, g.NoStatus)
		}
	}
	return s.write(cmd, text)
}
