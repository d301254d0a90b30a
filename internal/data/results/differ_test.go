package results_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestChanges covers a removed row, an added row and a changed cell.
func TestChanges(t *testing.T) {
	stored := func(text string) []byte {
		t.Helper()
		schema, err := results.SchemaOfCSV([]byte(text))
		if err != nil || schema.Name != "exclusions/1" {
			t.Fatalf("the schema of %q is %v: %v", text, schema, err)
		}
		var out bytes.Buffer
		if _, err := results.FromCSV(&out, bytes.NewReader([]byte(text)), schema); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	got, err := results.Changes(stored("logic,reason,count\nLIA,easy,3\nUF,easy,1\n"),
		stored("reason,logic,count\neasy,LIA,4\nkept,UF,1\n"))
	want := []diff.Difference{
		{What: "LIA/easy/count", From: "3", To: "4", Key: []string{"LIA", "easy"}, Column: "count"},
		{What: "UF/easy", From: "a row", To: "nothing", Key: []string{"UF", "easy"}},
		{What: "UF/kept", From: "nothing", To: "a row", Key: []string{"UF", "kept"}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for text, want := range map[string]string{
		"a,b\n1,2\n": "its first line does not have the key columns of any table (docs/stages/tables.md)",
		"logic,reason,number,why\nLIA,easy,1,x\n": "its key columns are those of exclusions/1, which has no column " +
			"number, why (docs/stages/tables.md)",
		"\n": "its first line does not name columns",
	} {
		if s, err := results.SchemaOfCSV([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v, want %s", text, s, err, want)
		}
	}
}

// TestChangesOfMany edits random rows of tables whose keys contain numbers, and compares the changes with the edits.
func TestChangesOfMany(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		from, to := map[string]results.HistoryRow{}, map[string]results.HistoryRow{}
		want := map[string]bool{}
		for range random.IntN(60) {
			row := results.HistoryRow{Year: int64(random.IntN(120)), Answers: -1, Identity: run.Identity{
				Benchmark: fmt.Sprint("b", random.IntN(5)), Track: "parallel", Solver: fmt.Sprint("s", random.IntN(3))}}
			name := fmt.Sprintf("%s/%d/%s/%s", row.Benchmark, row.Year, row.Track, row.Solver)
			if _, twice := from[name]; twice || want[name] {
				continue
			}
			edited := row
			edited.Answers, edited.CPUTimeS = 3, 0.5
			switch random.IntN(8) {
			case 0:
				from[name], want[name] = row, true
			case 1:
				to[name], want[name] = row, true
			case 2:
				from[name], to[name] = row, edited
				want[name+"/answers"], want[name+"/cpu_time_s"] = true, true
			default:
				from[name], to[name] = row, row
			}
		}
		var stored [2]bytes.Buffer
		for i, rows := range []map[string]results.HistoryRow{from, to} {
			if err := results.Write(&stored[i], slices.Collect(maps.Values(rows))); err != nil {
				t.Fatal(err)
			}
		}
		all, err := results.Changes(stored[0].Bytes(), stored[1].Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, d := range all {
			got[d.What] = true
		}
		if len(got) != len(all) || !maps.Equal(got, want) {
			t.Errorf("changed %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	}
}
