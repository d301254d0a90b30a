package report

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/smtpipe/smtpipe/internal/results"
)

// export is a file for programs, with its description on the downloads page.
type export struct {
	file
	group  string // heading of the downloads page
	what   string
	format string
}

// maxJSONLines is the number of runs up to which they are also written as JSON lines. Beyond that, they alone would be
// a quarter of the site: digests do not compress. CSV and Parquet hold the same.
const maxJSONLines = 500_000

//go:embed notebooks.md
var notebooks string

// exports lists the files for programs.
func (s *site) exports() []export {
	in := s.m.in
	var list []export
	list = append(list, tableExports(in, "scores", "Rankings", Rows(in.Scores), len(in.Scores) > 0, false, false)...)
	list = append(list, tableExports(in, "recognitions", "Recognitions and removed benchmarks", Rows(in.Recognitions),
		len(in.Recognitions) > 0, false, false)...)
	list = append(list, tableExports(in, "solvers", "Solvers and how they are run", Rows(in.Solvers),
		len(in.Solvers) > 0, false, false)...)
	for _, sel := range in.Selections {
		name := "selection-" + s.m.slugs.of(sel.Track)
		list = append(list, tableExports(in, name, "Selection, "+trackTitle(sel.Track), Rows(sel.Groups),
			len(sel.Groups) > 0, false, false)...)
	}
	if in.Verdicts != nil {
		list = append(list, tableExports(in, "verdicts", "All runs, judged", in.Verdicts, true, true,
			s.m.total.Runs <= maxJSONLines)...)
	}
	list = append(list, export{file{"export/schema.json", writeSchemas}, "Tables",
		"Meaning, type and unit of every column", "JSON"})
	if in.Verdicts != nil {
		list = append(list, export{file{"export/README.md", func(w io.Writer) error {
			_, err := io.WriteString(w, notebooks)
			return err
		}}, "Tables", "How to read the tables with pandas, polars and DuckDB", "Markdown"})
	}
	for _, t := range s.m.tracks {
		list = append(list, s.trackExports(t)...)
	}
	return list
}

// tableExports returns a table as CSV, JSON and, where the stored table is available, Parquet. Big tables are
// compressed, and are JSON lines if at all.
func tableExports[Row any](in *Input, name, what string, rows iter.Seq2[Row, error], some, big,
	jsonLines bool) []export {
	if !some {
		return nil
	}
	base := "export/" + name
	schema := results.SchemaOf[Row]()
	var list []export
	if big {
		list = append(list,
			export{file{base + ".csv.gz", zipped(func(w io.Writer) error { return writeCSV(w, schema, rows) })},
				"Tables", what, "CSV, gzip"})
		if jsonLines {
			list = append(list,
				export{file{base + ".jsonl.gz",
					zipped(func(w io.Writer) error { return writeJSON(w, schema, rows, false) })}, "Tables", what,
					"JSON lines, gzip"})
		}
	} else {
		list = append(list,
			export{file{base + ".csv", func(w io.Writer) error { return writeCSV(w, schema, rows) }}, "Tables", what,
				"CSV"},
			export{file{base + ".json", func(w io.Writer) error { return writeJSON(w, schema, rows, true) }}, "Tables",
				what, "JSON"})
	}
	if open := in.Stored[schema.Name]; open != nil {
		return append(list, export{file{base + ".parquet", func(w io.Writer) error { return copyStored(w, open) }},
			"Tables", what, "Parquet"})
	}
	if !big {
		list = append(list, export{file{base + ".parquet", func(w io.Writer) error { return writeParquet(w, rows) }},
			"Tables", what, "Parquet"})
	}
	return list
}

func copyStored(w io.Writer, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	stored, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return results.Export(w, bytes.NewReader(stored), int64(len(stored)), results.Parquet)
}

func writeParquet[Row any](w io.Writer, rows iter.Seq2[Row, error]) error {
	var all []Row
	for r, err := range rows {
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	return results.WriteEscaped(w, all)
}

// zipped compresses without a time or name, so that equal content is equal bytes.
func zipped(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
		if err != nil {
			return err
		}
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	}
}

