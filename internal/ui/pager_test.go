package ui

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

func TestPager(t *testing.T) {
	tests := []struct {
		name           string
		columns, lines int
		command        string
		want           string
	}{
		{"no terminal", 0, 0, "tr a-z A-Z", "line 1\nline 2\nline 3\n"},
		{"fits", 80, 4, "tr a-z A-Z", "line 1\nline 2\nline 3\n"},
		{"too long", 80, 3, "tr a-z A-Z", "LINE 1\nLINE 2\nLINE 3\n"},
		{"no pager wanted", 80, 2, "", "line 1\nline 2\nline 3\n"},
		{"reader leaves", 80, 2, "head -n 1", "line 1\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			p := &Pager{dst: &out, columns: test.columns, lines: test.lines, command: test.command}
			for i := range 3 {
				if _, err := fmt.Fprintf(p, "line %d\n", i+1); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPagerLeft writes far more than a pipe can buffer to a pager that reads one line.
func TestPagerLeft(t *testing.T) {
	var out bytes.Buffer
	p := &Pager{dst: &out, columns: 80, lines: 2, command: "head -n 1"}
	for range 100_000 {
		if _, err := fmt.Fprintln(p, "a line"); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil || out.String() != "a line\n" {
		t.Errorf("%v, %.40q", err, out.String())
	}
}

func TestSortedTable(t *testing.T) {
	rows := []results.ScoreRow{
		{Division: "D", Solver: "a", Correct: 9, WallS: 1},
		{Division: "D", Solver: "b", Correct: 10, WallS: 3},
		{Division: "D", Solver: "c", Correct: 10, WallS: 2},
		{Division: "E", Solver: "d", Correct: 2, WallS: 2},
	}
	var table bytes.Buffer
	if err := results.Write(&table, rows); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		opt  TableOptions
		want string
	}{
		{"as it is", TableOptions{}, "a b c d"},
		{"numbers, not texts", TableOptions{Sort: []string{"n"}}, "d a b c"},
		{"largest first, then by another", TableOptions{Sort: []string{"-n", "w_s"}}, "c b a d"},
		{"the first rows of all sorted", TableOptions{Sort: []string{"-w_s"}, Top: 1}, "b"},
		{"of a division", TableOptions{Sort: []string{"-solver"}, Division: "D", Top: 2}, "c b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			test.opt.Columns = []string{"solver"}
			if err := WriteTable(&out, bytes.NewReader(table.Bytes()), int64(table.Len()), test.opt); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			got := strings.Join(lines[1:len(lines)-1], " ") // without the header and the count
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	err := WriteTable(&table, bytes.NewReader(table.Bytes()), int64(table.Len()),
		TableOptions{Sort: []string{"nothing"}})
	if err == nil || !strings.Contains(err.Error(), `no column "nothing"`) {
		t.Errorf("an unknown column: %v", err)
	}
}
