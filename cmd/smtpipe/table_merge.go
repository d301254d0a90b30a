package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
)

// mergeFlags are the flags of "table merge".
type mergeFlags struct {
	results bool
	track   string
	output  string
	prefer  string
}

func newTableMergeCommand() *cobra.Command {
	var flags mergeFlags
	cmd := &cobra.Command{
		Use:   "merge FILE...",
		Short: "Merge lists of benchmarks, or results",
		Long: `merge makes one table of several lists of benchmarks (benchmarks/1), or, with --results, of several files of results
(history/1), in any form that smtpipe reads; a file of results is [YEAR=]FILE; without YEAR the year is taken from the name. The
end of the output's name says its format: .csv, .jsonl, .json or .parquet.

A benchmark in several lists appears once. Where one list leaves something open that another knows, such as a status, the known
value is taken. Contradictions are errors, all of which are listed; --prefer first or last decides for a list.

` + exit.Help,
		Example: `  smtpipe table merge -o all.parquet benchmarks-2024.json.gz benchmarks-2025.json.gz`,
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			format, err := results.FormatOf(flags.output)
			if err != nil {
				return exit.With(exit.Usage, err)
			}
			if !slices.Contains([]string{"", "first", "last"}, flags.prefer) {
				return exit.With(exit.Usage, fmt.Errorf("--prefer is first or last, not %q", flags.prefer))
			}
			var table bytes.Buffer
			var n int
			if flags.results {
				n, err = flags.mergeResults(&table, args)
			} else {
				n, err = flags.mergeBenchmarks(&table, args)
			}
			if err != nil {
				return err
			}
			out := &table
			if format != results.Parquet {
				out = &bytes.Buffer{}
				if err := results.Export(out, bytes.NewReader(table.Bytes()), int64(table.Len()), format); err != nil {
					return err
				}
			}
			if err := outfile.WriteText(flags.output, out.String()); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.ErrOrStderr(), "%d rows of %d files\n", n, len(args))
			return err
		},
	}
	f := cmd.Flags()
	f.BoolVar(&flags.results, "results", false, "the files are results, not lists of benchmarks")
	addResultsTrack(f, &flags.track)
	f.StringVarP(&flags.output, "output", "o", "", "file to write")
	f.StringVar(&flags.prefer, "prefer", "", "which list is right if they contradict each other: first or last")
	cobra.CheckErr(cmd.MarkFlagRequired("output"))
	return cmd
}

// merged is a row that several files may contain, with the position of its first occurrence.
type merged[Row any] struct {
	row  Row
	file string
}

// libraryID identifies a benchmark in any list: its collection and its path below the collection.
func libraryID(b *intake.Benchmark) string {
	path := b.Path
	if _, below, ok := comp.LibraryPath(b.Path); ok {
		path = below
	}
	return collectionOf(b) + "/" + path
}

