package selection

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// PoolItem is an eligible benchmark for Pools.
type PoolItem struct {
	Path     string // path, unique within its group
	Group    string // group whose places it competes for: the division
	Family   string
	Category string // category, one of the slots'; ignored if Always
	Part     int    // subdivision, 0 to PoolOptions.Parts-1; ignored if Always
	Always   bool   // whether it is selected without a draw and without taking a place
}

// PoolOptions configures how many benchmarks Pools selects.
type PoolOptions struct {
	Seed  uint32
	Pool  int // maximum number of a family's benchmarks in its group's pool
	Parts int // number of subdivisions over which pools and slots are balanced
	// Slots divides each group's places among categories. Slots that a category cannot fill go to the first category,
	// and slots that the first category cannot fill go to the others, in order.
	Slots []CategorySlots
}

// CategorySlots is a category's number of places in every group.
type CategorySlots struct {
	Category string
	Places   int
}

// PoolDecision is the reason why a benchmark was selected or not.
type PoolDecision uint8

// The possible decisions of Pools.
const (
	NotInPool   PoolDecision = iota // other members of its family were drawn for the pool
	NoSlot                          // in the pool, but not drawn for a slot
	AlwaysIn                        // selected without a draw
	WholePool                       // the group's pool has no more benchmarks than slots
	DrawnToSlot                     // drawn for a slot of its category and part
)

// Selected reports whether the benchmark was selected.
func (d PoolDecision) Selected() bool { return d >= AlwaysIn }

// String returns the decision in words.
func (d PoolDecision) String() string { return poolTexts[d] }

var poolTexts = [...]string{
	NotInPool:   "not drawn for the pool of its family",
	NoSlot:      "in the pool, not drawn for a slot",
	AlwaysIn:    "selected: always in",
	WholePool:   "selected: no more benchmarks in the pool than slots",
	DrawnToSlot: "drawn for a slot",
}

// PoolGroup counts the decisions of Pools in one group.
type PoolGroup struct {
	Group    string
	Eligible int            // number of items in the group
	Always   int            // number selected without a draw
	Pool     int            // number of benchmarks in the pool, from all families
	Slots    map[string]int // number of slots by category; nil if the whole pool is selected
	Selected int
}

// Pools selects benchmarks by family pools and category slots. Decisions are indexed like the items; groups are sorted
// by name.
//
// At most opt.Pool benchmarks of a family go into the pool of its group: in equal numbers from each subdivision, if
// they suffice. A pool with no more benchmarks than slots is selected completely. Otherwise, each category fills its
// slots in equal numbers from the subdivisions, and the remaining slots go to distinct subdivisions by lot. Slots that
// a subdivision cannot fill are shared among the subdivisions with benchmarks left.
//
// Source: SMT-COMP 2008 rules, §4 "Benchmark selection"; draw order in docs/write/randomness.md. Pools fails if an item
// occurs twice in its group, or has a part or category that is not in the options.
func Pools(items []PoolItem, opt PoolOptions) ([]PoolDecision, []PoolGroup, error) {
	order, err := poolOrder(items, opt)
	if err != nil {
		return nil, nil, err
	}
	p := &poolSelection{items: items, opt: opt, out: make([]PoolDecision, len(items)), g: random.NewGlibc(opt.Seed)}
	for _, s := range opt.Slots {
		p.places += s.Places
	}
	var groups []PoolGroup
	for _, members := range chunk(order, func(i int) string { return items[i].Group }) {
		groups = append(groups, p.group(members))
	}
	return p.out, groups, nil
}

// poolOrder checks the items and sorts their indices by group, family and path.
func poolOrder(items []PoolItem, opt PoolOptions) ([]int, error) {
	order := make([]int, len(items))
	for i, item := range items {
		order[i] = i
		known := slices.ContainsFunc(opt.Slots, func(s CategorySlots) bool { return s.Category == item.Category })
		switch {
		case item.Always:
		case item.Part < 0 || item.Part >= opt.Parts:
			return nil, fmt.Errorf("benchmark %s is in part %d; it must be between 0 and %d", item.Path, item.Part,
				opt.Parts-1)
		case !known:
			return nil, fmt.Errorf("benchmark %s has category %q, which has no slots; add "+
				"slots %q { places = N }, where N may be 0", item.Path, item.Category, item.Category)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := &items[a], &items[b]
		return cmp.Or(strings.Compare(x.Group, y.Group), strings.Compare(x.Family, y.Family),
			strings.Compare(x.Path, y.Path))
	})
	for k := 1; k < len(order); k++ {
		if a, b := items[order[k-1]], items[order[k]]; a.Path == b.Path && a.Group == b.Group {
			return nil, fmt.Errorf("benchmark %s occurs twice in %s", a.Path, a.Group)
		}
	}
	return order, nil
}

