package main

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// selected is a finished selection.
type selected struct {
	list    *preselect.List
	store   *cache.Store
	outputs map[string]cty.Value
}

// writeSelection writes the requested output.
func (s *selectFlags) writeSelection(cmd *cobra.Command, made *selected) error {
	exclusions, err := tableOf[results.ExclusionRow](made, "exclusions")
	if err != nil {
		return err
	}
	for _, t := range []struct {
		file string
		rows func([]results.ExclusionRow) ([][]string, error)
	}{
		{s.table, made.groupTable},
		{s.exclusions, exclusionTable},
		{s.choices, made.choiceTable},
	} {
		if t.file == "" {
			continue
		}
		rows, err := t.rows(exclusions)
		if err != nil {
			return err
		}
		var text strings.Builder
		if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
			return err
		}
		if err := outfile.WriteText(t.file, text.String()); err != nil {
			return err
		}
	}
	names, err := made.names()
	if err != nil {
		return err
	}
	if s.eligible != "" {
		eligible, err := made.eligible()
		if err == nil {
			err = outfile.WriteText(s.eligible, lines(eligible))
		}
		if err != nil {
			return err
		}
	}
	eligible := int64(0)
	for _, e := range exclusions {
		if e.Reason == kept {
			eligible += e.Count
		}
	}
	seed, _ := made.outputs["seed"].AsBigFloat().Int64()
	fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d benchmarks are eligible, %d are selected (seed %d)\n", eligible,
		len(made.list.Paths), len(names), seed)
	return s.write(cmd, lines(names))
}

// kept is the reason of benchmarks that no rule excludes.
const kept = "kept"

// tableOf reads an output's table.
func tableOf[Row any](made *selected, output string) ([]Row, error) {
	art, ok := stages.ArtifactOf(made.outputs[output])
	if !ok {
		return nil, fmt.Errorf("the rules' module has no table %s for the track", output)
	}
	return artifact.ReadTable[Row](made.store, art)
}

// names lists the selected benchmarks by their names in the list, sorted.
func (made *selected) names() ([]string, error) {
	art, ok := stages.ArtifactOf(made.outputs["selected"])
	if !ok {
		return nil, fmt.Errorf("the rules' module has no table selected for the track")
	}
	t, err := artifact.OpenTable[results.BenchmarkRow](made.store, art)
	if err != nil {
		return nil, err
	}
	paths, err := t.Strings("path")
	if err != nil {
		return nil, err
	}
	names := make([]string, len(paths))
	for i, path := range paths {
		names[i] = made.list.Name(path)
	}
	slices.Sort(names)
	return names, nil
}

// eligible lists the benchmarks that were drawn from, by their names in the list. These are the benchmarks in the last
// table of choices.
func (made *selected) eligible() ([]string, error) {
	tables, err := made.choices()
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	rows, err := artifact.ReadTable[results.ChoiceRow](made.store, tables[len(tables)-1])
	if err != nil {
		return nil, err
	}
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = made.list.Name(rows[i].Benchmark)
	}
	slices.Sort(names)
	return names, nil
}

// groupTable returns the counts of each logic that has eligible benchmarks.
func (made *selected) groupTable([]results.ExclusionRow) ([][]string, error) {
	groups, err := tableOf[results.SelectionRow](made, "selection")
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
		for _, n := range []int64{int64(made.list.Library(g.Group)), g.Trivial, g.Eligible, g.NewFamilies,
			guaranteed[g.Group], g.Quota, g.Selected} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// guaranteed counts each logic's benchmarks that were included before the draw from all benchmarks.
func (made *selected) guaranteed() (map[string]int64, error) {
	counts := map[string]int64{}
	err := made.eachChoice(func(c *results.ChoiceRow) {
		if c.Reason == selection.Guaranteed.String() || c.Reason == selection.AlwaysIn.String() {
			counts[c.Logic]++
		}
	})
	return counts, err
}

// choices returns the choice tables of all deciding stages, in order.
func (made *selected) choices() ([]stages.Artifact, error) {
	v := made.outputs["choices"]
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
func (made *selected) eachChoice(do func(*results.ChoiceRow)) error {
	tables, err := made.choices()
	if err != nil {
		return err
	}
	for _, art := range tables {
		rows, err := artifact.ReadTable[results.ChoiceRow](made.store, art)
		if err != nil {
			return err
		}
		for i := range rows {
			do(&rows[i])
		}
	}
	return nil
}

// exclusionTable returns the counts by logic and reason. "eligible" is not an exclusion but makes the sums complete.
func exclusionTable(exclusions []results.ExclusionRow) ([][]string, error) {
	rows := [][]string{{"logic", "reason", "count"}}
	for _, e := range exclusions {
		reason := e.Reason
		if reason == kept {
			reason = "eligible"
		}
		rows = append(rows, []string{e.Logic, reason, strconv.FormatInt(e.Count, 10)})
	}
	return rows, nil
}

// choiceTable returns for every benchmark why it is included or excluded, in the list's order.
func (made *selected) choiceTable([]results.ExclusionRow) ([][]string, error) {
	type choice struct {
		selected bool
		reason   string
	}
	decided := make(map[string]choice, len(made.list.Paths))
	if err := made.eachChoice(func(c *results.ChoiceRow) {
		decided[c.Benchmark] = choice{c.Selected, c.Reason}
	}); err != nil {
		return nil, err
	}
	rows := [][]string{{"benchmark", "logic", "selected", "reason"}}
	for i, path := range made.list.Paths {
		c := decided[path]
		rows = append(rows, []string{made.list.Name(path), made.list.Logics[i], strconv.FormatBool(c.selected),
			c.reason})
	}
	return rows, nil
}
