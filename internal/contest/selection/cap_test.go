package selection_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/random"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
)

// selected returns the paths of the selected items, sorted.
func selected(s selection.Selection, items []selection.Item) []string {
	var paths []string
	for i, d := range s.Decisions {
		if d.Selected() {
			paths = append(paths, items[i].Path)
		}
	}
	slices.Sort(paths)
	return paths
}

// numbered returns n items in a group. claim returns the claim for each number.
func numbered(group string, n int, claim func(i int) string) []selection.Item {
	items := make([]selection.Item, n)
	for i := range items {
		items[i] = selection.Item{Path: fmt.Sprintf("non-incremental/%s/f/%05d.smt2", group, i), Group: group,
			Claim: claim(i)}
	}
	return items
}

func noClaim(int) string { return "" }

func takes(n int) func(string, int) (int, error) {
	return func(string, int) (int, error) { return n, nil }
}

func mustCap(t testing.TB, items []selection.Item, opt selection.CapOptions) selection.Selection {
	t.Helper()
	s, err := selection.Cap(items, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCapSummary checks places and guarantees for groups of many sizes.
func TestCapSummary(t *testing.T) {
	for _, c := range []struct {
		name                string
		n, families, places int
		holds               bool
		guaranteed          int
	}{
		{name: "all", n: 300, families: 5, places: 300, holds: true, guaranteed: 0},
		{name: "with guarantee", n: 301, families: 5, places: 300, holds: true, guaranteed: 5},
		{name: "without guarantee", n: 600, families: 5, places: 300, guaranteed: 0},
		{name: "more families than places", n: 1602, families: 900, places: 801, holds: true, guaranteed: 801},
		{name: "no families", n: 5000, places: 900, holds: true, guaranteed: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			items := numbered("LIA", c.n, func(i int) string {
				if i < c.families {
					return fmt.Sprintf("new-%04d", i)
				}
				return ""
			})
			s := mustCap(t, items, selection.CapOptions{
				Seed:      22731074,
				Take:      takes(c.places),
				Guarantee: func(string, int) (bool, error) { return c.holds, nil },
			})
			want := []selection.GroupSummary{{Group: "LIA", Eligible: c.n, Size: c.n, NewFamilies: c.families,
				Guaranteed: c.guaranteed, Quota: c.places, Selected: c.places}}
			if diff := cmp.Diff(want, s.Groups); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			if got := len(selected(s, items)); got != c.places {
				t.Errorf("selected %d, want %d", got, c.places)
			}
		})
	}
}

// TestCapDrawOrder makes the draws of docs/write/randomness.md by hand: groups by name; within a group, one draw per
// new family, by name, from its members by path; then a shuffle of the rest that stops when the places are filled.
func TestCapDrawOrder(t *testing.T) {
	items := []selection.Item{ // groups, paths and families are all unsorted
		{Path: "b/4", Group: "b"}, {Path: "b/1", Group: "b", Claim: "q"}, {Path: "b/0", Group: "b", Claim: "q"},
		{Path: "a/2", Group: "a"}, {Path: "a/1", Group: "a"}, {Path: "a/0", Group: "a"},
		{Path: "b/3", Group: "b", Claim: "p"}, {Path: "b/2", Group: "b", Claim: "p"}, {Path: "c/0", Group: "c"},
	}
	g := random.NewGlibc(11)
	var want []string
	shuffle := func(rest []string, places int) {
		for i := range places {
			j := i + g.Below(len(rest)-i)
			rest[i], rest[j] = rest[j], rest[i]
			want = append(want, rest[i])
		}
	}
	shuffle([]string{"a/0", "a/1", "a/2"}, 2)
	p := []string{"b/2", "b/3"}[g.Below(2)]
	q := []string{"b/0", "b/1"}[g.Below(2)]
	var rest []string
	for _, path := range []string{"b/0", "b/1", "b/2", "b/3", "b/4"} {
		if path != p && path != q {
			rest = append(rest, path)
		}
	}
	want = append(want, p, q)
	shuffle(rest, 1)
	want = append(want, "c/0") // the whole group, without a draw
	slices.Sort(want)

	take := func(group string, n int) (int, error) { return map[string]int{"a": 2, "b": 3, "c": 3}[group], nil }
	s := mustCap(t, items, selection.CapOptions{Seed: 11, Take: take})
	if diff := cmp.Diff(want, selected(s, items)); diff != "" {
		t.Errorf("selected (-want +got):\n%s", diff)
	}
	if s.Decisions[8] != selection.WholeGroup || s.Decisions[8].String() != "selected: no more benchmarks than places" {
		t.Errorf("c/0: %v", s.Decisions[8])
	}
}

// TestCapProperties checks many random inputs for exact sizes, the guarantee, decisions that agree with the summary,
// and independence from the input order.
func TestCapProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		var items []selection.Item
		for g := range 1 + r.IntN(4) {
			families := 1 + r.IntN(6)
			items = append(items, numbered(fmt.Sprintf("G%d", g), r.IntN(60), func(int) string {
				if f := r.IntN(2 * families); f < families {
					return fmt.Sprintf("new%d", f)
				}
				return ""
			})...)
		}
		quota, seed := r.IntN(30), uint32(r.IntN(1<<31))
		opt := selection.CapOptions{Seed: seed, Take: takes(quota)}
		s := mustCap(t, items, opt)
		checkCap(t, round, items, s, quota)

		shuffled := slices.Clone(items)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again := mustCap(t, shuffled, opt)
		if diff := cmp.Diff(selected(s, items), selected(again, shuffled)); diff != "" {
			t.Fatalf("round %d: another order of the input selects otherwise:\n%s", round, diff)
		}
		if diff := cmp.Diff(s.Groups, again.Groups); diff != "" {
			t.Fatalf("round %d: another order of the input counts otherwise:\n%s", round, diff)
		}
	}
}

