package stages

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
)

// OpenTable opens a table of the store, of which single columns and rows are to be read.
func OpenTable[Row any](store *cache.Store, art Artifact) (*results.Table[Row], error) {
	if want := results.SchemaOf[Row]().Name; art.Schema != want {
		return nil, fmt.Errorf("a table of %s was given, want %s", art.Schema, want)
	}
	b, err := store.ReadBytes(art.Digest)
	if err != nil {
		return nil, err
	}
	return results.Open[Row](bytes.NewReader(b), int64(len(b)))
}

// ColumnsOf sets the columns of a frame that the expressions use of a variable, as Columns does, from an opened table.
func ColumnsOf[Row any](frame *rowexpr.Frame, variable string, t *results.Table[Row], exprs ...*rowexpr.Expr) error {
	schema := results.SchemaOf[Row]()
	for _, name := range usedFields(variable, exprs) {
		c := schema.Column(name)
		if c == nil {
			continue
		}
		if err := setColumnOf(frame, variable+"."+name, t, c); err != nil {
			return err
		}
	}
	return nil
}

func setColumnOf[Row any](frame *rowexpr.Frame, as string, t *results.Table[Row], c *results.Column) error {
	switch c.Kind {
	case results.String:
		values, err := t.Strings(c.Name)
		frame.Strings(as, sized(frame, values), nil)
		return err
	case results.Int:
		values, err := t.Ints(c.Name)
		frame.Ints(as, sized(frame, values), nil)
		return err
	case results.Float:
		values, err := t.Floats(c.Name)
		frame.Floats(as, sized(frame, values), nil)
		return err
	case results.Bool:
		values, err := t.Bools(c.Name)
		frame.Bools(as, sized(frame, values), nil)
		return err
	}
	return fmt.Errorf("the column %s is a list, which cannot be read alone", c.Name)
}

// sized gives values of the length of the frame also when reading them failed.
func sized[V any](frame *rowexpr.Frame, values []V) []V {
	if len(values) != frame.Len() {
		return make([]V, frame.Len())
	}
	return values
}

// Benchmarks is an opened table of benchmarks with the columns that every selection looks at.
type Benchmarks struct {
	Table    *results.Table[results.BenchmarkRow]
	Paths    []string
	Logics   []string
	Problems []string // empty: the benchmark can be used
}

// OpenBenchmarks opens a table of benchmarks.
func OpenBenchmarks(store *cache.Store, art Artifact) (*Benchmarks, error) {
	t, err := OpenTable[results.BenchmarkRow](store, art)
	if err != nil {
		return nil, err
	}
	b := &Benchmarks{Table: t}
	var errs [3]error
	b.Paths, errs[0] = t.Strings("path")
	b.Logics, errs[1] = t.Strings("logic")
	b.Problems, errs[2] = t.Strings("problem")
	return b, errors.Join(errs[:]...)
}

// Len is the number of benchmarks.
func (b *Benchmarks) Len() int { return b.Table.Len() }
