package main

import (
	"encoding/csv"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// writeTables writes the tables that were asked for.
func (r *ruleSelection) writeTables() error {
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

// groupTable has the counts of each logic, or of each division in 2008.
func (r *ruleSelection) groupTable() [][]string {
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

// exclusionTable has the counts by logic and reason; "eligible" is no exclusion but completes the sums.
func (r *ruleSelection) exclusionTable() [][]string {
	rows := [][]string{{"logic", "reason", "count"}}
	for _, c := range r.counts.Table() {
		rows = append(rows, []string{string(c.Logic), reasonText(c.Reason), strconv.Itoa(c.Count)})
	}
	return rows
}

// choiceTable says of every benchmark why it is in or out.
func (r *ruleSelection) choiceTable() [][]string {
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
