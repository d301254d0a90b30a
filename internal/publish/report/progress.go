package report

import (
	"fmt"
	"strconv"
)

// leftText returns the runs' expected remaining time; empty if unknown.
func (p *Progress) leftText() string {
	sum := 0.0
	for _, d := range p.Divisions {
		sum += d.LeftS
	}
	if left, ok := p.left(sum); ok && sum > 0 {
		return longTime(left)
	}
	return ""
}

// progressTable returns a table with a row for each division.
func (s *site) progressTable() *table {
	p := s.m.in.Progress
	if p == nil || len(p.Divisions) == 0 {
		return nil
	}
	tab := &table{ID: "progress", Caption: "Progress by division. The time left is the remaining runs' expected " +
		"duration, " +
		"assuming the concurrency of the last active hour",
		Cols: []col{{"Track", "", false}, {"Division", "", false}, {"Done", "runs", true}, {"Of", "runs", true},
			{"%", "percentage of runs done", true}, {"Time left", "", true}}}
	for i := range p.Divisions {
		d := &p.Divisions[i]
		tab.Rows = append(tab.Rows, row{Cells: append([]cell{text(trackTitle(d.Track)), head(d.Division, "")},
			p.cells(d)...)})
	}
	return tab
}

// cells returns the cells that follow a division's name.
func (p *Progress) cells(d *DivisionProgress) []cell {
	share := 100.0
	if d.Total > 0 {
		share = 100 * float64(d.Done) / float64(d.Total)
	}
	left := noFigure
	if t, ok := p.left(d.LeftS); ok {
		left = cell{Text: longTime(t), Sort: fmt.Sprint(t), Num: true}
	}
	return []cell{count(d.Done), count(d.Total),
		{Text: fmt.Sprintf("%.1f", share), Sort: strconv.FormatFloat(share, 'g', -1, 64), Num: true}, left}
}
