// Package choices holds the common parts of stages that select benchmarks: the table to choose from, the choices with
// their reasons, and the outputs derived from them.
package choices

import (
	"errors"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Outputs returns the outputs of a stage that selects benchmarks, as SetSelection sets them. per describes what each
// row of the counts table represents.
func Outputs(per string) []stages.Output {
	return []stages.Output{
		{Name: "benchmarks", Type: stages.TableType("benchmarks/1"), Doc: "the selected benchmarks"},
		{Name: "selection", Type: stages.TableType("selection/1"),
			Doc: "eligible, trivial, new families, places and selected by " + per},
		{Name: "choices", Type: stages.TableType("choices/1"), Doc: "why each benchmark is selected or not"},
		{Name: "count", Type: cty.Number, Doc: "number of selected benchmarks"},
	}
}

// Choices records for each benchmark of a table whether it is selected, and why.
type Choices struct {
	Selected []bool
	reasons  table.Dictionary
}

// New returns n choices. None of them is selected or has a reason.
func New(n int) *Choices {
	return &Choices{Selected: make([]bool, n), reasons: table.Dictionary{Words: []string{""}, Codes: make([]int32, n)}}
}

// Reason returns a reason's number.
func (c *Choices) Reason(text string) int32 { return c.reasons.Code(text) }

// Set records whether a benchmark is selected, and the reason's number.
func (c *Choices) Set(i int, selected bool, reason int32) {
	c.Selected[i], c.reasons.Codes[i] = selected, reason
}

// SetSelection sets the outputs of a selection from benchmarks; choice i is about benchmark i. If no benchmark is
// selected, it warns and lists the values of the columns that the expressions use.
func (c *Choices) SetSelection(env *stages.Env, b *Benchmarks, groups []results.SelectionRow,
	exprs ...*rowexpr.Expr) error {
	selected, err := b.Table.Where(c.Selected)
	if err != nil {
		return err
	}
	if b.Len() > 0 && selected.Len() == 0 {
		reasons := map[string]int64{}
		for i := range c.Selected {
			reasons[c.reasons.At(i)]++
		}
		if err := WarnOfNone(env, b, reasons, exprs...); err != nil {
			return err
		}
	}
	return errors.Join(
		env.Set("count", cty.NumberIntVal(int64(selected.Len()))),
		SetBenchmarks(env, selected),
		stages.SetTable(env, "selection", groups),
		c.SetTable(env, b),
	)
}

// SetTable writes the choices of benchmarks as the output "choices".
func (c *Choices) SetTable(env *stages.Env, b *Benchmarks) error {
	paths, err := b.Table.Column("path")
	if err != nil {
		return err
	}
	t, err := results.Assemble[results.ChoiceRow](b.Len(), paths, b.Logics.Column(), table.BoolsOf(c.Selected),
		c.reasons.Column())
	if err != nil {
		return err
	}
	return stages.SetColumns(env, "choices", t)
}

// AddTrivial adds the benchmarks that filters dropped as trivial to a selection's counts. groupOf holds the group that
// contains all benchmarks of a logic. A logic with no benchmarks left is its own group.
func AddTrivial(groups []results.SelectionRow, exclusions []results.ExclusionRow,
	groupOf map[string]string) []results.SelectionRow {
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
