package score

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestJoin joins parts that meet within a benchmark. The result must have the runs of all parts in their order, and a
// solver must not have a second run on a benchmark, even in the next part but one.
func TestJoin(t *testing.T) {
	rows := dropRows()
	rows[2].Checks = rows[1].Checks // a property of the benchmark
	again := rows[2]
	again.Solver, again.Team = "A", "A"
	late := rows[2]
	late.Solver, late.Team = "C", "C"
	for _, test := range []struct {
		parts [][]Row
		ok    bool
	}{
		{[][]Row{rows[:1], rows[1:]}, true},
		{[][]Row{rows[:2], rows[2:]}, true},
		{[][]Row{rows[:2], rows[2:3], {late}, rows[3:]}, true},
		{[][]Row{rows[:2], {again}}, false},
		{[][]Row{rows[:2], {again, rows[3]}}, false},
		{[][]Row{rows[:2], rows[2:3], {again}}, false},
		{[][]Row{rows[1:2], rows[:1]}, false}, // not in order
	} {
		var joined Builder
		ok := true
		var want []string
		for i, part := range test.parts {
			var b Builder
			for _, row := range part {
				want = append(want, fmt.Sprint(row.Benchmark, row.Solver, row.Answer, row.Wall, row.CPU, row.Checks))
				if err := b.Add(&row); err != nil {
					t.Fatal(err)
				}
			}
			if i == 0 {
				joined = b
			} else {
				ok = ok && joined.Join(&b)
			}
		}
		if ok != test.ok {
			t.Errorf("%q: joined %v, want %v", want, ok, test.ok)
		}
		if !ok {
			continue
		}
		var got []string
		track := joined.Runs().Tracks[0]
		for i := range track.Len() {
			got = append(got, fmt.Sprint(track.Benchmarks[track.benchmark[i]].Name, track.Solvers[track.solver[i]].Name,
				track.answer.At(i), track.wall[i], track.cpu[i], track.restAt(i).Checks))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got\n%s", diff)
		}
	}
}
