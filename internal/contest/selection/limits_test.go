package selection_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/random"
	"github.com/smtpipe/smtpipe/internal/base/random/polars"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// TestCapClaimsFillThePlaces claims places for as many new families as there are places. By docs/write/randomness.md,
// families are drawn only if they outnumber the places, so the first draw picks a member of p and the second a member
// of q.
func TestCapClaimsFillThePlaces(t *testing.T) {
	items := []selection.Item{
		{Path: "a/0", Group: "a", Claim: "p"}, {Path: "a/1", Group: "a", Claim: "p"},
		{Path: "a/2", Group: "a", Claim: "p"}, {Path: "a/3", Group: "a", Claim: "q"},
		{Path: "a/4", Group: "a", Claim: "q"}, {Path: "a/5", Group: "a"},
	}
	for seed := range uint32(20) {
		g := random.NewGlibc(seed)
		want := []string{items[g.Below(3)].Path, items[3+g.Below(2)].Path}
		s := mustCap(t, items, selection.CapOptions{Seed: seed, Take: takes(2)})
		if got := selected(s, items); !slices.Equal(got, want) {
			t.Errorf("seed %d: selected %v, want %v", seed, got, want)
		}
	}
}

// TestCapNewBeforeOthers draws new benchmarks before others: fewer than the places, exactly as many, and more.
func TestCapNewBeforeOthers(t *testing.T) {
	for _, c := range []struct {
		new, places, first, others int
	}{
		{0, 4, 0, 4}, {3, 4, 3, 1}, {4, 4, 4, 0}, {5, 4, 4, 0}, {5, 0, 0, 0},
	} {
		items := numbered("LIA", 9, noClaim)
		for i := range c.new {
			items[2*i%9].First = true
		}
		s := mustCap(t, items, selection.CapOptions{Seed: 3, Take: takes(c.places)})
		count := map[selection.Decision]int{}
		for i, d := range s.Decisions {
			count[d]++
			if d == selection.DrawnFirst && !items[i].First {
				t.Errorf("%+v: %s is not new and was drawn first", c, items[i].Path)
			}
		}
		want := map[selection.Decision]int{selection.DrawnFirst: c.first, selection.Drawn: c.others,
			selection.NotDrawn: 9 - c.first - c.others}
		for d, n := range want {
			if count[d] != n {
				t.Errorf("%+v: %d are %v, want %d", c, count[d], d, n)
			}
		}
	}
}

// TestHeatSizes expects sizes computed by hand: n·weight/sum rounded down. The remaining items go to the first heats
// with a weight above 0, one each.
func TestHeatSizes(t *testing.T) {
	for _, c := range []struct {
		n       int
		weights []int
		want    []int
	}{
		{11, []int{1, 1, 1}, []int{4, 4, 3}},      // 3 each, and two remain
		{10, []int{0, 1, 2}, []int{0, 4, 6}},      // 0, 3.3 and 6.7
		{5, []int{1, 0, 1, 1}, []int{2, 0, 2, 1}}, // 1.7 each, and two remain
		{0, []int{1, 1}, []int{0, 0}},
	} {
		heats, err := selection.Heats(numbered("A", c.n, noClaim), c.weights, 8)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, len(c.weights))
		for _, h := range heats {
			got[h-1]++
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d in heats of %v: %v, want %v", c.n, c.weights, got, c.want)
		}
	}
}

