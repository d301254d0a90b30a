package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// export is a file for programs, with its description on the downloads page.
type export struct {
	file
	group  string // heading on the downloads page
	what   string
	format string
}

// maxJSONLines is the maximum number of runs that are also written as JSON lines. With more runs, the JSON lines alone
// would be a quarter of the site, because digests do not compress. CSV and Parquet contain the same data.
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
		for _, e := range tableExports(in, "verdicts", "All runs, judged", in.Verdicts, true, true,
			s.m.total.Runs <= maxJSONLines) {
			e.file = s.ofVerdicts(e.file)
			list = append(list, e)
		}
	}
	if in.Verdicts != nil && in.Benchmarks != nil {
		for _, e := range tableExports(in, "benchmarks", "The runs' benchmarks with their SHA-256",
			s.benchmarksOfRuns(), true, false, false) {
			e.file = s.ofVerdicts(e.file, in.BenchmarksID)
			list = append(list, e)
		}
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

// benchmarksOfRuns returns all benchmarks that have a run, sorted by path.
func (s *site) benchmarksOfRuns() iter.Seq2[results.BenchmarkRow, error] {
	read := sync.OnceValues(func() ([]results.BenchmarkRow, error) {
		if err := s.m.load(); err != nil {
			return nil, err
		}
		wanted := map[string]bool{}
		for _, t := range s.m.tracks {
			for _, d := range t.divisions {
				if d.runs != nil {
					for i := range d.runs.benches {
						wanted[d.runs.benches[i].Path] = true
					}
				}
			}
		}
		var rows []results.BenchmarkRow
		for b, err := range s.m.in.Benchmarks {
			if err != nil {
				return nil, fmt.Errorf("benchmarks: %w", err)
			}
			if wanted[b.Path] {
				rows = append(rows, b)
				delete(wanted, b.Path)
			}
		}
		slices.SortFunc(rows, func(a, b results.BenchmarkRow) int { return strings.Compare(a.Path, b.Path) })
		return rows, nil
	})
	return func(yield func(results.BenchmarkRow, error) bool) {
		rows, err := read()
		if err != nil {
			yield(results.BenchmarkRow{}, err)
			return
		}
		Rows(rows)(yield)
	}
}

// ofVerdicts declares that a file depends only on the verdicts and the given values.
func (s *site) ofVerdicts(f file, values ...any) file {
	if s.m.in.VerdictsID == "" {
		return f
	}
	return s.dependsOnly(f, append(values, s.m.in.VerdictsID)...)
}

// ofRuns declares that a file depends only on a division's runs and the given values. It reads the runs before the file
// is written.
func (s *site) ofRuns(d *division, f file, values ...any) file {
	f = f.after(s.m.load)
	if d.runs.ID == "" {
		return f
	}
	return s.dependsOnly(f, append(values, d.track.name, d.name, d.runs.ID)...)
}

// tableExports returns a table as CSV, JSON and Parquet. A large table is compressed, has JSON only as lines, and has
// Parquet only if the stored table is available.
func tableExports[Row any](in *Input, name, what string, rows iter.Seq2[Row, error], some, big,
	jsonLines bool) []export {
	if !some {
		return nil
	}
	var list []export
	add := func(ending, format string, write func(io.Writer) error) {
		list = append(list, export{file{"export/" + name + ending, write}, "Tables", what, format})
	}
	stored := in.Stored[results.SchemaOf[Row]().Name]
	as := func(format results.Format) func(io.Writer) error {
		return func(w io.Writer) error {
			if stored == nil {
				return results.Publish(w, rows, format)
			}
			table, err := stored()
			if err != nil {
				return err
			}
			return results.PublishTable(w, bytes.NewReader(table), int64(len(table)), format)
		}
	}
	packed := func(format results.Format) func(io.Writer) error {
		return func(w io.Writer) error {
			if stored == nil {
				return zipped(as(format))(w)
			}
			table, err := stored()
			if err != nil {
				return err
			}
			return in.packTable(w, table, format)
		}
	}
	if big {
		add(".csv.gz", "CSV, gzip", packed(results.CSV))
		if jsonLines {
			add(".jsonl.gz", "JSON lines, gzip", packed(results.JSONLines))
		}
	} else {
		add(".csv", "CSV", as(results.CSV))
		add(".json", "JSON", as(results.JSON))
	}
	if stored != nil || !big {
		add(".parquet", "Parquet", as(results.Parquet))
	}
	return list
}

// writeSchemas writes the tables' documentation.
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
