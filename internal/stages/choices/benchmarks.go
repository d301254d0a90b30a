package choices

import (
	"context"
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Benchmarks is an open table of benchmarks with the columns that every selection needs.
type Benchmarks struct {
	Table    *results.Table[results.BenchmarkRow]
	Logics   table.Dictionary
	Problems table.Dictionary // empty for a usable benchmark
}

// Open opens a table of benchmarks.
func Open(env *stages.Env, art stages.Artifact) (*Benchmarks, error) {
	if t, ok := env.Decoded.Get(art.Digest).(*results.Table[results.BenchmarkRow]); ok {
		return benchmarksOf(t)
	}
	b, err := OpenStored(env.Store, art)
	if err == nil {
		env.Decoded.Put(art.Digest, b.Table)
	}
	return b, err
}

// OpenStored is like Open, for use outside an execution.
func OpenStored(store *cache.Store, art stages.Artifact) (*Benchmarks, error) {
	t, err := artifact.OpenTable[results.BenchmarkRow](store, art)
	if err != nil {
		return nil, err
	}
	return benchmarksOf(t)
}

func benchmarksOf(t *results.Table[results.BenchmarkRow]) (*Benchmarks, error) {
	logics, err1 := t.Column("logic")
	problems, err2 := t.Column("problem")
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return &Benchmarks{Table: t, Logics: logics.Dictionary(), Problems: problems.Dictionary()}, nil
}

// Where returns the benchmarks for which keep is true.
func (b *Benchmarks) Where(keep []bool) (*Benchmarks, error) {
	t, err := b.Table.Where(keep)
	if err != nil {
		return nil, err
	}
	return benchmarksOf(t)
}

// Len returns the number of benchmarks.
func (b *Benchmarks) Len() int { return b.Table.Len() }

// Strings evaluates an expression over b. Null values become empty strings.
func (b *Benchmarks) Strings(ctx context.Context, expr *rowexpr.Expr) ([]string, error) {
	return rowexpr.EvaluateTable("b", b.Table, expr, func(frame *table.Frame) ([]string, error) {
		texts, _, err := expr.Strings(ctx, frame)
		return texts, err
	})
}

// Groups returns each benchmark's group: the value of the attribute group_by or, without it, the logic.
func (b *Benchmarks) Groups(ctx context.Context, groupBy *rowexpr.Expr) ([]string, error) {
	if groupBy == nil {
		return b.Logics.Strings(), nil
	}
	groups, err := b.Strings(ctx, groupBy)
	if err != nil {
		return nil, fmt.Errorf("group_by: %w", err)
	}
	return groups, nil
}

// Items returns each benchmark with its group.
func (b *Benchmarks) Items(ctx context.Context, groupBy *rowexpr.Expr) ([]selection.Item, error) {
	groups, err := b.Groups(ctx, groupBy)
	paths, err2 := b.Paths()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	items := make([]selection.Item, b.Len())
	for i, path := range paths {
		items[i] = selection.Item{Path: path, Group: groups[i]}
	}
	return items, nil
}

// Paths returns each benchmark's path.
func (b *Benchmarks) Paths() ([]string, error) { return b.Table.Strings("path") }

// SetBenchmarks writes a table of benchmarks as the output "benchmarks".
func SetBenchmarks(env *stages.Env, t *results.Table[results.BenchmarkRow]) error {
	art, err := stages.WriteColumns(env, "benchmarks", t)
	if err == nil {
		env.Decoded.Put(art.Digest, t)
	}
	return err
}
