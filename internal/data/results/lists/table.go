// Package lists compares, merges and counts lists of benchmarks, and results of years, in any form that package intake
// reads.
package lists

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// Table is a table of texts and numbers.
type Table struct {
	Head []string
	Rows [][]any
}

func cellsOf(texts ...string) []any {
	cells := make([]any, len(texts))
	for i, t := range texts {
		cells[i] = t
	}
	return cells
}

// Write writes a table as text (aligned columns), csv, or json (an array of objects).
func (t *Table) Write(w io.Writer, format string) error {
	texts := [][]string{t.Head}
	for _, row := range t.Rows {
		line := make([]string, len(row))
		for i, cell := range row {
			line[i] = fmt.Sprint(cell)
		}
		texts = append(texts, line)
	}
	switch format {
	case "text":
		out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, line := range texts {
			fmt.Fprintln(out, strings.Join(line, "\t"))
		}
		return out.Flush()
	case "csv":
		return csv.NewWriter(w).WriteAll(texts)
	case "json":
		return t.writeObjects(w)
	}
	return exit.With(exit.Usage, fmt.Errorf("--format is text, csv or json, not %q", format))
}

// writeObjects writes an object per line, whose fields are in the order of the columns.
func (t *Table) writeObjects(w io.Writer) error {
	var out strings.Builder
	out.WriteString("[")
	for i, row := range t.Rows {
		out.WriteString([]string{"\n{", ",\n{"}[min(i, 1)])
		for k, cell := range row {
			name, _ := json.Marshal(t.Head[k]) // marshalling a text cannot fail
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

// collectionOf returns a benchmark's collection.
func collectionOf(b *intake.Benchmark) string { return comp.Collection(b.Incremental) }

// libraryID identifies a benchmark in any list: its collection and its path below the collection.
func libraryID(b *intake.Benchmark) string { return collectionOf(b) + "/" + comp.FromLogic(b.Path) }

// eachBenchmark calls fn for each benchmark in a file. A benchmark that occurs twice is an error.
func eachBenchmark(file string, fn func(id string, b *intake.Benchmark)) (columns []string, err error) {
	seen := map[string]bool{}
	return intake.Benchmarks(file, func(b *intake.Benchmark) error {
		id := libraryID(b)
		if seen[id] {
			return fmt.Errorf("%s occurs twice", id)
		}
		seen[id] = true
		fn(id, b)
		return nil
	})
}