// TestHardInstancesDecisions deals to a logic that contributes all its candidates and one that is drawn from, then
// deals no places at all, and fills no places.
func TestHardInstancesDecisions(t *testing.T) {
	items, hardness := hardLibrary(map[string][2]int{"A": {1, 1}, "B": {9, 9}})
	for i := range 3 {
		items = append(items, selection.Item{Path: fmt.Sprintf("A/new-%d", i), Group: "A"})
		hardness = append(hardness, selection.Untried)
	}
	for _, c := range []struct {
		count       int
		wholeA      int
		drawnB      int
		quotaA      int
		eligibleAll []int
	}{
		{8, 2, 6, 2, []int{2, 18}}, // A is empty after two turns
		{2, 0, 1, 1, []int{2, 18}}, // one turn
		{0, 0, 0, 0, []int{2, 18}},
	} {
		s, err := selection.HardInstances(items, hardness, selection.HardOptions{Seed: 5, Count: c.count, Fill: true})
		if err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		for i, d := range s.Decisions {
			if d.Selected() {
				count[items[i].Group+" "+d.String()]++
			}
		}
		if count["A "+selection.WholeGroup.String()] != c.wholeA || count["B "+selection.Drawn.String()] != c.drawnB ||
			count["B "+selection.WholeGroup.String()] != 0 {
			t.Errorf("%d places: %v", c.count, count)
		}
		want := []selection.GroupSummary{{Group: "A", Eligible: 2, Size: 2, Quota: c.quotaA, Selected: c.quotaA},
			{Group: "B", Eligible: 18, Size: 18, Quota: c.drawnB, Selected: c.drawnB}}
		if diff := cmp.Diff(want, s.Groups); diff != "" { // untried items are not candidates if no place is left
			t.Errorf("%d places (-want +got):\n%s", c.count, diff)
		}
	}
	if _, err := selection.HardInstances(items, hardness, selection.HardOptions{Count: -1}); err == nil {
		t.Error("a negative number of places was accepted")
	}
	if _, err := selection.HardInstances(items, hardness[1:], selection.HardOptions{}); err == nil {
		t.Error("an item without a hardness was accepted")
	}
}

func TestHardReason(t *testing.T) {
	for _, c := range []struct {
		h    selection.Hardness
		d    selection.Decision
		want string
	}{
		{selection.NotHard, selection.NotDrawn, "solved too fast by someone"},
		{selection.Hard, selection.Drawn, "drawn, hard"},
		{selection.Unsolved, selection.NotDrawn, "not drawn, unsolved"},
		{selection.Untried, selection.NotDrawn, "not drawn: never run, so that nothing says that it is hard"},
		{selection.Untried, selection.Drawn, "drawn, never run"},
		{selection.Hard, selection.WholeGroup, "selected: no more benchmarks than places, hard"},
	} {
		if got := selection.HardReason(c.h, c.d); got != c.want {
			t.Errorf("%v, %v: %q, want %q", c.h, c.d, got, c.want)
		}
	}
}

// TestHardByPolarsLimits fills halves with exactly as many places as candidates, and halves without places.
func TestHardByPolarsLimits(t *testing.T) {
	items, hardness := hardLibrary(map[string][2]int{"A": {3, 1}, "B": {0, 2}})
	for _, c := range []struct{ count, want int }{{6, 6}, {0, 0}} {
		s, err := selection.HardByPolars(items, hardness, c.count, mustPolars(t, "rand-0.8", 5))
		if err != nil || len(selected(s, items)) != c.want {
			t.Errorf("%d instances: %v (%v)", c.count, selected(s, items), err)
		}
	}
	if _, err := selection.HardByPolars(items, hardness[1:], 2, mustPolars(t, "rand-0.8", 5)); err == nil {
		t.Error("an item without a hardness was accepted")
	}
}

// TestRatio computes by hand the formula used since 2019: all benchmarks up to 300, then 300 until half of them exceeds
// it, then half.
func TestRatio(t *testing.T) {
	places := selection.Ratio(300, 0.5)
	for n, want := range map[int]int{0: 0, 299: 299, 300: 300, 301: 300, 600: 300, 601: 300, 602: 301, 1603: 801} {
		if got := places(n); got != want {
			t.Errorf("%d places for n = %d, want %d", got, n, want)
		}
	}
}

