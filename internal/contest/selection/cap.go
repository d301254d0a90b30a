package selection

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// Item is an eligible benchmark.
type Item struct {
	Path  string // path, unique among the items
	Group string // group that the cap applies to: the benchmark's logic
	Claim string // new family with a guaranteed place in the group; empty: none
	First bool   // whether to draw it before other items, like new benchmarks in the organisers' tool since 2024
}

// CapOptions configures how many benchmarks to select from each group. Take is required.
type CapOptions struct {
	// Seed is the competition's seed, which is passed to srandom().
	Seed uint32
	// Polars replaces the C library's generator and has its own seed. It does not support claims.
	Polars *Polars
	// Take returns the number of places for a group of size n. If it exceeds the number of eligible items, all of them
	// are selected.
	Take func(group string, n int) (int, error)
	// Guarantee reports whether claims apply in a group of size n. If nil, they always do.
	Guarantee func(group string, n int) (bool, error)
	// Size returns n for a group with this many items. If nil, n is the number of items. Size supports the reading of
	// the rules in which n counts all of the library's benchmarks, eligible or not.
	Size func(group string, items int) int
}

// Decision is the reason why a benchmark was selected or not.
type Decision uint8

// The possible decisions of a cap.
const (
	NotDrawn   Decision = iota
	WholeGroup          // the group has no more benchmarks than places
	Guaranteed          // drawn for the guaranteed place of its new family
	Drawn
	DrawnFirst
)

// Selected reports whether the benchmark was selected.
func (d Decision) Selected() bool { return d != NotDrawn }

// String returns the decision in words, as displayed and stored.
func (d Decision) String() string { return decisionTexts[d] }

var decisionTexts = [...]string{
	NotDrawn:   "not drawn",
	WholeGroup: "selected: no more benchmarks than places",
	Guaranteed: "guaranteed: new family",
	Drawn:      "drawn",
	DrawnFirst: "drawn first: new",
}

// GroupSummary counts a cap's decisions in one group.
type GroupSummary struct {
	Group       string
	Eligible    int // number of items in the group
	Size        int // group size n in the formula
	NewFamilies int // number of different claims, whether or not they apply
	Guaranteed  int // number of places taken by claims
	Quota       int // number of places by the formula, not capped at Eligible
	Selected    int
}

// Selection is a cap's result.
type Selection struct {
	Decisions []Decision     // decision by item index
	Groups    []GroupSummary // sorted by group name
}

// Cap selects benchmarks group by group.
//
// A group with no more items than places is selected completely. In any other group, if claims apply, Cap first draws
// one benchmark for each claim from the claim's items; with more claims than places, it draws as many different claims
// as places. The remaining places go to items drawn uniformly without replacement, starting with those marked First.
// Groups are handled in byte order with one generator, so the result depends only on the set of items and the options.
// With Polars, each draw has its own generator, and items are ordered by the components of their paths.
//
// Source: SMT-COMP 2019, 2022 and 2026 rules, §6 "Benchmark selection"; draw order in docs/write/randomness.md. Cap
// fails if an item occurs twice, or if Take fails or returns a number below 0.
func Cap(items []Item, opt CapOptions) (Selection, error) {
	if opt.Take == nil {
		return Selection{}, errors.New("a cap needs a formula for the number of places (take)")
	}
	order, drawn := strings.Compare, lots{glibc: random.NewGlibc(opt.Seed)}
	if opt.Polars != nil {
		order, drawn = byComponents, lots{polars: opt.Polars}
	}
	groups, err := groupItems(items, order)
	if err != nil {
		return Selection{}, err
	}
	sel := Selection{Decisions: make([]Decision, len(items))}
	for _, members := range groups {
		summary, err := capGroup(items, members, opt, drawn, sel.Decisions)
		if err != nil {
			return Selection{}, err
		}
		sel.Groups = append(sel.Groups, summary)
	}
	return sel, nil
}

// lots draws with either of the two generators.
type lots struct {
	glibc  *random.Glibc // nil: draw with polars, without claims
	polars *Polars
}

// sample draws k of the numbers 0 to n-1 without replacement. Their order is unspecified.
func (l lots) sample(n, k int) []int {
	if l.polars != nil {
		return l.polars.sample(n, k)
	}
	return l.glibc.Sample(n, k)
}

