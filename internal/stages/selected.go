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

// Choices say what becomes of each benchmark of a table.
type Choices struct {
	Selected []bool
	why      Words
	number   map[string]int32
}

// NewChoices makes n choices, none of which is selected or has a reason.
func NewChoices(n int) *Choices {
	return &Choices{Selected: make([]bool, n), why: Words{List: []string{""}, At: make([]int32, n)}, number: map[string]int32{"": 0}}
}

// Reason gives the number of a reason.
func (c *Choices) Reason(text string) int32 {
	k, ok := c.number[text]
	if !ok {
		k = int32(len(c.why.List))
		c.number[text], c.why.List = k, append(c.why.List, text)
	}
	return k
}

// Set settles what becomes of a benchmark, for a reason by its number.
func (c *Choices) Set(i int, selected bool, reason int32) {
	c.Selected[i], c.why.At[i] = selected, reason
}

// SetSelection sets the outputs of a selection from benchmarks, of which the choices with the same index say what becomes of
// them.
func SetSelection(env *Env, b *Benchmarks, choices *Choices, groups []results.SelectionRow) error {
	selected, err := b.Table.Where(choices.Selected)
	if err != nil {
		return err
	}
	return errors.Join(
		env.Set("count", cty.NumberIntVal(int64(selected.Len()))),
		SetBenchmarks(env, "benchmarks", selected),
		SetTable(env, "selection", groups),
		choices.SetTable(env, b),
	)
}

// SetTable sets the output "choices" to the choices of benchmarks.
func (c *Choices) SetTable(env *Env, b *Benchmarks) error {
	paths, err := b.Table.Vector("path")
	if err != nil {
		return err
	}
	t, err := results.Assemble[results.ChoiceRow](b.Len(), paths, results.TextsOf(b.Logics.List, b.Logics.At), results.BoolsOf(c.Selected),
		results.TextsOf(c.why.List, c.why.At))
	if err != nil {
		return err
	}
	_, err = setColumns(env, "choices", t)
	return err
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
