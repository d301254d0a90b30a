package main

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// candidateSelection is a selection from candidates in progress.
type candidateSelection struct {
	flags *selectFlags
	track comp.Track
	seed  uint64
	input *selectInput

	reasons []selection.Reason // by candidate
	why     []string           // by candidate: why an eligible one is in or out
	in      []bool             // by candidate
	groups  []selection.GroupSummary
	counts  selection.Exclusions
}

// write writes the requested tables and the selected paths.
func (r *candidateSelection) write(cmd *cobra.Command) error {
	if err := r.writeTables(); err != nil {
		return err
	}
	var selected, eligible []string
	for i, c := range r.input.candidates {
		if r.reasons[i] == selection.Eligible {
			eligible = append(eligible, c.named)
		}
		if r.in[i] {
			selected = append(selected, c.named)
		}
	}
	slices.Sort(selected)
	slices.Sort(eligible)
	if r.flags.eligible != "" {
		if err := writeFile(r.flags.eligible, lines(eligible)); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d benchmarks are eligible, %d are selected (seed %d)\n",
		len(eligible), len(r.input.candidates), len(selected), r.seed)
	return r.flags.write(cmd, lines(selected))
}

// start makes room for the decision on each candidate.
func (r *candidateSelection) start() {
	n := len(r.input.candidates)
	r.reasons, r.why, r.in = make([]selection.Reason, n), make([]string, n), make([]bool, n)
}

// exclude decides which candidates are eligible and counts the reasons.
func (r *candidateSelection) exclude(reason func(selection.Facts) selection.Reason) {
	for i, c := range r.input.candidates {
		r.reasons[i] = reason(c.facts)
		r.counts.Add(c.facts.Logic, r.reasons[i])
	}
}

// items returns the items of the eligible candidates, with the candidate of each. New benchmarks are drawn first.
func (r *candidateSelection) items() ([]selection.Item, []int) {
	var items []selection.Item
	var at []int
	for i, c := range r.input.candidates {
		if r.reasons[i] != selection.Eligible {
			continue
		}
		item := selection.Item{Path: c.facts.Path, Group: string(c.facts.Logic), First: c.isNew}
		items, at = append(items, item), append(at, i)
	}
	return items, at
}

// library counts the benchmarks of each group in the track's collection.
func (r *candidateSelection) library() map[string]int {
	library := map[string]int{}
	for i, c := range r.input.candidates {
		if r.reasons[i] != selection.OtherKind {
			library[string(c.facts.Logic)]++
		}
	}
	return library
}

// take copies the decisions of a selection. Its items are the candidates with the indices at.
func (r *candidateSelection) take(chosen selection.Selection, at []int) {
	for k, i := range at {
		r.in[i] = chosen.Decisions[k].Selected()
		r.why[i] = chosen.Decisions[k].String()
	}
	r.groups = chosen.Groups
}

// explainHard adds the hardness to the explanation of each item.
func (r *candidateSelection) explainHard(hardness []selection.Hardness, chosen selection.Selection, at []int) {
	for k, i := range at {
		r.why[i] = selection.HardReason(hardness[k], chosen.Decisions[k])
	}
}

// writeTables writes the tables that were requested.
func (r *candidateSelection) writeTables() error {
	for _, t := range []struct {
		file string
		rows func() [][]string
	}{
		{r.flags.table, r.groupTable},
		{r.flags.exclusions, r.exclusionTable},
		{r.flags.choices, r.choiceTable},
	} {
		if t.file == "" {
			continue
		}
		var text strings.Builder
		w := csv.NewWriter(&text)
		if err := w.WriteAll(t.rows()); err != nil {
			return err
		}
		if err := writeFile(t.file, text.String()); err != nil {
			return err
		}
	}
	return nil
}

// groupTable returns the counts of each logic, or of each division in 2008.
func (r *candidateSelection) groupTable() [][]string {
	library := r.library()
	rows := [][]string{{"logic", "library", "trivial", "eligible", "new_families", "guaranteed", "quota", "selected"}}
	for _, g := range r.groups {
		row := []string{g.Group}
		trivial := r.counts.Of(comp.Logic(g.Group), selection.TooEasy)
		for _, n := range []int{library[g.Group], trivial, g.Eligible, g.NewFamilies, g.Guaranteed,
			g.Quota, g.Selected} {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	return rows
}

// exclusionTable returns the counts by logic and reason. "eligible" is not an exclusion but completes the sums.
func (r *candidateSelection) exclusionTable() [][]string {
	rows := [][]string{{"logic", "reason", "count"}}
	for _, c := range r.counts.Table() {
		rows = append(rows, []string{string(c.Logic), reasonText(c.Reason), strconv.Itoa(c.Count)})
	}
	return rows
}

// choiceTable returns for every benchmark why it is in or out.
func (r *candidateSelection) choiceTable() [][]string {
	rows := [][]string{{"benchmark", "logic", "selected", "reason"}}
	for i, c := range r.input.candidates {
		why := r.why[i]
		if r.reasons[i] != selection.Eligible {
			why = reasonText(r.reasons[i])
		}
		rows = append(rows, []string{c.named, string(c.facts.Logic), strconv.FormatBool(r.in[i]), why})
	}
	return rows
}

func reasonText(reason selection.Reason) string {
	if reason == selection.Eligible {
		return "eligible"
	}
	return string(reason)
}
