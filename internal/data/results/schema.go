// Package results holds smtpipe's tables: their row types, their schemas, and their codecs.
//
// A table is a sequence of rows of one schema, sorted by primary key and stored as Parquet such that equal content has
// equal bytes. The subpackages import other formats.
package results

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Column describes a table's column.
type Column struct {
	Name string
	Kind table.Kind
	Doc  string
	Key  bool // the column is part of the primary key
	Blob bool // the column contains digests of blobs that the row needs

	Words []string // possible texts; nil means any

	at    []int // index of the field in the row type
	coded bool  // the column's texts use a dictionary
}

// Field returns the column's field in a row.
func (c *Column) Field(row reflect.Value) reflect.Value { return row.FieldByIndex(c.at) }

// Set parses a text formatted as in CSV and sets the column's field in a row of the row type. An empty text changes
// nothing. Spaces separate list elements.
func (c *Column) Set(row reflect.Value, text string) error { return setField(c.Field(row), text) }

// Schema is a table's layout. Its name includes a version.
type Schema struct {
	Name    string // such as benchmarks/1
	Doc     string
	Columns []Column
	row     reflect.Type
	stored  reflect.Type // struct type with the fields of row in column order
	sink    func() rowSink
	// before is the name of an earlier version, whose tables contain all these columns; empty if there is none.
	before string
}

// Schemas lists the schemas that are written, by name.
func Schemas() []*Schema {
	all := make([]*Schema, len(definitions))
	for i, d := range definitions {
		all[i] = d.schema()
	}
	return all
}

// Reads reports whether a table of the other schema can be read as a table of s.
func (s *Schema) Reads(name string) bool { return name == s.Name || s.before != "" && name == s.before }

// SchemaByName returns a schema by its full name, such as "runs/2".
func SchemaByName(name string) (*Schema, error) {
	for _, d := range definitions {
		if d.name == name {
			return d.schema(), nil
		}
	}
	if older := olderSchema(); older.Name == name {
		return older, nil
	}
	return nil, fmt.Errorf("unknown table schema %q; this smtpipe knows %s", name, strings.Join(SchemaNames(), ", "))
}

// SchemaOf returns the schema for a row type of this package. It panics for any other type.
func SchemaOf[Row any]() *Schema {
	t := reflect.TypeFor[Row]()
	for _, d := range definitions {
		if d.row == t {
			return d.schema()
		}
	}
	panic(fmt.Sprintf("results: %v is not a row type", t))
}

// Column returns the column with a name, or nil if the schema has none.
func (s *Schema) Column(name string) *Column {
	for i := range s.Columns {
		if s.Columns[i].Name == name {
			return &s.Columns[i]
		}
	}
	return nil
}

// fields returns a row's fields, in column order.
func (s *Schema) fields(row reflect.Value) []reflect.Value {
	all := make([]reflect.Value, len(s.Columns))
	for i := range all {
		all[i] = s.Columns[i].Field(row)
	}
	return all
}

// Parquet returns the schema for the Parquet library: a struct with the fields in column order.
func (s *Schema) Parquet() *parquet.Schema {
	return parquet.NewSchema(s.row.Name(), parquet.SchemaOf(reflect.New(s.stored).Interface()))
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

// lists reports whether a column contains lists of texts.
func (s *Schema) lists() bool {
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Kind == table.Strings })
}

// definition is a schema that is described on first use: most commands need few of them, or none.
type definition struct {
	name   string
	row    reflect.Type
	before string
	docs   map[string]string
	schema func() *Schema
}

