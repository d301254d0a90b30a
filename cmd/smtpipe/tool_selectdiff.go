package main

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results/intake"
)

func newToolSelectDiffCommand() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "select-diff FIRST SECOND",
		Short: "Compare two selections of benchmarks",
		Long: `select-diff compares two lists of benchmarks: outputs of "tool select" or of a selection stage, published lists, or tables
benchmarks/1, compressed or not. Benchmarks are compared by their paths below the collection.

For each logic that differs it prints, as CSV, how many benchmarks the lists have and how many only one of them has. With
--list it prints those that only one has: with - before those of FIRST, with + before those of SECOND. The exit code tells
whether the lists differ.

` + exitCodesHelp,
		Example: `  smtpipe tool select-diff rules/single_query.csv practice/single_query.csv`,
		Args:    usageArgs(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			first, err := readSelection(args[0])
			if err != nil {
				return err
			}
			second, err := readSelection(args[1])
			if err != nil {
				return err
			}
			return compareSelections(cmd.OutOrStdout(), first, second, list)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "print the benchmarks that only one list has")
	return cmd
}

// readSelection returns the logic of each benchmark of a list, by its path below the collection.
func readSelection(file string) (map[string]string, error) {
	logics := map[string]string{}
	_, err := intake.Benchmarks(file, func(b *intake.Benchmark) error {
		path := b.Path
		if _, below, ok := comp.LibraryPath(b.Path); ok {
			path = below
		}
		if _, twice := logics[path]; twice {
			return fmt.Errorf("%s occurs twice", path)
		}
		logics[path] = b.Logic
		return nil
	})
	return logics, err
}

// compareSelections prints the differences, and returns an error if there are any.
func compareSelections(w io.Writer, first, second map[string]string, list bool) error {
	out := bufio.NewWriter(w)
	same := maps.Equal(first, second)
	if list {
		listDifferences(out, first, second)
	} else if err := countDifferences(out, first, second); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if same {
		return nil
	}
	return withExit(exitDiffers, nil)
}

func listDifferences(w io.Writer, first, second map[string]string) {
	var lines []string
	for path := range first {
		if _, both := second[path]; !both {
			lines = append(lines, "-"+path)
		}
	}
	for path := range second {
		if _, both := first[path]; !both {
			lines = append(lines, "+"+path)
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Or(cmp.Compare(a[1:], b[1:]), cmp.Compare(a, b)) })
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
}

// countDifferences prints a line for each logic that differs, and one for all logics.
func countDifferences(w io.Writer, first, second map[string]string) error {
	type counts struct{ first, second, onlyFirst, onlySecond int }
	logics := map[string]*counts{}
	all := &counts{}
	of := func(logic string) [2]*counts {
		if logics[logic] == nil {
			logics[logic] = &counts{}
		}
		return [2]*counts{logics[logic], all}
	}
	for path, logic := range first {
		_, both := second[path]
		for _, c := range of(logic) {
			c.first++
			if !both {
				c.onlyFirst++
			}
		}
	}
	for path, logic := range second {
		_, both := first[path]
		for _, c := range of(logic) {
			c.second++
			if !both {
				c.onlySecond++
			}
		}
	}
	row := func(name string, c *counts) []string {
		return []string{name, strconv.Itoa(c.first), strconv.Itoa(c.second), strconv.Itoa(c.onlyFirst),
			strconv.Itoa(c.onlySecond)}
	}
	rows := [][]string{{"logic", "first", "second", "only_first", "only_second"}}
	for _, logic := range slices.Sorted(maps.Keys(logics)) {
		if c := logics[logic]; c.onlyFirst > 0 || c.onlySecond > 0 {
			rows = append(rows, row(logic, c))
		}
	}
	return csv.NewWriter(w).WriteAll(append(rows, row("all", all)))
}
