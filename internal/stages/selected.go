package stages

import (
	"errors"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/results"
)

// SelectionOutputs are the outputs of a stage that selects benchmarks, as SetSelection sets them. per says what the table of
// counts has a row for.
func SelectionOutputs(per string) []Output {
	return []Output{
		{Name: "benchmarks", Type: TableType("benchmarks/1"), Doc: "the selected benchmarks"},
		{Name: "selection", Type: TableType("selection/1"), Doc: "eligible, trivial, new families, places and selected by " + per},
		{Name: "choices", Type: TableType("choices/1"), Doc: "why each benchmark is in or out"},
		{Name: "count", Type: cty.Number, Doc: "number of selected benchmarks"},
	}
}

// SetSelection sets the outputs of a selection from benchmarks, of which the choices with the same index say what becomes of
// them.
func SetSelection(env *Env, b *Benchmarks, choices []results.ChoiceRow, groups []results.SelectionRow) error {
	keep := make([]bool, len(choices))
	for i := range choices {
		keep[i] = choices[i].Selected
	}
	selected, err := b.Table.Pick(keep)
	if err != nil {
		return err
	}
	return errors.Join(
		env.Set("count", cty.NumberIntVal(int64(len(selected)))),
		SetTable(env, "benchmarks", selected),
		SetTable(env, "selection", groups),
		SetTable(env, "choices", choices),
	)
}

// AddTrivial adds the trivial benchmarks that filters dropped to the counts of a selection. groupOf gives the group that all
// benchmarks of a logic belong to; a logic of which nothing was left makes a group of its own.
func AddTrivial(groups []results.SelectionRow, exclusions []results.ExclusionRow, groupOf map[string]string) []results.SelectionRow {
	index := map[string]int{}
	for i := range groups {
		index[groups[i].Group] = i
	}
	for _, e := range exclusions {
		if !e.Trivial {
			continue
		}
		group, ok := groupOf[e.Logic]
		if !ok {
			group = e.Logic
		}
		at, ok := index[group]
		if !ok {
			at = len(groups)
			index[group] = at
			groups = append(groups, results.SelectionRow{Group: group})
		}
		groups[at].Trivial += e.Count
	}
	return groups
}