// groupItems returns the indices of each group's items, sorted by path, with the groups sorted by name.
func groupItems(items []Item, order func(a, b string) int) ([][]int, error) {
	index := map[string]int{}
	var groups [][]int
	for i, item := range items {
		g, ok := index[item.Group]
		if !ok {
			g = len(groups)
			index[item.Group] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	byPath := func(a, b int) int { return order(items[a].Path, items[b].Path) }
	for _, members := range groups {
		if !slices.IsSortedFunc(members, byPath) {
			slices.SortFunc(members, byPath)
		}
		for k := 1; k < len(members); k++ {
			if path := items[members[k]].Path; path == items[members[k-1]].Path {
				return nil, fmt.Errorf("benchmark %s occurs twice; each benchmark must occur only once", path)
			}
		}
	}
	slices.SortFunc(groups, func(a, b []int) int { return strings.Compare(items[a[0]].Group, items[b[0]].Group) })
	return groups, nil
}

// capGroup decides on the items of one group, whose members are sorted.
func capGroup(items []Item, members []int, opt CapOptions, l lots, out []Decision) (GroupSummary, error) {
	claims := claimsOf(items, members)
	s := GroupSummary{Group: items[members[0]].Group, Eligible: len(members), NewFamilies: len(claims)}
	if len(claims) > 0 && l.polars != nil {
		return s, errClaims
	}
	s.Size = s.Eligible
	if opt.Size != nil {
		s.Size = opt.Size(s.Group, s.Eligible)
	}
	quota, err := opt.Take(s.Group, s.Size)
	if err != nil {
		return s, fmt.Errorf("number of places for %s with n = %d: %w", s.Group, s.Size, err)
	}
	if quota < 0 {
		return s, fmt.Errorf("number of places for %s with n = %d is %d; it must be at least 0", s.Group, s.Size,
			quota)
	}
	s.Quota, s.Selected = quota, min(quota, s.Eligible)
	if quota >= s.Eligible {
		for _, m := range members {
			out[m] = WholeGroup
		}
		return s, nil
	}
	holds := true
	if opt.Guarantee != nil {
		if holds, err = opt.Guarantee(s.Group, s.Size); err != nil {
			return s, err
		}
	}
	if holds {
		s.Guaranteed = drawClaims(claims, quota, l.glibc, out)
	}
	places := quota - s.Guaranteed
	first := open(members, out, func(m int) bool { return items[m].First })
	n := min(len(first), places)
	draw(first, n, DrawnFirst, l, out)
	draw(open(members, out, func(int) bool { return true }), places-n, Drawn, l, out)
	return s, nil
}

// claim is a new family with its eligible members, sorted by path.
type claim struct {
	name    string
	members []int
}

// claimsOf returns a group's claims, sorted by name.
func claimsOf(items []Item, members []int) []claim {
	index := map[string]int{}
	var claims []claim
	for _, m := range members {
		name := items[m].Claim
		if name == "" {
			continue
		}
		c, ok := index[name]
		if !ok {
			c = len(claims)
			index[name] = c
			claims = append(claims, claim{name: name})
		}
		claims[c].members = append(claims[c].members, m)
	}
	slices.SortFunc(claims, func(a, b claim) int { return strings.Compare(a.name, b.name) })
	return claims
}

// drawClaims draws one member for each claim, or for as many claims as there are places, and returns the number drawn.
func drawClaims(claims []claim, places int, g *random.Glibc, out []Decision) int {
	if len(claims) > places {
		lucky := make([]claim, 0, places)
		for _, c := range g.Sample(len(claims), places) {
			lucky = append(lucky, claims[c])
		}
		claims = lucky
	}
	for _, c := range claims {
		out[c.members[g.Below(len(c.members))]] = Guaranteed
	}
	return len(claims)
}

// open returns the members that are not selected yet and satisfy more.
func open(members []int, out []Decision, more func(m int) bool) []int {
	rest := make([]int, 0, len(members))
	for _, m := range members {
		if !out[m].Selected() && more(m) {
			rest = append(rest, m)
		}
	}
	return rest
}

// draw draws as many candidates as there are places.
func draw(candidates []int, places int, decision Decision, l lots, out []Decision) {
	for _, k := range l.sample(len(candidates), places) {
		out[candidates[k]] = decision
	}
}