// writeCSV writes a header and a line per row. Lists are joined by blanks.
func writeCSV[Row any](w io.Writer, schema *results.Schema, rows iter.Seq2[Row, error]) error {
	out := csv.NewWriter(w)
	record := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		record[i] = c.Name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for r, err := range rows {
		if err != nil {
			return err
		}
		v := reflect.ValueOf(&r).Elem()
		for i := range record {
			f := schema.Columns[i].Field(v)
			record[i] = results.Text(f)
			if k := f.Kind(); k == reflect.String || k == reflect.Slice {
				record[i] = inert(record[i])
			}
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// inert escapes a text for CSV and puts an apostrophe before one that a spreadsheet would take for a formula.
func inert(s string) string {
	s = results.Escaped(s)
	if s != "" && strings.ContainsRune("=+-@\t\r\n|", rune(s[0])) {
		return "'" + s
	}
	return s
}

// writeJSON writes objects with a field per column: an array with the name of the schema, or lines.
func writeJSON[Row any](w io.Writer, schema *results.Schema, rows iter.Seq2[Row, error], array bool) error {
	out := bufio.NewWriterSize(w, 1<<16)
	names := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		names[i] = strconv.Quote(c.Name) + ":"
	}
	if array {
		fmt.Fprintf(out, "{\"schema\":%q,\"rows\":[", schema.Name)
	}
	var buf []byte
	n := 0
	for r, err := range rows {
		if err != nil {
			return err
		}
		buf = buf[:0]
		if array && n > 0 {
			buf = append(buf, ',')
		}
		if array {
			buf = append(buf, '\n')
		}
		n++
		buf = append(buf, '{')
		v := reflect.ValueOf(&r).Elem()
		for i, name := range names {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = append(buf, name...)
			buf = appendJSON(buf, schema.Columns[i].Field(v))
		}
		buf = append(buf, '}')
		if !array {
			buf = append(buf, '\n')
		}
		if _, err := out.Write(buf); err != nil {
			return err
		}
	}
	if array {
		out.WriteString("\n]}\n")
	}
	return out.Flush()
}

func appendJSON(buf []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return appendJSONText(buf, v.String())
	case reflect.Int64:
		return strconv.AppendInt(buf, v.Int(), 10)
	case reflect.Float64:
		return strconv.AppendFloat(buf, v.Float(), 'g', -1, 64)
	case reflect.Bool:
		return strconv.AppendBool(buf, v.Bool())
	}
	buf = append(buf, '[')
	for i := range v.Len() {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = appendJSONText(buf, v.Index(i).String())
	}
	return append(buf, ']')
}

// appendJSONText leaves all but plain text to encoding/json, which also escapes < > &.
func appendJSONText(buf []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= 0x7F || strings.IndexByte(`"\<>&`, c) >= 0 {
			quoted, err := json.Marshal(results.Escaped(s))
			if err != nil {
				return append(buf, `""`...) // strings always marshal
			}
			return append(buf, quoted...)
		}
	}
	buf = append(buf, '"')
	buf = append(buf, s...)
	return append(buf, '"')
}

// writeSchemas documents the tables.
func writeSchemas(w io.Writer) error {
	type column struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Key  bool   `json:"key,omitempty"`
		Doc  string `json:"doc"`
	}
	type schema struct {
		Name    string   `json:"name"`
		Doc     string   `json:"doc"`
		Columns []column `json:"columns"`
	}
	var all []schema
	for _, s := range results.Schemas() {
		out := schema{Name: s.Name, Doc: s.Doc}
		for _, c := range s.Columns {
			out.Columns = append(out.Columns, column{c.Name, c.Kind.String(), c.Key, c.Doc})
		}
		all = append(all, out)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(map[string]any{"tables": all, "texts": results.EscapeDoc})
}

// exportFiles returns the files for programs and the page that lists them.
func (s *site) exportFiles() []file {
	list := s.exports()
	files := make([]file, 0, len(list)+1)
	for _, e := range list {
		files = append(files, e.file)
	}
	return append(files, s.page("downloads.html", "downloads", page{Title: "Downloads", Section: "downloads",
		Body:   func() any { return downloads(list) },
		Crumbs: []crumb{{"Overview", "index.html"}}}))
}

type downloadGroup struct {
	Title string
	Table *table
}

func downloads(list []export) []downloadGroup {
	var groups []downloadGroup
	for _, e := range list {
		i := slices.IndexFunc(groups, func(g downloadGroup) bool { return g.Title == e.group })
		if i < 0 {
			i = len(groups)
			groups = append(groups, downloadGroup{e.group, &table{ID: fmt.Sprintf("files-%d", i), Caption: e.group,
				Cols: []col{{"Content", "", false}, {"Format", "", false}, {"File", "", false}}}})
		}
		t := groups[i].Table
		t.Rows = append(t.Rows, row{Cells: []cell{head(e.what, ""), text(e.format),
			linked(strings.TrimPrefix(e.name, "export/"), e.name)}})
		t.Filter = len(t.Rows) > 30
	}
	return groups
}

// verdictsOf returns the verdicts of one track, and of one solver if it is named.
func (s *site) verdictsOf(track, solver string) iter.Seq2[results.VerdictRow, error] {
	return func(yield func(results.VerdictRow, error) bool) {
		for v, err := range s.m.in.Verdicts {
			if err == nil && (v.Track != track || (solver != "" && v.Solver != solver)) {
				continue
			}
			if !yield(v, err) {
				return
			}
		}
	}
}
