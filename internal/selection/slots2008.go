package selection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/random"
)

// Item2008 is an eligible benchmark for the selection of 2008. Those of unknown status are not eligible.
type Item2008 struct {
	Path       string
	Division   string // the logic, with +p or -p for patterns
	Family     string
	Category   string // check, industrial, crafted or random
	Status     comp.Status
	Difficulty int // 0 to 5
}

// Sizes of 2008 (SMT-COMP 2008 rules, §4 "Benchmark selection").
const (
	pool2008       = 200 // benchmarks of a family in the pool, and slots of a division
	crafted2008    = 20
	random2008     = 10
	subdivisions08 = 4
)

// Difficulty returns 5(1 - solved/total) rounded to the nearest integer, a half upwards, for total solvers that were
// tried of which solved could solve the benchmark in ten minutes.
//
// Source: SMT-COMP 2008 rules, §4. The rules want an integer and do not say how to round.
func Difficulty(solved, total int) (int, error) {
	if total < 1 || solved < 0 || solved > total {
		return 0, fmt.Errorf("%d of %d solvers solved a benchmark: the difficulty needs 0 to all of at least one",
			solved, total)
	}
	return (10*(total-solved) + total) / (2 * total), nil
}

// subdivision returns the number of an item's subdivision: sat easy, sat hard, unsat easy, unsat hard.
func (i Item2008) subdivision() int {
	sub := 0
	if i.Status == comp.StatusUnsat {
		sub = 2
	}
	if i.Difficulty >= 3 {
		sub++
	}
	return sub
}

// Decision2008 says why a benchmark is in or out.
type Decision2008 uint8

// The decisions of Select2008.
const (
	NotInPool Decision2008 = iota // the family's pool has 200 others
	NoSlot                        // in the pool, but not drawn for a slot
	Check                         // category check: always included
	WholePool                     // the division's pool has at most 200 benchmarks
	Slot                          // drawn for a slot of its category and subdivision
)

// Selected reports whether the benchmark is in.
func (d Decision2008) Selected() bool { return d >= Check }

// String returns the decision in words.
func (d Decision2008) String() string {
	switch d {
	case NotInPool:
		return "not drawn for the pool of its family"
	case NoSlot:
		return "in the pool, not drawn for a slot"
	case Check:
		return "selected: category check"
	case WholePool:
		return "selected: no more benchmarks in the pool than slots"
	case Slot:
		return "drawn for a slot"
	}
	return fmt.Sprintf("decision(%d)", uint8(d))
}

// Division2008 counts what the selection did to one division.
type Division2008 struct {
	Division string
	Eligible int
	Checks   int
	Pool     int
	Slots    map[string]int // by category, of those drawn; nil when the whole pool is in
	Selected int
}

// Select2008 selects by the rules of 2008: all of category check; of each family a pool of at most 200, balanced over
// status and difficulty; and of each division's pool 170 industrial, 20 crafted and 10 random ones, balanced again. The
// decisions are by the index of the item, the summaries by name of the division.
//
// Source: SMT-COMP 2008 rules, §4 "Benchmark selection"; where a category has too few, industrial and crafted fill up
// each other first and random last. Draw order in docs/randomness.md.
func Select2008(items []Item2008, seed uint32) ([]Decision2008, []Division2008, error) {
	order, err := order2008(items)
	if err != nil {
		return nil, nil, err
	}
	s := &selection2008{items: items, out: make([]Decision2008, len(items)), g: random.NewGlibc(seed)}
	var summaries []Division2008
	for _, members := range chunk(order, func(i int) string { return items[i].Division }) {
		summaries = append(summaries, s.division(members))
	}
	return s.out, summaries, nil
}

// order2008 checks the items and sorts their indices by division, family and path.
func order2008(items []Item2008) ([]int, error) {
	order := make([]int, len(items))
	for i, item := range items {
		order[i] = i
		switch {
		case !item.Status.Known():
			return nil, fmt.Errorf("benchmark %s has status %q; those of unknown status are not eligible in 2008",
				item.Path, item.Status)
		case item.Difficulty < 0 || item.Difficulty > 5:
			return nil, fmt.Errorf("benchmark %s has difficulty %d; it must be between 0 and 5", item.Path,
				item.Difficulty)
		case !slices.Contains([]string{"check", "industrial", "crafted", "random"}, item.Category):
			return nil, fmt.Errorf("benchmark %s has category %q; it must be check, industrial, crafted or random",
				item.Path, item.Category)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := items[a], items[b]
		for _, c := range []int{strings.Compare(x.Division, y.Division), strings.Compare(x.Family, y.Family)} {
			if c != 0 {
				return c
			}
		}
		return strings.Compare(x.Path, y.Path)
	})
	for k := 1; k < len(order); k++ {
		if a, b := items[order[k-1]], items[order[k]]; a.Path == b.Path && a.Division == b.Division {
			return nil, fmt.Errorf("benchmark %s occurs twice in division %s", a.Path, a.Division)
		}
	}
	return order, nil
}