// chunk splits a sorted list wherever the key changes.
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

type poolSelection struct {
	items  []PoolItem
	opt    PoolOptions
	places int // total number of slots
	out    []PoolDecision
	g      *random.Glibc
}

// group selects from one group, whose members must be sorted by family and path.
func (p *poolSelection) group(members []int) PoolGroup {
	s := PoolGroup{Group: p.items[members[0]].Group, Eligible: len(members)}
	var pool []int
	for _, family := range chunk(members, func(i int) string { return p.items[i].Family }) {
		var candidates []int
		for _, i := range family {
			if p.items[i].Always {
				p.out[i] = AlwaysIn
				s.Always++
			} else {
				candidates = append(candidates, i)
			}
		}
		pool = append(pool, p.familyPool(candidates)...)
	}
	s.Pool = len(pool)
	s.Selected = s.Always + min(len(pool), p.places)
	if len(pool) <= p.places {
		for _, i := range pool {
			p.out[i] = WholePool
		}
		return s
	}
	s.Slots = p.fillCategories(pool)
	return s
}

// fillCategories draws from a pool with more benchmarks than slots, and returns each category's slots.
func (p *poolSelection) fillCategories(pool []int) map[string]int {
	byCategory := map[string][]int{}
	for _, i := range pool {
		p.out[i] = NoSlot
		c := p.items[i].Category
		byCategory[c] = append(byCategory[c], i)
	}
	available := make([]int, len(p.opt.Slots))
	for k, s := range p.opt.Slots {
		available[k] = len(byCategory[s.Category])
	}
	slots := map[string]int{}
	for k, n := range categorySlots(p.opt.Slots, available) {
		category := p.opt.Slots[k].Category
		slots[category] = n
		p.fillSlots(byCategory[category], n)
	}
	return slots
}

// familyPool draws a family's pool.
func (p *poolSelection) familyPool(candidates []int) []int {
	if len(candidates) <= p.opt.Pool {
		return candidates
	}
	parts := p.byPart(candidates)
	var pool []int
	for k, n := range topUp(p.g, make([]int, p.opt.Parts), sizes(parts), p.opt.Pool) {
		for _, j := range p.g.Sample(len(parts[k]), n) {
			pool = append(pool, parts[k][j])
		}
	}
	slices.SortFunc(pool, func(a, b int) int { return strings.Compare(p.items[a].Path, p.items[b].Path) })
	return pool
}

// fillSlots draws n of a category's benchmarks in the pool: an equal number from each part, and the remainder from
// distinct parts chosen by lot. Slots that a part cannot fill are shared among the parts with benchmarks left.
func (p *poolSelection) fillSlots(candidates []int, n int) {
	parts := p.byPart(candidates)
	available := sizes(parts)
	slots := make([]int, p.opt.Parts)
	for k := range slots {
		slots[k] = n / p.opt.Parts
	}
	for _, k := range p.g.Sample(p.opt.Parts, n%p.opt.Parts) {
		slots[k]++
	}
	placed := 0
	for k := range slots {
		slots[k] = min(slots[k], available[k])
		placed += slots[k]
	}
	for k, n := range topUp(p.g, slots, available, n-placed) {
		for _, j := range p.g.Sample(len(parts[k]), n) {
			p.out[parts[k][j]] = DrawnToSlot
		}
	}
}

// byPart divides indices into parts, each sorted by path.
func (p *poolSelection) byPart(candidates []int) [][]int {
	parts := make([][]int, p.opt.Parts)
	for _, i := range candidates {
		k := p.items[i].Part
		parts[k] = append(parts[k], i)
	}
	for _, part := range parts {
		slices.SortFunc(part, func(a, b int) int { return strings.Compare(p.items[a].Path, p.items[b].Path) })
	}
	return parts
}

func sizes(parts [][]int) []int {
	n := make([]int, len(parts))
	for k, part := range parts {
		n[k] = len(part)
	}
	return n
}

// topUp distributes more places to the parts with benchmarks left: equally while there is one for each, and the last
// ones to distinct parts by lot. It stops when no part has any left.
func topUp(g *random.Glibc, slots, available []int, more int) []int {
	for {
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
}

// categorySlots divides the places among all categories, given each category's number of available benchmarks.
// Together, these exceed the places. Places that other categories cannot fill go to the first, and places that the
// first cannot fill go to the others.
func categorySlots(slots []CategorySlots, available []int) []int {
	n := make([]int, len(slots))
	left := 0
	for k, s := range slots {
		n[k] = min(s.Places, available[k])
		left += s.Places - n[k]
	}
	for k := range n {
		more := min(left, available[k]-n[k])
		n[k] += more
		left -= more
	}
	return n
}
