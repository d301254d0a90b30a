package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// groupings are the properties by which a list's benchmarks can be counted, each with the column that it requires. An
// empty column means that every list has the property.
var groupings = map[string]struct {
	column string
	of     func(*intake.Benchmark) string
}{
	"collection": {"", func(b *intake.Benchmark) string { return collectionOf(b) }},
	"logic":      {"", func(b *intake.Benchmark) string { return b.Logic }},
	"family":     {"", func(b *intake.Benchmark) string { return b.Family }},
	"status":     {"status", func(b *intake.Benchmark) string { return b.Status }},
	"category":   {"category", func(b *intake.Benchmark) string { return b.Category }},
	"size":       {"size_bytes", func(b *intake.Benchmark) string { return magnitude(b.SizeBytes) + " bytes" }},
	"asserts":    {"asserts", func(b *intake.Benchmark) string { return magnitude(b.Asserts) }},
	"check_sats": {"check_sats", func(b *intake.Benchmark) string { return magnitude(b.CheckSats) }},
}

func newTableCountCommand() *cobra.Command {
	var by []string
	var format string
	names := strings.Join(slices.Sorted(maps.Keys(groupings)), ", ")
	cmd := &cobra.Command{
		Use:   "count LIST",
		Short: "Count the benchmarks of a release or list",
		Long: `count counts the benchmarks of a list by what --by names: ` + names + `.
The list is that of a release (a table benchmarks/1, as "smtpipe show STAGE --format parquet" writes it), the organisers' JSON,
or a file with one path per line, compressed or not. Sizes and numbers are counted by their order of magnitude.

Where the list has them, the numbers of check-sat commands and assertions and the sizes are added up, too.

` + exit.Help,
		Example: `  smtpipe table count benchmarks.parquet --by logic,status`,
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range by {
				if _, ok := groupings[name]; !ok {
					return exit.With(exit.Usage, fmt.Errorf("--by has no %q; it has %s", name, names))
				}
			}
			return countBenchmarks(cmd.OutOrStdout(), args[0], by, format)
		},
	}
	cmd.Flags().StringSliceVar(&by, "by", []string{"logic"}, "what to count by: "+names)
	addCellsFlag(cmd, &format)
	return cmd
}

// countBenchmarks prints the number of benchmarks in each of a list's groups.
func countBenchmarks(w io.Writer, file string, by []string, format string) error {
	type count struct {
		key                           []string
		n, checkSats, asserts, allLen int64
	}
	groups := map[string]*count{}
	columns, err := intake.Benchmarks(file, func(b *intake.Benchmark) error {
		key := make([]string, len(by))
		for i, name := range by {
			key[i] = strings.Clone(groupings[name].of(b))
		}
		id := strings.Join(key, "\x00")
		if groups[id] == nil {
			groups[id] = &count{key: key}
		}
		c := groups[id]
		c.n, c.checkSats = c.n+1, c.checkSats+b.CheckSats
		c.asserts, c.allLen = c.asserts+b.Asserts, c.allLen+b.SizeBytes
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range by {
		if needed := groupings[name].column; needed != "" && !slices.Contains(columns, needed) {
			return exit.With(exit.Usage, fmt.Errorf("%s does not say %s of its benchmarks, which --by %s needs; it says %s",
				file, needed, name, strings.Join(columns, ", ")))
		}
	}
	head := append(slices.Clone(by), "benchmarks")
	sums := []struct {
		column string
		of     func(*count) int64
	}{
		{"check_sats", func(c *count) int64 { return c.checkSats }},
		{"asserts", func(c *count) int64 { return c.asserts }},
		{"size_bytes", func(c *count) int64 { return c.allLen }},
	}
	sums = slices.DeleteFunc(sums, func(s struct {
		column string
		of     func(*count) int64
	}) bool {
		return !slices.Contains(columns, s.column)
	})
	for _, s := range sums {
		head = append(head, "all_"+s.column)
	}
	var rows [][]any
	byKey := func(a, b *count) int { return compareKeys(a.key, b.key) }
	for _, c := range slices.SortedFunc(maps.Values(groups), byKey) {
		row := append(cellsOf(c.key...), c.n)
		for _, s := range sums {
			row = append(row, s.of(c))
		}
		rows = append(rows, row)
	}
	return writeCells(w, format, head, rows)
}

// compareKeys orders groups part by part. It orders magnitudes numerically.
func compareKeys(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		var m, n int64
		_, err1 := fmt.Sscanf(x, "%d to", &m)
		_, err2 := fmt.Sscanf(y, "%d to", &n)
		if err1 != nil || err2 != nil {
			m, n = 0, 0
		}
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(x, y))
	})
}

// magnitude returns a number's order of magnitude, such as "100 to 999".
func magnitude(n int64) string {
	low := int64(1)
	for n/low >= 10 {
		low *= 10
	}
	if low == 1 {
		return "0 to 9"
	}
	return fmt.Sprintf("%d to %d", low, low*10-1)
}

// collectionOf returns a benchmark's collection.
func collectionOf(b *intake.Benchmark) string {
	if b.Incremental {
		return "incremental"
	}
	return "non-incremental"
}

// addCellsFlag adds --format, which selects the format of a tool's table.
func addCellsFlag(cmd *cobra.Command, format *string) {
	cmd.Flags().StringVar(format, "format", "text", "text, csv or json")
}

func cellsOf(texts ...string) []any {
	cells := make([]any, len(texts))
	for i, t := range texts {
		cells[i] = t
	}
	return cells
}

// writeCells prints a table of texts and numbers: aligned for reading, as CSV, or as a JSON array of objects.
func writeCells(w io.Writer, format string, head []string, rows [][]any) error {
	texts := [][]string{head}
	for _, row := range rows {
		line := make([]string, len(row))
		for i, cell := range row {
			line[i] = fmt.Sprint(cell)
		}
		texts = append(texts, line)
	}
	switch format {
	case "text":
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, line := range texts {
			fmt.Fprintln(t, strings.Join(line, "\t"))
		}
		return t.Flush()
	case "csv":
		return csv.NewWriter(w).WriteAll(texts)
	case "json":
		return writeObjects(w, head, rows)
	}
	return exit.With(exit.Usage, fmt.Errorf("--format is text, csv or json, not %q", format))
}

// writeObjects prints rows as a JSON array with one object per line, whose fields are in table order.
func writeObjects(w io.Writer, head []string, rows [][]any) error {
	var out strings.Builder
	out.WriteString("[")
	for i, row := range rows {
		out.WriteString([]string{"\n{", ",\n{"}[min(i, 1)])
		for k, cell := range row {
			name, _ := json.Marshal(head[k]) // marshalling a text cannot fail
			value, err := json.Marshal(cell)
			if err != nil {
				return err
			}
			fmt.Fprintf(&out, "%s%s: %s", []string{"", ", "}[min(k, 1)], name, value)
		}
		out.WriteString("}")
	}
	out.WriteString("\n]\n")
	_, err := io.WriteString(w, out.String())
	return err
}
