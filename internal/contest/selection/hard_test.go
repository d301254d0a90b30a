package selection_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
)

// hardLibrary returns the given numbers of unsolved and hard candidates for each logic, plus three other benchmarks per
// logic.
func hardLibrary(logics map[string][2]int) ([]selection.Item, []selection.Hardness) {
	var items []selection.Item
	var hardness []selection.Hardness
	for logic, n := range logics {
		for kind, count := range map[selection.Hardness]int{selection.Unsolved: n[0], selection.Hard: n[1],
			selection.NotHard: 3} {
			for i := range count {
				items = append(items, selection.Item{Path: fmt.Sprintf("%s/%d-%03d", logic, kind, i), Group: logic})
				hardness = append(hardness, kind)
			}
		}
	}
	return items, hardness
}

// TestHardInstances expects picks dealt by hand, by logic, as {unsolved, hard}.
func TestHardInstances(t *testing.T) {
	for _, c := range []struct {
		name   string
		logics map[string][2]int
		count  int
		want   map[string][2]int
	}{
		{"fewer than places", map[string][2]int{"A": {2, 1}, "B": {0, 4}, "C": {0, 0}}, 10,
			map[string][2]int{"A": {2, 1}, "B": {0, 4}}},
		{"turns", map[string][2]int{"A": {9, 9}, "B": {9, 9}}, 6, map[string][2]int{"A": {2, 1}, "B": {2, 1}}},
		{"one logic runs out", map[string][2]int{"A": {1, 1}, "B": {9, 9}}, 8, map[string][2]int{"A": {1, 1},
			"B": {3, 3}}},
		{"one kind runs out", map[string][2]int{"A": {1, 9}}, 5, map[string][2]int{"A": {1, 4}}},
		{"the other kind runs out", map[string][2]int{"A": {9, 1}}, 5, map[string][2]int{"A": {4, 1}}},
		{"nothing is hard", map[string][2]int{"A": {0, 0}}, 5, map[string][2]int{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			items, hardness := hardLibrary(c.logics)
			s, err := selection.HardInstances(items, hardness, selection.HardOptions{Seed: 5, Count: c.count})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string][2]int{}
			for i, d := range s.Decisions {
				if !d.Selected() {
					continue
				}
				if hardness[i] == selection.NotHard {
					t.Errorf("%s is not hard", items[i].Path)
				}
				n := got[items[i].Group]
				n[2-int(hardness[i])]++
				got[items[i].Group] = n
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("picked {unsolved, hard} (-want +got):\n%s", diff)
			}
			for _, g := range s.Groups {
				if n := got[g.Group]; g.Selected != n[0]+n[1] {
					t.Errorf("%s: %d selected, the summary says %d", g.Group, n[0]+n[1], g.Selected)
				}
			}
		})
	}
}

// TestHardInstancesFill deals 10 places: A has 2 hard candidates, B none. The other 8 places go, in turn, to benchmarks
// that were never run: A has 3 of them, so B receives 5.
func TestHardInstancesFill(t *testing.T) {
	items, hardness := hardLibrary(map[string][2]int{"A": {1, 1}, "B": {0, 0}})
	for logic, n := range map[string]int{"A": 3, "B": 9} {
		for i := range n {
			items = append(items, selection.Item{Path: fmt.Sprintf("%s/new-%d", logic, i), Group: logic})
			hardness = append(hardness, selection.Untried)
		}
	}
	for _, c := range []struct {
		fill bool
		want []selection.GroupSummary
	}{
		{true, []selection.GroupSummary{{Group: "A", Eligible: 5, Size: 5, Quota: 5, Selected: 5},
			{Group: "B", Eligible: 9, Size: 9, Quota: 5, Selected: 5}}},
		{false, []selection.GroupSummary{{Group: "A", Eligible: 2, Size: 2, Quota: 2, Selected: 2}}},
	} {
		s, err := selection.HardInstances(items, hardness, selection.HardOptions{Seed: 3, Count: 10, Fill: c.fill})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, s.Groups); diff != "" {
			t.Errorf("fill %v (-want +got):\n%s", c.fill, diff)
		}
		for i, d := range s.Decisions {
			if d.Selected() && hardness[i] == selection.NotHard {
				t.Errorf("fill %v: %s is not hard", c.fill, items[i].Path)
			}
		}
	}
}