// chunk cuts a sorted list where the key changes.
func chunk(order []int, key func(int) string) [][]int {
	var chunks [][]int
	start := 0
	for k := 1; k <= len(order); k++ {
		if k == len(order) || key(order[k]) != key(order[start]) {
			chunks = append(chunks, order[start:k])
			start = k
		}
	}
	return chunks
}

type selection2008 struct {
	items []Item2008
	out   []Decision2008
	g     *random.Glibc
}

// division selects in one division, whose members are by family and path.
func (s *selection2008) division(members []int) Division2008 {
	d := Division2008{Division: s.items[members[0]].Division, Eligible: len(members)}
	var pool []int
	for _, family := range chunk(members, func(i int) string { return s.items[i].Family }) {
		var candidates []int
		for _, i := range family {
			if s.items[i].Category == "check" {
				s.out[i] = Check
				d.Checks++
			} else {
				candidates = append(candidates, i)
			}
		}
		pool = append(pool, s.familyPool(candidates)...)
	}
	d.Pool = len(pool)
	d.Selected = d.Checks + min(len(pool), pool2008)
	if len(pool) <= pool2008 {
		for _, i := range pool {
			s.out[i] = WholePool
		}
		return d
	}
	for _, i := range pool {
		s.out[i] = NoSlot
	}
	d.Slots = map[string]int{}
	byCategory := map[string][]int{}
	for _, i := range pool {
		c := s.items[i].Category
		byCategory[c] = append(byCategory[c], i)
	}
	slots := categorySlots(len(byCategory["industrial"]), len(byCategory["crafted"]), len(byCategory["random"]))
	for k, category := range []string{"industrial", "crafted", "random"} {
		d.Slots[category] = slots[k]
		s.fillSlots(byCategory[category], slots[k])
	}
	return d
}

// familyPool draws the pool of a family.
func (s *selection2008) familyPool(candidates []int) []int {
	if len(candidates) <= pool2008 {
		return candidates
	}
	subs := s.bySubdivision(candidates)
	var pool []int
	for k, n := range topUp(s.g, [subdivisions08]int{}, sizes(subs), pool2008) {
		for _, j := range s.g.Sample(len(subs[k]), n) {
			pool = append(pool, subs[k][j])
		}
	}
	slices.SortFunc(pool, func(a, b int) int { return strings.Compare(s.items[a].Path, s.items[b].Path) })
	return pool
}

// fillSlots draws n of a category's part of the pool: a quarter of the slots for each subdivision, the remainder to
// distinct ones by lot, cut to what is there, and what is left shared out among those with more.
func (s *selection2008) fillSlots(candidates []int, n int) {
	subs := s.bySubdivision(candidates)
	available := sizes(subs)
	var slots [subdivisions08]int
	for k := range slots {
		slots[k] = n / subdivisions08
	}
	for _, k := range s.g.Sample(subdivisions08, n%subdivisions08) {
		slots[k]++
	}
	placed := 0
	for k := range slots {
		slots[k] = min(slots[k], available[k])
		placed += slots[k]
	}
	for k, n := range topUp(s.g, slots, available, n-placed) {
		for _, j := range s.g.Sample(len(subs[k]), n) {
			s.out[subs[k][j]] = Slot
		}
	}
}

// bySubdivision sorts indices into subdivisions; each keeps the order by path.
func (s *selection2008) bySubdivision(candidates []int) [subdivisions08][]int {
	var subs [subdivisions08][]int
	for _, i := range candidates {
		k := s.items[i].subdivision()
		subs[k] = append(subs[k], i)
	}
	for _, sub := range subs {
		slices.SortFunc(sub, func(a, b int) int { return strings.Compare(s.items[a].Path, s.items[b].Path) })
	}
	return subs
}

func sizes(subs [subdivisions08][]int) [subdivisions08]int {
	var n [subdivisions08]int
	for k, sub := range subs {
		n[k] = len(sub)
	}
	return n
}

// topUp gives more places to the subdivisions that have benchmarks left, in equal parts as long as there is one for
// each, and the last ones by lot to distinct subdivisions. It stops when nothing is left anywhere.
func topUp(g *random.Glibc, slots, available [subdivisions08]int, more int) [subdivisions08]int {
	for more > 0 {
		var open []int
		for k := range slots {
			if slots[k] < available[k] {
				open = append(open, k)
			}
		}
		if len(open) == 0 {
			return slots
		}
		if more < len(open) {
			for _, j := range g.Sample(len(open), more) {
				slots[open[j]]++
			}
			return slots
		}
		share := more / len(open)
		for _, k := range open {
			n := min(share, available[k]-slots[k])
			slots[k] += n
			more -= n
		}
	}
	return slots
}

// categorySlots shares 200 slots among this many industrial, crafted and random benchmarks, of which there are more
// than 200: crafted and random slots that cannot be filled go to industrial ones, industrial ones that cannot go to
// crafted, and what those cannot take to random.
func categorySlots(industrial, crafted, rand int) [3]int {
	c, r := min(crafted2008, crafted), min(random2008, rand)
	i := min(pool2008-c-r, industrial)
	c = min(pool2008-i-r, crafted)
	r = min(pool2008-i-c, rand)
	return [3]int{i, c, r}
}
