package selection_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// options returns the options of the SMT-COMP 2008 rules, §4: pools of 200, and 170 industrial, 20 crafted and 10
// random slots.
func options(seed uint32) selection.PoolOptions {
	return selection.PoolOptions{Seed: seed, Pool: 200, Parts: 4, Slots: []selection.CategorySlots{
		{Category: "industrial", Places: 170}, {Category: "crafted", Places: 20}, {Category: "random", Places: 10},
	}}
}

// block returns n benchmarks of one kind.
func block(family, category string, status comp.Status, difficulty, n int) []selection.PoolItem {
	items := make([]selection.PoolItem, n)
	part := 0
	if status == comp.StatusUnsat {
		part = 2
	}
	if difficulty >= 3 {
		part++
	}
	for i := range items {
		items[i] = selection.PoolItem{
			Path:  fmt.Sprintf("QF_X/%s/%s-%s-%d-%04d", family, category, status, difficulty, i),
			Group: "QF_X", Family: family, Category: category, Part: part, Always: category == "check",
		}
	}
	return items
}

// TestPools uses divisions with pools and slots computed by hand.
func TestPools(t *testing.T) {
	const sat, unsat = comp.StatusSat, comp.StatusUnsat
	four := func(family, category string, n int) []selection.PoolItem {
		return slices.Concat(block(family, category, sat, 0, n), block(family, category, sat, 5, n),
			block(family, category, unsat, 2, n), block(family, category, unsat, 3, n))
	}
	for _, c := range []struct {
		name  string
		items []selection.PoolItem
		want  selection.PoolGroup
	}{
		{"small: everything", slices.Concat(four("f", "random", 20), block("f", "check", sat, 5, 7)),
			selection.PoolGroup{Eligible: 87, Always: 7, Pool: 80, Selected: 87}},
		{"exactly 200: everything, whatever the categories", slices.Concat(four("f", "random", 25),
			four("g", "crafted", 25)),
			selection.PoolGroup{Eligible: 200, Pool: 200, Selected: 200}},
		{"a large family gives 200 to the pool", four("f", "industrial", 100),
			selection.PoolGroup{Eligible: 400, Pool: 200, Selected: 200}},
		{"170, 20, 10", slices.Concat(four("f", "industrial", 100), four("g", "crafted", 10), four("h", "random", 10),
			block("h", "check", unsat, 0, 3)),
			selection.PoolGroup{Eligible: 483, Always: 3, Pool: 280, Slots: map[string]int{"industrial": 170,
				"crafted": 20, "random": 10}, Selected: 203}},
		{"few crafted and random: industrial gets the slots", slices.Concat(four("f", "industrial", 60),
			four("f2", "industrial", 5), block("g", "crafted", sat, 1, 4), block("h", "random", sat, 1, 3)),
			selection.PoolGroup{Eligible: 267, Pool: 227, Slots: map[string]int{"industrial": 193, "crafted": 4,
				"random": 3}, Selected: 200}},
		{"few industrial: crafted gets the slots", slices.Concat(block("f", "industrial", sat, 1, 90),
			four("g", "crafted", 45), four("h", "random", 20)),
			selection.PoolGroup{Eligible: 350, Pool: 350, Slots: map[string]int{"industrial": 90, "crafted": 100,
				"random": 10}, Selected: 200}},
		{"few of both: random gets the rest", slices.Concat(block("f", "industrial", sat, 1, 90),
			block("g", "crafted", sat, 1, 30), four("h", "random", 40)),
			selection.PoolGroup{Eligible: 280, Pool: 280, Slots: map[string]int{"industrial": 90, "crafted": 30,
				"random": 80}, Selected: 200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Group = "QF_X"
			decisions, divisions, err := selection.Pools(c.items, options(4711))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]selection.PoolGroup{c.want}, divisions); diff != "" {
				t.Errorf("division (-want +got):\n%s", diff)
			}
			checkPools(t, c.items, decisions, divisions)
		})
	}
}

