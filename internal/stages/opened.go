package stages

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

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

// Opened shares tables of benchmarks among the stages of one process: what one stage makes and the next reads is not decoded again,
// and the tables that filters keep of one library share its columns. A table that nobody asks for is let go after a minute: stages
// that select benchmarks follow each other at once, and those that come then execute solvers for days.
type Opened struct {
	mu     sync.Mutex
	tables map[cache.Digest]*openedTable
}

type openedTable struct {
	table *results.Table[results.BenchmarkRow]
	used  time.Time
}

const keepOpened = time.Minute

func (o *Opened) put(d cache.Digest, t *results.Table[results.BenchmarkRow]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.tables) == 0 {
		o.tables = map[cache.Digest]*openedTable{}
		time.AfterFunc(keepOpened, o.letGo)
	}
	o.tables[d] = &openedTable{t, time.Now()}
}

func (o *Opened) get(d cache.Digest) *results.Table[results.BenchmarkRow] {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.tables[d]
	if t == nil {
		return nil
	}
	t.used = time.Now()
	return t.table
}

// letGo drops what was not asked for of late, and comes again if something is left.
func (o *Opened) letGo() {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.tables, func(_ cache.Digest, t *openedTable) bool { return time.Since(t.used) >= keepOpened })
	if len(o.tables) > 0 {
		time.AfterFunc(keepOpened/2, o.letGo)
	}
}

// SetBenchmarks writes a table of benchmarks as the output name.
func SetBenchmarks(env *Env, name string, t *results.Table[results.BenchmarkRow]) error {
	art, err := setColumns(env, name, t)
	if err == nil {
		env.Opened.put(art.Digest, t)
	}
	return err
}

// setColumns writes a table as the output name.
func setColumns[Row any](env *Env, name string, t *results.Table[Row]) (Artifact, error) {
	digest, size, err := env.Store.Write(t.Write)
	if err != nil {
		return Artifact{}, fmt.Errorf("output %s: %w", name, err)
	}
	art := Artifact{Schema: results.SchemaOf[Row]().Name, Digest: digest, Rows: int64(t.Len()), SizeBytes: size}
	return art, env.Set(name, ArtifactVal(art))
}

// Benchmarks is an opened table of benchmarks with the columns that every selection looks at.
type Benchmarks struct {
	Table    *results.Table[results.BenchmarkRow]
	Logics   Words
	Problems Words // empty: the benchmark can be used
}

// Words are the values of a column of few different texts: that of row i is List[At[i]].
type Words struct {
	List []string
	At   []int32
}

// Of is the value of a row.
func (w *Words) Of(i int) string { return w.List[w.At[i]] }

// All are the values by row.
func (w *Words) All() []string {
	all := make([]string, len(w.At))
	for i, k := range w.At {
		all[i] = w.List[k]
	}
	return all
}

// Benchmarks opens a table of benchmarks.
func (e *Env) Benchmarks(art Artifact) (*Benchmarks, error) {
	if t := e.Opened.get(art.Digest); t != nil {
		return benchmarksOf(t)
	}
	t, err := OpenTable[results.BenchmarkRow](e.Store, art)
	if err != nil {
		return nil, err
	}
	e.Opened.put(art.Digest, t)
	return benchmarksOf(t)
}

// OpenBenchmarks is Benchmarks outside of an execution.
func OpenBenchmarks(store *cache.Store, art Artifact) (*Benchmarks, error) {
	t, err := OpenTable[results.BenchmarkRow](store, art)
	if err != nil {
		return nil, err
	}
	return benchmarksOf(t)
}

func benchmarksOf(t *results.Table[results.BenchmarkRow]) (*Benchmarks, error) {
	logics, err1 := t.Vector("logic")
	problems, err2 := t.Vector("problem")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	b := &Benchmarks{Table: t}
	b.Logics.List, b.Logics.At = logics.Words()
	b.Problems.List, b.Problems.At = problems.Words()
	return b, nil
}

// Where gives the benchmarks for which keep holds.
func (b *Benchmarks) Where(keep []bool) (*Benchmarks, error) {
	t, err := b.Table.Where(keep)
	if err != nil {
		return nil, err
	}
	return benchmarksOf(t)
}

// Len is the number of benchmarks.
func (b *Benchmarks) Len() int { return b.Table.Len() }

// Strings evaluates an expression over b; a null is empty.
func (b *Benchmarks) Strings(expr *rowexpr.Expr) ([]string, error) {
	return Evaluate("b", b.Table, expr, func(frame *rowexpr.Frame) ([]string, error) {
		texts, _, err := expr.Strings(frame)
		return texts, err
	})
}

// Paths are the places of the benchmarks, by row.
func (b *Benchmarks) Paths() ([]string, error) { return b.Table.Strings("path") }