// TestReplayStatus checks which benchmarks with a status are candidates, and which are appended, if there is a place
// for every candidate.
func TestReplayStatus(t *testing.T) {
	lines := map[string]selection.StatusLine{
		"LIA/f/sat":        {Status: comp.StatusSat, Asserts: 2},
		"LIA/f/unsat":      {Status: comp.StatusUnsat, Asserts: 1},
		"LIA/f/nobody":     {Status: comp.StatusUnknown, Asserts: 2},
		"LIA/f/said-sat":   {Status: comp.StatusUnknown, Asserts: 2, Sat: 1},
		"LIA/f/said-unsat": {Status: comp.StatusUnknown, Asserts: 2, Unsat: 1},
	}
	in := selection.ReplayInput{All: []string{"LIA/f/absent"}, Status: lines}
	for path := range lines {
		in.All = append(in.All, path)
	}
	for _, c := range []struct {
		status   comp.Status
		asserts  int
		want     string
		eligible int
		missing  int
	}{
		{"", 0, "absent nobody said-sat said-unsat sat unsat", 6, 0},
		{"", 2, "nobody said-sat said-unsat sat", 4, 1},
		{comp.StatusSat, 0, "said-sat sat", 1, 1},
		{comp.StatusUnsat, 1, "said-unsat unsat", 1, 1},
		{comp.StatusUnsat, 2, "said-unsat", 0, 1},
	} {
		got, err := selection.Replay(in, selection.ReplayOptions{Seed: big.NewInt(1), MinPerLogic: 300,
			Status: c.status, MinAsserts: c.asserts})
		if err != nil {
			t.Fatal(err)
		}
		paths := strings.ReplaceAll(strings.Join(got.Paths, " "), "LIA/f/", "")
		if g := got.Groups[0]; paths != c.want || g.Eligible != c.eligible || g.NoStatus != c.missing {
			t.Errorf("%q, %d asserts: %q of %+v, want %q", c.status, c.asserts, paths, g, c.want)
		}
	}
}

// TestReplayTake takes the number of places from a formula in the rules, which applies only to logics with benchmarks
// and is capped at their number.
func TestReplayTake(t *testing.T) {
	in := selection.ReplayInput{All: []string{"LIA/f/1", "LIA/f/2", "LIA/f/3", "UF/f/1"},
		Easy: map[string]bool{"UF/f/1": true}}
	for places, want := range map[int]int{0: 0, 2: 2, 3: 3, 4: 3} {
		take := func(logic string, n int) (int, error) {
			if logic != "LIA" || n != 3 {
				return 0, fmt.Errorf("asked for %s with %d", logic, n)
			}
			return places, nil
		}
		got, err := selection.Replay(in, selection.ReplayOptions{Seed: big.NewInt(1), MinPerLogic: 300, Take: take})
		if err != nil || len(got.Paths) != want || got.Groups[0].Quota != want {
			t.Errorf("%d places: %+v (%v)", places, got, err)
		}
	}
	fails := func(string, int) (int, error) { return 0, fmt.Errorf("no formula") }
	if _, err := selection.Replay(in, selection.ReplayOptions{Seed: big.NewInt(1), Take: fails}); err == nil ||
		!strings.Contains(err.Error(), "number of places for LIA with n = 3: no formula") {
		t.Errorf("got error %v", err)
	}
}

