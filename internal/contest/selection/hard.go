package selection

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// Hardness is the reason why a benchmark is an instance for the parallel and cloud tracks, or is not.
type Hardness uint8

// The possible values of Hardness.
const (
	NotHard  Hardness = iota
	Hard              // every solver that solved it needed at least the limit
	Unsolved          // it was run but not solved
	Untried           // it was never run, so its hardness is unknown
)

// String returns the hardness in words, as displayed and stored.
func (h Hardness) String() string { return hardnessTexts[h] }

var hardnessTexts = [...]string{
	NotHard:  "not hard",
	Hard:     "hard",
	Unsolved: "unsolved",
	Untried:  "never run",
}

// HardReason returns the reason why a benchmark was selected or not.
func HardReason(h Hardness, d Decision) string {
	switch {
	case h == NotHard:
		return "solved too fast by someone"
	case !d.Selected() && h == Untried:
		return "not drawn: never run, so that nothing says that it is hard"
	}
	return d.String() + ", " + h.String()
}

// HardOptions configures how many instances to pick.
type HardOptions struct {
	Seed  uint32
	Count int // number of places
	// Fill assigns the places that hard and unsolved items leave free to untried items.
	Fill bool
}

// HardInstances picks instances among the hard and unsolved items, with hardness indexed like items. In each turn, each
// logic with remaining candidates contributes one, alternately unsolved and hard while it has both. If fewer places
// remain than logics, a draw decides which logics contribute. With fewer candidates than places, all are selected, and
// with Fill the remaining places are dealt to untried items in the same way. HardInstances returns a decision for each
// item, Drawn or WholeGroup if it is selected, and a summary for each group, sorted by name. Quota is the number of
// places that the group received.
//
// Source: SMT-COMP 2022 rules, §5.6 and §5.7, and 2026 rules, §5.6 "Benchmark Selection", which specify only the
// number. The draw order is in docs/write/randomness.md.
func HardInstances(items []Item, hardness []Hardness, opt HardOptions) (Selection, error) {
	if len(items) != len(hardness) {
		return Selection{}, fmt.Errorf("bug: %d items with %d hardness values", len(items), len(hardness))
	}
	if opt.Count < 0 {
		return Selection{}, fmt.Errorf("number of hard instances is %d; it must be at least 0", opt.Count)
	}
	groups, err := groupItems(items, strings.Compare)
	if err != nil {
		return Selection{}, err
	}
	sel := Selection{Decisions: make([]Decision, len(items))}
	g := random.NewGlibc(opt.Seed)
	left := sel.deal(items, pilesOf(groups, hardness, Unsolved, Hard), opt.Count, g)
	if opt.Fill && left > 0 {
		sel.deal(items, pilesOf(groups, hardness, Untried, NotHard), left, g)
	}
	return sel, nil
}

// deal distributes the places among the piles, picks their items, and returns the number of remaining places.
func (s *Selection) deal(items []Item, piles []*hardPile, places int, g *random.Glibc) int {
	dealHard(piles, places, g)
	for _, p := range piles {
		summary := p.pick(items, g, s.Decisions)
		places -= summary.Selected
		s.add(summary)
	}
	return places
}

// add adds counts to the group's summary. Summaries stay sorted by group.
func (s *Selection) add(g GroupSummary) {
	i, found := slices.BinarySearchFunc(s.Groups, g.Group,
		func(a GroupSummary, name string) int { return strings.Compare(a.Group, name) })
	if !found {
		s.Groups = slices.Insert(s.Groups, i, g)
		return
	}
	s.Groups[i].Eligible += g.Eligible
	s.Groups[i].Size += g.Size
	s.Groups[i].Quota += g.Quota
	s.Groups[i].Selected += g.Selected
}

// hardPile holds one logic's candidates by hardness, and the number of each to pick.
type hardPile struct {
	unsolved, hard         []int
	takeUnsolved, takeHard int
}

// pilesOf returns a pile for each group with candidates of the two given kinds of hardness. If the second is NotHard,
// it uses only the first.
func pilesOf(groups [][]int, hardness []Hardness, first, second Hardness) []*hardPile {
	var piles []*hardPile
	for _, members := range groups {
		p := &hardPile{}
		for _, m := range members {
			switch hardness[m] {
			case NotHard:
			case first:
				p.unsolved = append(p.unsolved, m)
			case second:
				p.hard = append(p.hard, m)
			}
		}
		if p.left() > 0 {
			piles = append(piles, p)
		}
	}
	return piles
}

func (p *hardPile) taken() int { return p.takeUnsolved + p.takeHard }

func (p *hardPile) left() int { return len(p.unsolved) + len(p.hard) - p.taken() }

// give adds one place: for unsolved items on even turns and for hard ones on odd turns, or for the other kind if none
// is left.
func (p *hardPile) give() {
	wantUnsolved := p.taken()%2 == 0
	if p.takeUnsolved < len(p.unsolved) && (wantUnsolved || p.takeHard == len(p.hard)) {
		p.takeUnsolved++
		return
	}
	p.takeHard++
}

// dealHard assigns places to the piles, which must be sorted by logic, turn by turn.
func dealHard(piles []*hardPile, places int, g *random.Glibc) {
	for places > 0 {
		var open []*hardPile
		for _, p := range piles {
			if p.left() > 0 {
				open = append(open, p)
			}
		}
		if len(open) == 0 {
			return
		}
		for _, k := range g.Sample(len(open), min(places, len(open))) {
			open[k].give()
		}
		places -= min(places, len(open))
	}
}

// pick draws as many items as the pile has places, unsolved first.
func (p *hardPile) pick(items []Item, g *random.Glibc, out []Decision) GroupSummary {
	decision := Drawn
	if p.left() == 0 {
		decision = WholeGroup
	}
	for _, k := range g.Sample(len(p.unsolved), p.takeUnsolved) {
		out[p.unsolved[k]] = decision
	}
	for _, k := range g.Sample(len(p.hard), p.takeHard) {
		out[p.hard[k]] = decision
	}
	first := append(p.unsolved, p.hard...)[0]
	n := len(p.unsolved) + len(p.hard)
	return GroupSummary{Group: items[first].Group, Eligible: n, Size: n, Quota: p.taken(), Selected: p.taken()}
}
