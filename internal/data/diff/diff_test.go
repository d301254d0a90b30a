package diff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/diff"
)

// TestFigures covers figures that differ, that only one set has, and that another comparison accepts. Sorted, a changed
// winner is the first and a rank the second.
func TestFigures(t *testing.T) {
	from := map[string]string{"t/D/a/e": "0", "t/D/a/rank": "1", "t/D/winners": "a", "t/D/a/n": "3", "t/D/b/n": "2",
		"gone": "x", "empty": ""}
	to := map[string]string{"t/D/a/e": "1", "t/D/a/rank": "2", "t/D/winners": "b", "t/D/a/n": "3", "t/D/b/n": "2.0",
		"new": "y"}
	all := diff.Figures(from, to, func(a, b string) bool { return strings.TrimSuffix(b, ".0") == a })
	diff.Sort(all)
	var got []string
	for _, d := range all {
		got = append(got, d.String())
	}
	want := []string{"t/D/winners: a → b", "t/D/a/rank: 1 → 2", "gone: x → nothing", "new: nothing → y",
		"t/D/a/e: 0 → 1"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if all := diff.Figures(from, to, diff.Exactly); len(all) != 6 {
		t.Errorf("%d exact differences, want 6: b/n as well", len(all))
	}
}

// TestTables covers a removed row, an added one, a changed cell, a column of one table only, and empty parts of a key.
func TestTables(t *testing.T) {
	row := func(key ...string) string { return strings.Join(key, diff.KeyEnd) }
	from := &diff.Table{Columns: []string{"k", "l", "n", "old"}, Rows: map[string][]string{
		row("a", ""): {"a", "", "1", "x"}, row("b", "c"): {"b", "c", "1", "x"}}}
	to := &diff.Table{Columns: []string{"n", "k", "l"}, Rows: map[string][]string{
		row("a", ""): {"2", "a", ""}, row("d", ""): {"1", "d", ""}}}
	want := []diff.Difference{
		{What: "a/n", From: "1", To: "2", Key: []string{"a", ""}, Column: "n"},
		{What: "b/c", From: "a row", To: "nothing", Key: []string{"b", "c"}},
		{What: "d", From: "nothing", To: "a row", Key: []string{"d", ""}},
	}
	if d := cmp.Diff(want, diff.Tables(from, to)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

// TestBecause checks the causes of a difference: each alone, or only both together.
func TestBecause(t *testing.T) {
	d := diff.Difference{What: "cloud/winners", From: "A", To: "B", Causes: []string{"x", "y"}}
	if got := d.String(); got != "cloud/winners: A → B  (x, y)" {
		t.Errorf("got %q", got)
	}
	d.Together = true
	if got := d.String(); got != "cloud/winners: A → B  (x + y)" {
		t.Errorf("got %q", got)
	}
}