// TestHardInstancesShareTheLastTurn deals 400 places to 7 logics: 57 to each, and one more by lot.
func TestHardInstancesShareTheLastTurn(t *testing.T) {
	logics := map[string][2]int{}
	for i := range 7 {
		logics[fmt.Sprintf("L%d", i)] = [2]int{100, 100}
	}
	items, hardness := hardLibrary(logics)
	lucky := map[string]bool{}
	var first []string
	for seed := range uint32(60) {
		s, err := selection.HardInstances(items, hardness, selection.HardOptions{Seed: seed, Count: 400})
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, g := range s.Groups {
			total += g.Selected
			if g.Selected == 58 {
				lucky[g.Group] = true
			} else if g.Selected != 57 {
				t.Errorf("seed %d: %s has %d places", seed, g.Group, g.Selected)
			}
		}
		if total != 400 {
			t.Errorf("seed %d: %d selected, want 400", seed, total)
		}
		if seed == 0 {
			first = selected(s, items)
		}
	}
	if len(lucky) != 7 { // 60 seeds: the probability that a logic never wins is 7 * (6/7)^60 < 0.001
		t.Errorf("the last place goes to %d logics only", len(lucky))
	}
	again, othersHardness := hardLibrary(logics) // the map order differs
	s, err := selection.HardInstances(again, othersHardness, selection.HardOptions{Seed: 0, Count: 400})
	if err != nil || !slices.Equal(selected(s, again), first) {
		t.Errorf("another order of the input picks otherwise (%v)", err)
	}
}

// TestNoHardInstances requests zero instances, which is valid, and a negative number, which is an error.
func TestNoHardInstances(t *testing.T) {
	items, hardness := hardLibrary(map[string][2]int{"A": {2, 1}})
	s, err := selection.HardInstances(items, hardness, selection.HardOptions{Seed: 0, Count: 0})
	if err != nil || len(selected(s, items)) > 0 {
		t.Errorf("no instances: %v, error %v", selected(s, items), err)
	}
	if _, err := selection.HardInstances(items, hardness, selection.HardOptions{Seed: 0, Count: -1}); err == nil {
		t.Error("-1 instances were accepted")
	}
}

func TestHeats(t *testing.T) {
	items := slices.Concat(numbered("A", 10, noClaim), numbered("B", 3, noClaim))
	for _, c := range []struct {
		name    string
		weights []int
		want    map[string][]int // places in heats 1, 2, ... by group
	}{
		{"one", []int{1}, map[string][]int{"A": {10}, "B": {3}}},
		{"equal", []int{1, 1, 1}, map[string][]int{"A": {4, 3, 3}, "B": {1, 1, 1}}},
		{"unequal", []int{3, 1}, map[string][]int{"A": {8, 2}, "B": {3, 0}}}, // 7.5 and 2.5; 2.25 and 0.75
		{"empty heat", []int{0, 1}, map[string][]int{"A": {0, 10}, "B": {0, 3}}},
		// In each group, two places remain after rounding down. They go to the first heats with a weight above 0.
		{"two left, an empty heat first", []int{0, 1, 1, 1, 1}, map[string][]int{"A": {0, 3, 3, 2, 2},
			"B": {0, 1, 1, 1, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			heats, err := selection.Heats(items, c.weights, 8)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string][]int{"A": make([]int, len(c.weights)), "B": make([]int, len(c.weights))}
			for i, h := range heats {
				got[items[i].Group][h-1]++
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("heats (-want +got):\n%s", diff)
			}
			reversed := slices.Clone(items)
			slices.Reverse(reversed)
			again, err := selection.Heats(reversed, c.weights, 8)
			slices.Reverse(again)
			if err != nil || !slices.Equal(heats, again) {
				t.Errorf("another order of the input deals otherwise: %v", err)
			}
		})
	}
	for _, weights := range [][]int{nil, {0}, {-1, 2}} {
		if _, err := selection.Heats(items, weights, 1); err == nil {
			t.Errorf("weights %v were accepted", weights)
		}
	}
}
