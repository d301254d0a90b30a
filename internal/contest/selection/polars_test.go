package selection_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
)

func mustPolars(t *testing.T, flavour string, seed uint64) *selection.Polars {
	t.Helper()
	p, err := selection.ParsePolars(flavour, seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCapByPolars expects the samples that polars 0.20.30 and 1.39.3 draw with the seed 42: 3 of 7 and 2 of 3, in
// folder order, which differs from the order of the paths as texts. The input is unsorted.
func TestCapByPolars(t *testing.T) {
	paths := strings.Fields("UF/a/1 UF/a/2 UF/a/3 UF/a-b/1 UF/a-b/2 UF/a.b/1 UF/a.b/2")
	for flavour, want := range map[string][]int{"rand-0.8": {1, 4, 3}, "rand-0.9": {4, 1, 6}} {
		var items []selection.Item
		for _, i := range []int{5, 0, 6, 2, 4, 1, 3} {
			items = append(items, selection.Item{Path: paths[i], Group: "UF"})
		}
		s := mustCap(t, items, selection.CapOptions{Polars: mustPolars(t, flavour, 42), Take: takes(3)})
		var names []string
		for _, i := range want {
			names = append(names, paths[i])
		}
		slices.Sort(names)
		if diff := cmp.Diff(names, selected(s, items)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", flavour, diff)
		}
	}
}

// TestCapByPolarsTwins checks that every list starts from the seed: a logic's draw does not depend on other logics, and
// logics of the same size lose the same positions.
func TestCapByPolarsTwins(t *testing.T) {
	items := slices.Concat(numbered("A", 900, noClaim), numbered("B", 900, noClaim))
	s := mustCap(t, items, selection.CapOptions{Polars: mustPolars(t, "rand-0.9", 7), Take: takes(450)})
	if !slices.Equal(s.Decisions[:900], s.Decisions[900:]) {
		t.Error("two logics of the same size were drawn differently")
	}
	alone := mustCap(t, items[900:], selection.CapOptions{Polars: mustPolars(t, "rand-0.9", 7), Take: takes(450)})
	if !slices.Equal(s.Decisions[900:], alone.Decisions) {
		t.Error("the draw of a logic depends on the others")
	}
}

func TestCapByPolarsClaims(t *testing.T) {
	_, err := selection.Cap(numbered("A", 9, func(int) string { return "new" }), selection.CapOptions{
		Polars: mustPolars(t, "rand-0.8", 1), Take: takes(3)})
	if err == nil || !strings.Contains(err.Error(), "guarantees no places") {
		t.Errorf("claims are passed over: %v", err)
	}
}

// TestHardByPolars makes a full deal. Ten logics with 100 unsolved candidates contribute 20 each. A logic with a single
// candidate contributes it, and its other places go elsewhere. All hard candidates are in one logic, whose places are
// sampled. Benchmarks that were never run are not selected, even if no others are left.
func TestHardByPolars(t *testing.T) {
	var items []selection.Item
	var hardness []selection.Hardness
	add := func(logic string, n int, h selection.Hardness) {
		for i := range n {
			items = append(items, selection.Item{Path: fmt.Sprintf("%s/%v/%04d", logic, h, i), Group: logic})
			hardness = append(hardness, h)
		}
	}
	for i := range 10 {
		add(fmt.Sprintf("L%d", i), 100, selection.Unsolved)
	}
	add("M", 1, selection.Unsolved)
	add("M", 1000, selection.Hard)
	add("N", 50, selection.Untried)
	add("N", 50, selection.NotHard)
	s, err := selection.HardByPolars(items, hardness, 400, mustPolars(t, "rand-0.8", 5))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for i, d := range s.Decisions {
		if d.Selected() {
			got[items[i].Group+" "+hardness[i].String()]++
		}
	}
	want := map[string]int{"M unsolved": 1, "M hard": 200}
	for i := range 10 {
		want[fmt.Sprintf("L%d unsolved", i)] = 20
	}
	want["L9 unsolved"] = 19 // 1 + 9·20 + 19 = 200: the last turn ends before L9
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		count int
		want  string
	}{
		{2200, "1001"}, // number of unsolved candidates
		{2002, "1000 such"},
		{401, "even"},
		{-2, "even"},
	} {
		if _, err := selection.HardByPolars(items, hardness, c.count, mustPolars(t, "rand-0.8", 5)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%d instances: %v", c.count, err)
		}
	}
}