func checkCap(t *testing.T, round int, items []selection.Item, s selection.Selection, quota int) {
	t.Helper()
	selected, eligible := map[string]int{}, map[string]int{}
	claimed, claims := map[string]bool{}, map[string]map[string]bool{}
	for i, item := range items {
		eligible[item.Group]++
		if claims[item.Group] == nil {
			claims[item.Group] = map[string]bool{}
		}
		if item.Claim != "" {
			claims[item.Group][item.Claim] = true
		}
		if s.Decisions[i].Selected() {
			selected[item.Group]++
			claimed[item.Group+" "+item.Claim] = true
		}
	}
	if len(s.Groups) != len(eligible) {
		t.Fatalf("round %d: %d groups, want %d", round, len(s.Groups), len(eligible))
	}
	for _, g := range s.Groups {
		if want := min(quota, eligible[g.Group]); selected[g.Group] != want || g.Selected != want {
			t.Errorf("round %d, %s: %d selected, %d counted, want %d", round, g.Group, selected[g.Group], g.Selected,
				want)
		}
		held := 0
		for claim := range claims[g.Group] {
			if claimed[g.Group+" "+claim] {
				held++
			}
		}
		if want := min(quota, len(claims[g.Group])); held < want {
			t.Errorf("round %d, %s: %d of %d new families have a place, want %d", round, g.Group, held,
				len(claims[g.Group]), want)
		}
	}
}

// chi2Limit999 maps degrees of freedom to the chi-square value that one experiment in a thousand exceeds (from tables).
// The seeds are fixed, so the tests below are not random.
var chi2Limit999 = map[int]float64{4: 18.47, 9: 27.88, 19: 43.82}