func (f *mergeFlags) mergeBenchmarks(out *bytes.Buffer, files []string) (int, error) {
	all := map[string]*merged[results.BenchmarkRow]{}
	var conflicts []error
	for _, file := range files {
		seen := map[string]bool{}
		_, err := intake.Benchmarks(file, func(b *intake.Benchmark) error {
			id := libraryID(b)
			if seen[id] {
				return fmt.Errorf("%s occurs twice", id)
			}
			seen[id] = true
			old := all[id]
			if old == nil {
				all[id] = &merged[results.BenchmarkRow]{b.BenchmarkRow, file}
				return nil
			}
			for _, field := range f.fill(&old.row, &b.BenchmarkRow) {
				conflicts = append(conflicts, fmt.Errorf("%s: %s is %s in %s and %s in %s", id, field[0], field[1],
					old.file, field[2], file))
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	if err := someConflicts(conflicts); err != nil {
		return 0, err
	}
	rows := make([]results.BenchmarkRow, 0, len(all))
	for _, id := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, all[id].row)
	}
	return len(rows), results.Write(out, rows)
}

// fill completes a row with another row for the same benchmark. If no list is preferred, it returns contradictions: the
// field and its two values.
func (f *mergeFlags) fill(old, row *results.BenchmarkRow) (conflicts [][3]string) {
	texts := []struct {
		name     string
		old, row *string
	}{
		{"status", &old.Status, &row.Status}, {"statuses", &old.Statuses, &row.Statuses},
		{"category", &old.Category, &row.Category}, {"sha256", &old.SHA256, &row.SHA256},
		{"archive_sha256", &old.ArchiveSHA256, &row.ArchiveSHA256}, {"problem", &old.Problem, &row.Problem},
	}
	for _, x := range texts {
		known := func(s string) bool { return s != "" && s != string(comp.StatusUnknown) }
		switch both := known(*x.old) && known(*x.row); {
		case *x.old == *x.row:
		case !both && *x.row != "" && !known(*x.old), both && f.prefer == "last":
			*x.old = *x.row
		case both && f.prefer == "":
			conflicts = append(conflicts, [3]string{x.name, *x.old, *x.row})
		}
	}
	numbers := []struct {
		name     string
		old, row *int64
	}{
		{"asserts", &old.Asserts, &row.Asserts}, {"check_sats", &old.CheckSats, &row.CheckSats},
		{"max_depth", &old.MaxDepth, &row.MaxDepth}, {"size_bytes", &old.SizeBytes, &row.SizeBytes},
	}
	for _, x := range numbers {
		switch both := *x.old != 0 && *x.row != 0; {
		case *x.old == *x.row:
		case !both && *x.old == 0, both && f.prefer == "last":
			*x.old = *x.row
		case both && f.prefer == "":
			conflicts = append(conflicts, [3]string{x.name, fmt.Sprint(*x.old), fmt.Sprint(*x.row)})
		}
	}
	old.New = old.New || row.New
	return conflicts
}

func (f *mergeFlags) mergeResults(out *bytes.Buffer, files []string) (int, error) {
	type key struct {
		year                     int64
		benchmark, track, solver string
	}
	all := map[key]*merged[results.HistoryRow]{}
	var conflicts []error
	for _, arg := range files {
		rows, file, err := readResults(arg, f.track)
		if err != nil {
			return 0, err
		}
		for i := range rows {
			r := &rows[i]
			k := key{r.Year, r.Benchmark, r.Track, r.Solver}
			switch old := all[k]; {
			case old == nil:
				all[k] = &merged[results.HistoryRow]{*r, file}
			case old.row == *r || f.prefer == "first":
			case f.prefer == "last":
				old.row, old.file = *r, file
			default:
				conflicts = append(conflicts, fmt.Errorf("%s on %s in the track %s of %d has another result in %s than in %s",
					r.Solver, r.Benchmark, r.Track, r.Year, file, old.file))
			}
		}
	}
	if err := someConflicts(conflicts); err != nil {
		return 0, err
	}
	rows := make([]results.HistoryRow, 0, len(all))
	for _, m := range all {
		rows = append(rows, m.row)
	}
	return len(rows), results.Write(out, rows) // Write sorts the rows
}

// addResultsTrack adds the flag --track to tools that read results.
func addResultsTrack(f *pflag.FlagSet, track *string) {
	f.StringVar(track, "track", "", "with --results: the track of files that do not name it, such as StarExec's tables; "+
		"of other files only its runs are read")
}

// readResults reads a year's results, given as [YEAR=]FILE, for one track, or for all tracks if track is empty. A table
// history/1 contains the years.
func readResults(arg, track string) (rows []results.HistoryRow, file string, err error) {
	year, file, noYear := preselect.YearOf(arg)
	if noYear != nil {
		file = arg
	}
	source := intake.Source{Year: year}
	if track != "" {
		if source.Track, err = comp.ParseTrack(track); err != nil {
			return nil, "", exit.With(exit.Usage, fmt.Errorf("--track: %w", err))
		}
	}
	rows, err = intake.History(file, source)
	if errors.Is(err, intake.ErrNoTrack) {
		err = fmt.Errorf("%w (--track)", err)
	}
	if err != nil && noYear != nil {
		err = fmt.Errorf("%w (as YEAR=%s)", err, arg)
	}
	for i := range rows {
		if rows[i].Year == 0 {
			rows[i].Year = int64(year)
		}
	}
	return rows, file, err
}

// someConflicts returns the error that reports contradictory lists.
func someConflicts(conflicts []error) error {
	const many = 20
	if len(conflicts) == 0 {
		return nil
	}
	shown := slices.Clone(conflicts[:min(len(conflicts), many)])
	if n := len(conflicts) - many; n > 0 {
		shown = append(shown, fmt.Errorf("and %d more", n))
	}
	return errors.Join(append(shown, errors.New(
		"the files contradict each other; --prefer first or --prefer last says which is right"))...)
}
