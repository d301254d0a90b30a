package report

import (
	"strings"
	"testing"
)

// TestPlotTables uses the runs of TestStatistics, counted by hand.
func TestPlotTables(t *testing.T) {
	d := &division{track: &track{}, limits: limits{wall: 10}, name: "Arith", runs: statisticsRuns(t)}
	s := &site{m: &model{}}
	for _, c := range []struct {
		tab  *table
		want string
	}{
		{s.cactusTable(d), "Solver|0.1 s|1 s|10 s; one|0|1|2; three|0|0|0; two|0|0|2; VBS|0|1|3"},
		{s.scatterTable(d), "Solver|Both|Only one|Only it|one faster|It faster; three|0|2|0|0|0; two|1|1|1|1|0"},
		{s.memoryTable(d), "Solver|10 %|50 %|90 %|Most; one|10.00|40.00|90.00|90.00; " +
			"three|30.00|60.00|110.00|110.00; two|20.00|50.00|100.00|100.00"},
	} {
		if got := plainTable(c.tab); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.tab.Caption, got, c.want)
		}
	}
}

// plainTable joins a table's texts.
func plainTable(tab *table) string {
	var head []string
	for _, c := range tab.Cols {
		head = append(head, c.Title)
	}
	lines := []string{strings.Join(head, "|")}
	for _, r := range tab.Rows {
		var cells []string
		for _, c := range r.Cells {
			cells = append(cells, plainCell(c))
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return strings.Join(lines, "; ")
}
