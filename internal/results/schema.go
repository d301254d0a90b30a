// Package results holds the tables of smtpipe: their row types, their schemas, and their codecs.
//
// A table is a sequence of rows of one schema, sorted by its primary key and stored as Parquet, so that equal content
// has equal bytes. The subpackages import formats from elsewhere.
package results

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/table"
)

// Column describes one column of a table.
type Column struct {
	Name string
	Kind table.Kind
	Doc  string
	Key  bool // part of the primary key
	Blob bool // holds digests of blobs that the row needs

	Words []string // all possible texts; nil: any
}

// Schema is the shape of a table, with a version in its name.
type Schema struct {
	Name    string // such as benchmarks/1
	Doc     string
	Columns []Column
	row     reflect.Type
	write   func(w io.Writer, rows any) error // rows is a slice of the row type
	sample  func(w io.Writer) error           // writes a table of one row with the Parquet library
	before  string                            // earlier version, whose tables have all of the columns; empty: none
}

// Schemas lists every schema that is written, by name.
func Schemas() []*Schema { return slices.Clone(schemas()) }

// OlderSchemas lists earlier versions, which are only read.
func OlderSchemas() []*Schema { return slices.Clone(olderSchemas()) }

// Reads reports whether tables of a schema can be read as tables of s.
func (s *Schema) Reads(name string) bool { return name == s.Name || s.before != "" && name == s.before }

// SchemaByName returns a schema by its full name, such as "runs/2".
func SchemaByName(name string) (*Schema, error) {
	for _, s := range slices.Concat(schemas(), olderSchemas()) {
		if s.Name == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("unknown table schema %q; this smtpipe knows %s", name, strings.Join(names(), ", "))
}

// SchemaOf returns the schema of a row type of this package. It panics for any other type.
func SchemaOf[Row any]() *Schema {
	t := reflect.TypeFor[Row]()
	for _, s := range schemas() {
		if s.row == t {
			return s
		}
	}
	panic(fmt.Sprintf("results: %v is not a row type", t))
}

// Column returns a column by name, or nil if the schema has none of that name.
func (s *Schema) Column(name string) *Column {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return &s.Columns[i]
		}
	}
	return nil
}

// keys returns the number of columns of the primary key.
func (s *Schema) keys() int {
	n := 0
	for _, c := range s.Columns {
		if c.Key {
			n++
		}
	}
	return n
}

// lists reports whether a column has lists of texts.
func (s *Schema) lists() bool {
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Kind == table.Strings })
}

// schemas builds the schemas at their first use, since most commands do not use them.
var schemas = sync.OnceValue(func() []*Schema {
	return []*Schema{
		define[BenchmarkRow]("benchmarks/1", "benchmarks of a release"),
		define[ChoiceRow]("choices/1", "why each benchmark is in or out"),
		define[ConfidenceRow]("confidence/1", "how certain rankings are"),
		define[NoiseRow]("noise/1", "whether differences of times exceed the variation of measurements"),
		define[SensitivityRow]("sensitivity/1", "which readings and practice switches change winners"),
		define[EntrantRow]("entrants/1", "who enters, and the reasons against it"),
		define[ExclusionRow]("exclusions/1", "benchmarks dropped, by logic and reason"),
		define[HistoryRow]("history/1", "runs of earlier competitions"),
		define[ProgramRow]("programs/1", "how solvers are started"),
		define[RecognitionRow]("recognitions/1", "competition-wide rankings and removed benchmarks"),
		define[RunRow]("runs/2", "records of runs").after("runs/1"),
		define[ScoreRow]("scores/1", "rankings"),
		define[ScriptRow]("scripts/1", "scripts for solvers"),
		define[SelectionRow]("selection/1", "numbers of benchmarks selected from each group"),
		define[SolverRow]("solvers/1", "solvers and how they are run"),
		define[UnfitRow]("unfit/1", "benchmarks that the organisers leave out"),
		define[VerdictRow]("verdicts/1", "judged runs"),
	}
})

var olderSchemas = sync.OnceValue(func() []*Schema {
	run, lost := reflect.TypeFor[RunRow](), reflect.TypeFor[lostRunRow]()
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(run) {
		if f.Name == "RunKey" {
			fields = append(fields, reflect.VisibleFields(lost)...)
		}
		fields = append(fields, f)
	}
	s := describe("runs/1", "records of runs, as smtpipe 0.1 wrote them", reflect.StructOf(fields))
	s.write = func(io.Writer, any) error { return fmt.Errorf("tables of runs/1 are only read; write runs/2") }
	return []*Schema{s}
})

// after sets the earlier version of a schema.
func (s *Schema) after(name string) *Schema {
	s.before = name
	return s
}

func names() []string {
	var all []string
	for _, s := range schemas() {
		all = append(all, s.Name)
	}
	return all
}

// define derives a schema from the tags of a row type.
func define[Row any](name, doc string) *Schema {
	s := describe(name, doc, reflect.TypeFor[Row]())
	s.write = func(w io.Writer, rows any) error { return write(w, s, rows.([]Row)) }
	s.sample = func(w io.Writer) error { return writeRows(w, s, make([]Row, 1)) }
	return s
}

// describe returns the schema of a row type, without what writes its tables.
func describe(name, doc string, t reflect.Type) *Schema {
	s := &Schema{Name: name, Doc: doc, row: t}
	for i := range t.NumField() {
		f := t.Field(i)
		column, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		role := f.Tag.Get("role")
		s.Columns = append(s.Columns, Column{
			Name: column,
			Kind: kindOf(f.Type),
			Doc:  f.Tag.Get("doc"),

			Words: strings.Fields(f.Tag.Get("words")),
			Key:   role == "key",
			Blob:  role == "blob",
		})
	}
	return s
}

func kindOf(t reflect.Type) table.Kind {
	switch t.Kind() {
	case reflect.String:
		return table.String
	case reflect.Int64:
		return table.Int
	case reflect.Float64:
		return table.Float
	case reflect.Bool:
		return table.Bool
	case reflect.Slice:
		return table.Strings
	}
	panic(fmt.Sprintf("results: a column cannot have the type %v", t))
}