func chi2(t *testing.T, what string, counts []int, total int) {
	t.Helper()
	expected, sum := float64(total)/float64(len(counts)), 0.0
	for _, c := range counts {
		sum += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	if limit := chi2Limit999[len(counts)-1]; sum > limit {
		t.Errorf("%s: chi-square %.1f exceeds %.1f: %v", what, sum, limit, counts)
	}
}

// TestCapIsUniform counts, over 20,000 seeds, which of 20 items is drawn alone, which pair of 5 is drawn, and which
// member of a new family takes the family's place.
func TestCapIsUniform(t *testing.T) {
	const seeds = 20000
	single, pairs, members := make([]int, 20), make([]int, 10), make([]int, 5)
	all := numbered("LIA", 20, noClaim)
	five := numbered("LIA", 5, noClaim)
	family := numbered("LIA", 25, func(i int) string {
		if i%5 == 2 {
			return "new"
		}
		return ""
	})
	pairNumber := map[[2]int]int{}
	for i := range 5 {
		for j := i + 1; j < 5; j++ {
			pairNumber[[2]int{i, j}] = len(pairNumber)
		}
	}
	for seed := range uint32(seeds) {
		s := mustCap(t, all, selection.CapOptions{Seed: seed + 1, Take: takes(1)})
		single[slices.Index(s.Decisions, selection.Drawn)]++

		s = mustCap(t, five, selection.CapOptions{Seed: seed + 1, Take: takes(2)})
		first := slices.Index(s.Decisions, selection.Drawn)
		second := first + 1 + slices.Index(s.Decisions[first+1:], selection.Drawn)
		pairs[pairNumber[[2]int{first, second}]]++

		s = mustCap(t, family, selection.CapOptions{Seed: seed + 1, Take: takes(3)})
		members[slices.Index(s.Decisions, selection.Guaranteed)/5]++
	}
	chi2(t, "one of 20", single, seeds)
	chi2(t, "two of 5", pairs, seeds)
	chi2(t, "the place of a new family", members, seeds)
}

func TestCapSizeOfTheLibrary(t *testing.T) {
	items := numbered("LIA", 400, noClaim)
	s := mustCap(t, items, selection.CapOptions{
		Seed: 1,
		Size: func(group string, n int) int { return 1600 },
		Take: func(_ string, n int) (int, error) { return n / 2, nil },
	})
	if g := s.Groups[0]; g.Size != 1600 || g.Quota != 800 || g.Selected != 400 {
		t.Errorf("got %+v: half of the library's 1600 is more than the 400 left", g)
	}
}

// TestCapFirst marks 10 items in a group of 30 as First. They fill the places before other items, or share them.
func TestCapFirst(t *testing.T) {
	items := numbered("LIA", 30, noClaim)
	for i := range 10 {
		items[3*i].First = true
	}
	for _, c := range []struct{ places, first, others int }{{4, 4, 0}, {10, 10, 0}, {13, 10, 3}} {
		s := mustCap(t, items, selection.CapOptions{Seed: 3, Take: takes(c.places)})
		first, others := 0, 0
		for i, d := range s.Decisions {
			switch {
			case d.Selected() && items[i].First:
				first++
			case d.Selected():
				others++
			}
		}
		if first != c.first || others != c.others {
			t.Errorf("%d places: %d marked and %d others, want %d and %d", c.places, first, others, c.first, c.others)
		}
	}
}

func TestCapRefuses(t *testing.T) {
	twice := []selection.Item{{Path: "x", Group: "a"}, {Path: "y", Group: "a"}, {Path: "x", Group: "a"}}
	one := twice[:1]
	for _, c := range []struct {
		name  string
		items []selection.Item
		opt   selection.CapOptions
		want  string
	}{
		{"no formula", one, selection.CapOptions{}, "needs a formula"},
		{"twice", twice, selection.CapOptions{Take: takes(1)}, "benchmark x occurs twice"},
		{"negative", one, selection.CapOptions{Take: takes(-1)}, "for a with n = 1 is -1"},
		{"formula fails", one, selection.CapOptions{Take: func(string, int) (int, error) {
			return 0,
				errors.New("no number")
		}}, "n = 1: no number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := selection.Cap(c.items, c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
}

func TestCapOfNothing(t *testing.T) {
	if s := mustCap(t, nil, selection.CapOptions{Take: takes(5)}); len(s.Groups) != 0 || len(s.Decisions) != 0 {
		t.Errorf("got %+v", s)
	}
}

// BenchmarkCap selects by the 2026 rules from a library as large as that of 2025.
func BenchmarkCap(b *testing.B) {
	var items []selection.Item
	for g := range 90 {
		items = append(items, numbered(fmt.Sprintf("LOGIC%02d", g), 5000, func(i int) string {
			if i%100 == 0 {
				return fmt.Sprintf("new%d", i/1000)
			}
			return ""
		})...)
	}
	take := func(_ string, n int) (int, error) { return 500 + (n-1000)/10, nil }
	b.ReportAllocs()
	for b.Loop() {
		mustCap(b, items, selection.CapOptions{Seed: 1, Take: take})
	}
}
