package preselect

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Selected is a finished selection.
type Selected struct {
	List    *List
	Store   *cache.Store
	Outputs map[string]cty.Value
}

// Kept is the reason recorded for benchmarks that no rule excludes.
const Kept = "kept"

// TableOf reads an output's table.
func TableOf[Row any](made *Selected, output string) ([]Row, error) {
	art, ok := stages.ArtifactOf(made.Outputs[output])
	if !ok {
		return nil, fmt.Errorf("the rules' module has no table %s for the track", output)
	}
	return artifact.ReadTable[Row](made.Store, art)
}

// Names returns the selected benchmarks' names in the list, sorted.
func (made *Selected) Names() ([]string, error) {
	rows, err := TableOf[results.BenchmarkRow](made, "selected")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = made.List.Name(rows[i].Path)
	}
	slices.Sort(names)
	return names, nil
}

// Eligible returns the names in the list of the benchmarks that were drawn from: those in the last table of choices.
func (made *Selected) Eligible() ([]string, error) {
	tables, err := made.choices()
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	rows, err := artifact.ReadTable[results.ChoiceRow](made.Store, tables[len(tables)-1])
	if err != nil {
		return nil, err
	}
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = made.List.Name(rows[i].Benchmark)
	}
	slices.Sort(names)
	return names, nil
}

// GroupTable returns the counts of each logic that has eligible benchmarks.
func (made *Selected) GroupTable([]results.ExclusionRow) ([][]string, error) {
	groups, err := TableOf[results.SelectionRow](made, "selection")
	if err != nil {
		return nil, err
	}
	guaranteed, err := made.guaranteed()
	if err != nil {
		return nil, err
	}
	rows := [][]string{{"logic", "library", "trivial", "eligible", "new_families", "guaranteed", "quota", "selected"}}
	for _, g := range groups {
		if g.Eligible == 0 {
			continue
		}
		row := []string{g.Group}
		for _, n := range []int64{int64(made.List.Library(g.Group)), g.Trivial, g.Eligible, g.NewFamilies,
			guaranteed[g.Group], g.Quota, g.Selected} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// guaranteed counts, for each logic, the benchmarks selected before the general draw.
func (made *Selected) guaranteed() (map[string]int64, error) {
	counts := map[string]int64{}
	err := made.eachChoice(func(c *results.ChoiceRow) {
		if c.Reason == selection.Guaranteed.String() || c.Reason == selection.AlwaysIn.String() {
			counts[c.Logic]++
		}
	})
	return counts, err
}

// choices returns the choice tables of all stages that decide, in order.
func (made *Selected) choices() ([]stages.Artifact, error) {
	v := made.Outputs["choices"]
	if v == cty.NilVal || v.IsNull() || !v.CanIterateElements() {
		return nil, fmt.Errorf("the rules' module has no list of tables choices for the track")
	}
	var tables []stages.Artifact
	for _, table := range v.AsValueSlice() {
		art, ok := stages.ArtifactOf(table)
		if !ok {
			return nil, fmt.Errorf("the choices of the rules' module for the track are not tables")
		}
		tables = append(tables, art)
	}
	return tables, nil
}

// eachChoice calls do for all choices, in the order in which they were made.
func (made *Selected) eachChoice(do func(*results.ChoiceRow)) error {
	tables, err := made.choices()
	if err != nil {
		return err
	}
	for _, art := range tables {
		rows, err := artifact.ReadTable[results.ChoiceRow](made.Store, art)
		if err != nil {
			return err
		}
		for i := range rows {
			do(&rows[i])
		}
	}
	return nil
}

// ExclusionTable returns the counts by logic and reason. It includes "eligible", which is not an exclusion, to complete
// the sums.
func ExclusionTable(exclusions []results.ExclusionRow) ([][]string, error) {
	rows := [][]string{{"logic", "reason", "count"}}
	for _, e := range exclusions {
		reason := e.Reason
		if reason == Kept {
			reason = "eligible"
		}
		rows = append(rows, []string{e.Logic, reason, strconv.FormatInt(e.Count, 10)})
	}
	return rows, nil
}

// ChoiceTable returns the reason for including or excluding each benchmark, in list order.
func (made *Selected) ChoiceTable([]results.ExclusionRow) ([][]string, error) {
	type choice struct {
		selected bool
		reason   string
	}
	decided := make(map[string]choice, len(made.List.Paths))
	if err := made.eachChoice(func(c *results.ChoiceRow) {
		decided[c.Benchmark] = choice{c.Selected, c.Reason}
	}); err != nil {
		return nil, err
	}
	rows := [][]string{{"benchmark", "logic", "selected", "reason"}}
	for i, path := range made.List.Paths {
		c := decided[path]
		rows = append(rows, []string{made.List.Name(path), made.List.Logics[i], strconv.FormatBool(c.selected),
			c.reason})
	}
	return rows, nil
}