var definitions = []*definition{
	define[BenchmarkRow]("benchmarks/1", "benchmarks of a release"),
	define[ChoiceRow]("choices/1", "why each benchmark is in or out"),
	define[ConfidenceRow]("confidence/1", "how certain rankings are"),
	define[NoiseRow]("noise/1", "whether differences of times exceed the variation of measurements"),
	define[SensitivityRow]("sensitivity/1", "which readings and practice switches change winners"),
	define[EntrantRow]("entrants/1", "who enters, and the reasons against it"),
	define[ExclusionRow]("exclusions/1", "benchmarks dropped, by logic and reason"),
	define[HistoryRow]("history/1", "runs of earlier competitions", historyOrder).says(historyDocs),
	define[ProgramRow]("programs/1", "how solvers are started"),
	define[RecognitionRow]("recognitions/1", "competition-wide rankings and removed benchmarks"),
	define[RunRow]("runs/2", "records of runs", runOrder).after("runs/1"),
	define[ScoreRow]("scores/1", "rankings"),
	define[ScriptRow]("scripts/1", "scripts for solvers"),
	define[SelectionRow]("selection/1", "numbers of benchmarks selected from each group"),
	define[SolverRow]("solvers/1", "solvers and how they are run"),
	define[UnfitRow]("unfit/1", "benchmarks that the organisers leave out"),
	define[VerdictRow]("verdicts/1", "judged runs", verdictOrder).says(verdictDocs),
}

var olderSchema = sync.OnceValue(func() *Schema {
	s := describe("runs/1", "records of runs, as smtpipe 0.1 wrote them", reflect.TypeFor[struct {
		RunRow
		run.Entrant
	}](), `benchmark solver participation attempt | track logic team competitive open_source new_entrant barred base_solver
		*`)
	s.sink = func() rowSink { return readOnly{errors.New("tables of runs/1 are only read; write runs/2")} }
	return s
})

// says sets the descriptions of columns that the table describes differently.
func (d *definition) says(docs map[string]string) *definition {
	d.docs = docs
	return d
}

// after sets a schema's earlier version.
func (d *definition) after(name string) *definition {
	d.before = name
	return d
}

// SchemaNames lists the names of the schemas that are written, without describing the schemas.
func SchemaNames() []string {
	all := make([]string, len(definitions))
	for i, d := range definitions {
		all[i] = d.name
	}
	return all
}

// define derives a schema from the tags of a row type. order lists the columns in order, as in runOrder; if it is
// omitted, the columns are in field order.
func define[Row any](name, doc string, order ...string) *definition {
	d := &definition{name: name, row: reflect.TypeFor[Row]()}
	d.schema = sync.OnceValue(func() *Schema {
		s := describe(name, doc, d.row, order...)
		s.sink = func() rowSink { return newSink[Row](s) }
		s.before = d.before
		for column, doc := range d.docs {
			s.Column(column).Doc = doc
		}
		return s
	})
	return d
}

// describe returns the schema for a row type, without the parts that write tables.
func describe(name, doc string, t reflect.Type, order ...string) *Schema {
	s := &Schema{Name: name, Doc: doc, row: t}
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous {
			continue
		}
		column, coding, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		role := f.Tag.Get("role")
		s.Columns = append(s.Columns, Column{
			Name: column,
			Kind: kindOf(f.Type),
			Doc:  f.Tag.Get("doc"),

			Words: strings.Fields(f.Tag.Get("words")),
			Key:   role == "key",
			Blob:  role == "blob",
			at:    f.Index,
			coded: coding == "dict",
		})
		fields = append(fields, f)
	}
	if order == nil {
		s.stored = t
		return s
	}
	all := s.Columns
	s.Columns = nil
	var stored []reflect.StructField
	key, rest, _ := strings.Cut(order[0], "|")
	add := func(i int, isKey bool) {
		all[i].Key = isKey
		s.Columns, stored = append(s.Columns, all[i]), append(stored, fields[i])
	}
	named := strings.Fields(key + rest)
	for k, name := range named {
		for i := range all {
			if name == all[i].Name || name == "*" && !slices.Contains(named, all[i].Name) {
				add(i, k < len(strings.Fields(key)))
			}
		}
	}
	s.stored = reflect.StructOf(stored)
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
	panic(fmt.Sprintf("results: unsupported column type %v", t))
}