// TestReplayParamsLimits checks the limits of ratio and numbers.
func TestReplayParamsLimits(t *testing.T) {
	for text, ok := range map[string]bool{
		`"ratio": 0`: true, `"ratio": 1`: true, `"ratio": -0.1`: false, `"ratio": 1.1`: false,
		`"min_per_logic": 0`: true, `"min_asserts": 0`: true, `"min_asserts": -1`: false, `"filter": "any"`: true,
	} {
		if _, err := selection.ReadReplayParams(strings.NewReader(`{"seed": 1, ` + text + `}`)); (err == nil) != ok {
			t.Errorf("%s: error %v", text, err)
		}
	}
	for text, want := range map[string]bool{ // whether the list ends with a newline
		`"logics_filter": "applied after the draw"`:           false, // no logics to filter by
		`"logics_filter": "applied after", "logics": ["LIA"]`: true,
		`"logics": ["LIA"]`:                                            false,
		`"track": "incremental", "year": 2020`:                         false,
		`"track": "single-query", "year": 2019`:                        false,
		`"track": "incremental", "year": 2019, "final_newline": false`: false,
	} {
		p, err := selection.ReadReplayParams(strings.NewReader(`{"seed": 1, ` + text + `}`))
		if err != nil || p.FinalNewline != want {
			t.Errorf("%s: final newline %v (%v)", text, p.FinalNewline, err)
		}
	}
	for text, want := range map[string]int{ // a core with one assert is not a core
		`"track": "unsat-core", "filter": "unsat"`:                   2,
		`"track": "unsat-core", "filter": "sat"`:                     0,
		`"track": "single-query", "filter": "unsat"`:                 0,
		`"track": "unsat-core", "filter": "unsat", "min_asserts": 5`: 5,
	} {
		p, err := selection.ReadReplayParams(strings.NewReader(`{"seed": 1, ` + text + `}`))
		if err != nil || p.Options.MinAsserts != want {
			t.Errorf("%s: %d asserts (%v)", text, p.Options.MinAsserts, err)
		}
	}
}

// TestReadStatusColumns reads tables in which every column except the benchmark is missing. No other columns replace
// the missing ones.
func TestReadStatusColumns(t *testing.T) {
	for _, value := range []string{"sat", "7"} {
		table, err := selection.ReadStatus(strings.NewReader("host,path,other\n" + value + ",LIA/x.smt2," +
			value + "\n"))
		want := map[string]selection.StatusLine{"LIA/x.smt2": {Status: comp.StatusUnknown}}
		if diff := cmp.Diff(want, table.Lines); diff != "" || err != nil {
			t.Errorf("%q (-want +got), %v:\n%s", value, err, diff)
		}
		table, err = selection.ReadStatus(strings.NewReader("path,other\nLIA/x.smt2," + value + "\n"))
		if diff := cmp.Diff(want, table.Lines); diff != "" || err != nil {
			t.Errorf("%q (-want +got), %v:\n%s", value, err, diff)
		}
	}
	table, err := selection.ReadStatus(strings.NewReader("sqUnsatRes,sqSatRes,asserts,expected,file\n" +
		"1,2,3,sat,LIA/x.smt2\n"))
	want := map[string]selection.StatusLine{"LIA/x.smt2": {Status: comp.StatusSat, Asserts: 3, Sat: 2, Unsat: 1}}
	if diff := cmp.Diff(want, table.Lines); diff != "" || err != nil {
		t.Errorf("all columns (-want +got), %v:\n%s", err, diff)
	}
	table, err = selection.ReadStatus(strings.NewReader("path" + strings.Repeat(",x", 11) + "\n"))
	if err != nil || len(table.Warnings) != 10 {
		t.Errorf("11 unknown columns give %d warnings (%v), want 10", len(table.Warnings), err)
	}
}

