package choices

import (
	"errors"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// ErrNone is returned for a benchmark that is not in the table of choices.
var ErrNone = errors.New("the stage was not given the benchmark")

// Explained explains the choices of a stage that has the output "choices".
type Explained struct{}

// ExplainItem implements stages.ItemExplainer: it explains why a benchmark was or was not selected.
func (Explained) ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component, error) {
	return Explain(store, outputs, item)
}

// Explain explains a benchmark from the table in the output "choices", or returns ErrNone. The path may omit the
// collection.
func Explain(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component, error) {
	art, ok := stages.ArtifactOf(outputs["choices"])
	if !ok {
		return nil, fmt.Errorf("the stage has no table of choices")
	}
	rows, err := artifact.ReadTable[results.ChoiceRow](store, art)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(rows))
	for i := range rows {
		paths[i] = rows[i].Benchmark
	}
	if i, ok := FindBenchmark(paths, item); ok {
		return Components(&rows[i]), nil
	}
	return nil, fmt.Errorf("%w %q", ErrNone, item)
}

// FindBenchmark returns a benchmark's index among sorted paths. The name may omit the collection.
func FindBenchmark(paths []string, item string) (int, bool) {
	for _, path := range []string{item, "non-incremental/" + item, "incremental/" + item} {
		if i, ok := slices.BinarySearch(paths, path); ok {
			return i, true
		}
	}
	return 0, false
}

// Components returns the parts of a choice's explanation.
func Components(row *results.ChoiceRow) []cache.Component {
	selected := "no"
	if row.Selected {
		selected = "yes"
	}
	return []cache.Component{
		{Name: "benchmark", Value: row.Benchmark},
		{Name: "logic", Value: row.Logic},
		{Name: "selected", Value: selected},
		{Name: "reason", Value: row.Reason},
	}
}