// checkPools checks the rules' requirements on any selection: checks are included, sizes are exact, slots match the
// categories, and subdivisions are balanced unless they are exhausted.
func checkPools(t *testing.T, items []selection.PoolItem, decisions []selection.PoolDecision,
	divisions []selection.PoolGroup) {
	t.Helper()
	type cell struct {
		where string
		part  int
	}
	pool, candidates := map[cell]int{}, map[cell]int{} // by family
	drawn, inPool := map[cell]int{}, map[cell]int{}    // by category
	poolOf, selected, bySlot := map[string]int{}, 0, map[string]int{}
	for i, item := range items {
		d := decisions[i]
		if (item.Category == "check") != (d == selection.AlwaysIn) {
			t.Errorf("%s: %v", item.Path, d)
		}
		if d.Selected() {
			selected++
		}
		if item.Category == "check" {
			continue
		}
		family, category := cell{item.Group + item.Family, item.Part}, cell{item.Group + item.Category, item.Part}
		candidates[family]++
		if d != selection.NotInPool {
			pool[family]++
			poolOf[family.where]++
			inPool[category]++
		}
		if d == selection.DrawnToSlot {
			drawn[category]++
			bySlot[item.Group+item.Category]++
		}
	}
	want := 0
	for _, d := range divisions {
		want += d.Selected
		for category, n := range d.Slots {
			if bySlot[d.Group+category] != n {
				t.Errorf("%s %s: %d slots filled, want %d", d.Group, category, bySlot[d.Group+category], n)
			}
		}
	}
	if selected != want {
		t.Errorf("%d selected, the summaries say %d", selected, want)
	}
	balanced := func(what string, got, available map[cell]int, slack int) {
		for a := range available {
			for b := range available {
				if a.where == b.where && got[a] < got[b]-slack && got[a] < available[a] {
					t.Errorf("%s %s: part %d has %d of %d, part %d has %d", what, a.where, a.part, got[a],
						available[a], b.part, got[b])
				}
			}
		}
	}
	balanced("pool of", pool, candidates, 1)
	if len(bySlot) > 0 {
		balanced("slots of", drawn, inPool, 2)
	}
	total := map[string]int{}
	for c, n := range candidates {
		total[c.where] += n
	}
	for family, n := range total {
		if poolOf[family] != min(n, 200) {
			t.Errorf("family %s: %d in the pool, want %d", family, poolOf[family], min(n, 200))
		}
	}
}

// TestPoolsProperties selects from random libraries in two input orders.
func TestPoolsProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	categories := []string{"industrial", "crafted", "random", "check"}
	for round := range 60 {
		var items []selection.PoolItem
		for f := range 1 + r.IntN(5) {
			for range r.IntN(12) {
				status := []comp.Status{comp.StatusSat, comp.StatusUnsat}[r.IntN(2)]
				items = append(items, block(fmt.Sprintf("f%d-%d", f, len(items)%3), categories[r.IntN(4)], status,
					r.IntN(6), r.IntN(70))...)
			}
		}
		seen := map[string]bool{}
		items = slices.DeleteFunc(items, func(i selection.PoolItem) bool {
			twice := seen[i.Path]
			seen[i.Path] = true
			return twice
		})
		for i := range items {
			if strings.Contains(items[i].Path, "crafted") {
				items[i].Group = "QF_Y"
			}
		}
		decisions, divisions, err := selection.Pools(items, options(uint32(round)))
		if err != nil {
			t.Fatal(err)
		}
		checkPools(t, items, decisions, divisions)

		reversed := slices.Clone(items)
		slices.Reverse(reversed)
		again, _, err := selection.Pools(reversed, options(uint32(round)))
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(again)
		if diff := cmp.Diff(decisions, again); diff != "" {
			t.Fatalf("round %d: another order of the input selects otherwise", round)
		}
	}
}

// TestPoolsRemaindersAreByLot counts over many seeds which two of the four subdivisions receive the 170 - 4*42 = 2
// remaining industrial slots. Every subdivision must receive them equally often.
func TestPoolsRemaindersAreByLot(t *testing.T) {
	items := slices.Concat(
		block("a", "industrial", comp.StatusSat, 0, 50), block("b", "industrial", comp.StatusSat, 5, 50),
		block("c", "industrial", comp.StatusUnsat, 0, 50), block("d", "industrial", comp.StatusUnsat, 5, 50),
		block("e", "crafted", comp.StatusSat, 0, 20), block("f", "random", comp.StatusSat, 0, 10))
	const seeds = 2000
	got := make([]int, 4)
	for seed := range uint32(seeds) {
		decisions, _, err := selection.Pools(items, options(seed+1))
		if err != nil {
			t.Fatal(err)
		}
		for k := range 4 {
			n := 0
			for _, d := range decisions[50*k : 50*(k+1)] {
				if d.Selected() {
					n++
				}
			}
			got[k] += n - 42
		}
	}
	// 4,000 places for 4 subdivisions; each count's variance is 2000/4 = 500, so 5 standard deviations are 112.
	for k, n := range got {
		if n < 1000-112 || n > 1000+112 {
			t.Errorf("subdivision %d got %d of the places left, want about 1000: %v", k, n, got)
		}
	}
}

func TestPoolsRefuses(t *testing.T) {
	good := block("f", "random", comp.StatusSat, 1, 1)
	for _, c := range []struct {
		name   string
		change func(*selection.PoolItem)
		want   string
	}{
		{"part", func(i *selection.PoolItem) { i.Part = 4 }, "in part 4; it must be between 0 and 3"},
		{"category", func(i *selection.PoolItem) { i.Category = "" }, "category \"\", which has no slots"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := slices.Clone(good)
			c.change(&bad[0])
			if _, _, err := selection.Pools(bad, options(1)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
	if _, _, err := selection.Pools(append(good, good...), options(1)); err == nil || !strings.Contains(err.Error(),
		"twice") {
		t.Errorf("twice: got %v", err)
	}
}