func TestReadList(t *testing.T) {
	got, err := selection.ReadList(strings.NewReader("LIA/a.smt2\n\n  UF/b.smt2 \r\n \nUF/c.smt2"))
	if want := []string{"LIA/a.smt2", "UF/b.smt2", "UF/c.smt2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

// TestPoolsOfExactSize makes the draws of docs/write/randomness.md by hand. Family a has exactly as many benchmarks as
// its pool takes, so it needs no draw. Then there are 3 benchmarks for 2 slots in 2 parts: one slot each, and a sample
// from each part.
func TestPoolsOfExactSize(t *testing.T) {
	item := func(path string, part int) selection.PoolItem {
		return selection.PoolItem{Path: path, Group: "g", Family: "a", Category: "c", Part: part}
	}
	items := []selection.PoolItem{item("0", 0), item("1", 0), item("2", 1)}
	opt := selection.PoolOptions{Pool: 3, Parts: 2, Slots: []selection.CategorySlots{{Category: "c", Places: 2}}}
	for seed := range uint32(20) {
		opt.Seed = seed
		got, groups, err := selection.Pools(items, opt)
		if err != nil {
			t.Fatal(err)
		}
		want := []selection.PoolDecision{selection.NoSlot, selection.NoSlot, selection.DrawnToSlot}
		want[random.NewGlibc(seed).Below(2)] = selection.DrawnToSlot
		if !slices.Equal(got, want) || groups[0].Selected != 2 {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}

// TestPoolsRemainder fills 3 slots in 2 parts with 3 benchmarks each. The first draw decides which part receives two
// slots.
func TestPoolsRemainder(t *testing.T) {
	var items []selection.PoolItem
	for i := range 6 {
		items = append(items, selection.PoolItem{Path: fmt.Sprint(i), Group: "g", Family: "a", Category: "c",
			Part: i % 2})
	}
	opt := selection.PoolOptions{Pool: 6, Parts: 2, Slots: []selection.CategorySlots{{Category: "c", Places: 3}}}
	for seed := range uint32(20) {
		opt.Seed = seed
		decisions, _, err := selection.Pools(items, opt)
		if err != nil {
			t.Fatal(err)
		}
		var got [2]int
		for i, d := range decisions {
			if d == selection.DrawnToSlot {
				got[i%2]++
			}
		}
		want := [2]int{1, 1}
		want[random.NewGlibc(seed).Below(2)]++
		if got != want {
			t.Errorf("seed %d: the parts have %v slots, want %v", seed, got, want)
		}
	}
}

// TestPoolsPlaces checks items at the boundaries of parts, and a path in two groups.
func TestPoolsPlaces(t *testing.T) {
	opt := options(1)
	at := func(part int) selection.PoolItem {
		return selection.PoolItem{Path: "x", Group: "g", Family: "f", Category: "random", Part: part}
	}
	for part, ok := range map[int]bool{-1: false, 0: true, 3: true, 4: false} {
		if _, _, err := selection.Pools([]selection.PoolItem{at(part)}, opt); (err == nil) != ok {
			t.Errorf("part %d: error %v", part, err)
		}
	}
	other := at(0)
	other.Group = "h"
	decisions, groups, err := selection.Pools([]selection.PoolItem{at(0), other}, opt)
	if err != nil || len(groups) != 2 || !decisions[0].Selected() || !decisions[1].Selected() {
		t.Errorf("one path in two groups: %v, %v (%v)", decisions, groups, err)
	}
}

// TestUnfitCollections checks pairs of names in which one or both state their collection.
func TestUnfitCollections(t *testing.T) {
	for _, c := range []struct {
		name, path string
		found      bool
	}{
		{"UF/a", "incremental/UF/a", true},
		{"incremental/UF/a", "UF/a", true},
		{"incremental/UF/a", "incremental/UF/a", true},
		{"incremental/UF/a", "non-incremental/UF/a", false},
		{"UF/incremental/a", "non-incremental/UF/incremental/a", true}, // a family named like a collection
	} {
		of, err := selection.FindUnfit([]selection.Unfit{{Benchmark: c.name, Line: 2}}, []string{c.path})
		if found := err == nil && of[0] == 0; found != c.found {
			t.Errorf("%s for %s: %v (%v)", c.name, c.path, of, err)
		}
	}
}

// TestListOfTheLibrary checks the positions of benchmarks in the organisers' list for any input order: the incremental
// collection is last, and a path precedes those that it is a prefix of, folder by folder.
func TestListOfTheLibrary(t *testing.T) {
	list := strings.Fields("non-incremental/LIA/a/x non-incremental/LIA/a/x1 non-incremental/LIA/a-b/x " +
		"incremental/ABV/a/x incremental/ABV/a/x1")
	for range len(list) {
		list = append(list[1:], list[0])
		reversed := slices.Clone(list)
		slices.Reverse(reversed)
		for _, library := range [][]string{list, reversed} {
			got, err := selection.NumberScripts(library, library, polars.Rand08, 42, selection.ByPlace)
			if err != nil {
				t.Fatal(err)
			}
			for i, path := range []string{"non-incremental/LIA/a/x", "non-incremental/LIA/a/x1",
				"non-incremental/LIA/a-b/x", "incremental/ABV/a/x", "incremental/ABV/a/x1"} {
				if got[path].File != i {
					t.Errorf("%s has place %d, want %d; the library is %v", path, got[path].File, i, library)
				}
			}
		}
	}
}

// TestHardByPolarsOrder picks one item for each half. It belongs to the first logic in the order in which the
// organisers' tool declares them: by name, except that AUFBVFPDTNIRA precedes AUFBVFP.
func TestHardByPolarsOrder(t *testing.T) {
	for _, c := range []struct{ logics, first string }{
		{"AUFBVFP AUFBVFPDTNIRA", "AUFBVFPDTNIRA"},
		{"AUFBVFPDTNIRA AUFBVFP", "AUFBVFPDTNIRA"},
		{"AUFBVFPDTLIRA AUFBVFPDTNIRA", "AUFBVFPDTNIRA"},
		{"AUFBVFPDTLIRA AUFBVFP", "AUFBVFP"},
		{"AUFBV AUFBVFPDTNIRA", "AUFBV"},
		{"UF LIA", "LIA"},
	} {
		var items []selection.Item
		var hardness []selection.Hardness
		for _, logic := range strings.Fields(c.logics) {
			items = append(items, selection.Item{Path: logic + "/1", Group: logic},
				selection.Item{Path: logic + "/2", Group: logic})
			hardness = append(hardness, selection.Unsolved, selection.Hard)
		}
		s, err := selection.HardByPolars(items, hardness, 2, mustPolars(t, "rand-0.9", 1))
		if want := []string{c.first + "/1", c.first + "/2"}; err != nil || !slices.Equal(selected(s, items), want) {
			t.Errorf("%s: selected %v (%v), want %v", c.logics, selected(s, items), err, want)
		}
	}
}

// TestPoolsRemainderTwice: six slots are divided among four kinds, one of which is empty. Each kind receives one slot,
// and two more go by lot to distinct kinds. The empty kind's slots go to the others, again by lot (SMT-COMP 2008 rules,
// §4 step 4). A kind can therefore receive two more than another, if it and the empty kind win the first lot.
func TestPoolsRemainderTwice(t *testing.T) {
	var items []selection.PoolItem
	for i := range 30 {
		items = append(items, selection.PoolItem{Path: fmt.Sprint(i), Group: "g", Family: fmt.Sprint(i), Category: "c",
			Part: 1 + i%3})
	}
	opt := selection.PoolOptions{Pool: 30, Parts: 4, Slots: []selection.CategorySlots{{Category: "c", Places: 6}}}
	uneven := 0
	for seed := range uint32(40) {
		opt.Seed = seed
		decisions, _, err := selection.Pools(items, opt)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, 3)
		for i, d := range decisions {
			if d == selection.DrawnToSlot {
				got[i%3]++
			}
		}
		slices.Sort(got)
		if slices.Equal(got, []int{1, 2, 3}) {
			uneven++
		} else if !slices.Equal(got, []int{2, 2, 2}) {
			t.Errorf("seed %d: %v slots", seed, got)
		}
	}
	if uneven == 0 || uneven == 40 {
		t.Errorf("%d of 40 draws are uneven", uneven)
	}
}
