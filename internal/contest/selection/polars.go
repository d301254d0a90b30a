package selection

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/random/polars"
)

// Polars draws like the organisers' tool since 2024: with polars' generator, restarted from the seed for every list,
// and lists sorted like the organisers' benchmark list.
type Polars struct {
	Flavour polars.Flavour
	Seed    uint64
}

// ParsePolars returns a Polars with the named flavour of the generator.
func ParsePolars(flavour string, seed uint64) (*Polars, error) {
	f, err := polars.ParseFlavour(flavour)
	if err != nil {
		return nil, err
	}
	return &Polars{Flavour: f, Seed: seed}, nil
}

func (p *Polars) sample(n, k int) []int { return p.Flavour.Sample(n, k, p.Seed) }

// errClaims rejects claims, which the organisers' tool does not support.
var errClaims = errors.New("the organisers' tool guarantees no places; it draws new benchmarks first")

// byComponents compares paths folder by folder, as the organisers sort their benchmark lists: a separator sorts before
// any other character.
func byComponents(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		switch {
		case a[i] == b[i]:
		case a[i] == '/':
			return -1
		case b[i] == '/':
			return 1
		default:
			return int(a[i]) - int(b[i])
		}
	}
	return len(a) - len(b)
}

// byLogicNumber compares logics in the order in which the organisers' tool declares them: by name, with one exception.
func byLogicNumber(a, b string) int {
	name := func(logic string) string {
		if logic == "AUFBVFPDTNIRA" {
			return "AUFBVFP" // sorts just before AUFBVFP
		}
		return logic
	}
	return cmp.Or(strings.Compare(name(a), name(b)), len(b)-len(a))
}

// HardByPolars picks instances for the parallel and cloud tracks like the organisers' tool since 2024: half of count
// from the unsolved items and half from the hard ones, each dealt separately. From each logic, it samples as many items
// as the half has places, or all items if there are fewer. The logics then take turns, in the order in which the tool
// declares them, each contributing the last remaining item of its sample. Benchmarks that were never run are not
// selected. Like the tool, HardByPolars fails if a half has too few candidates.
func HardByPolars(items []Item, hardness []Hardness, count int, p *Polars) (Selection, error) {
	if len(items) != len(hardness) {
		return Selection{}, fmt.Errorf("bug: %d items with %d hardness values", len(items), len(hardness))
	}
	if count < 0 || count%2 != 0 {
		return Selection{}, fmt.Errorf("number of hard instances is %d; the organisers' tool takes one half among the "+
			"unsolved and the other among the hard ones, so it must be even", count)
	}
	groups, err := groupItems(items, byComponents)
	if err != nil {
		return Selection{}, err
	}
	slices.SortFunc(groups, func(a, b []int) int { return byLogicNumber(items[a[0]].Group, items[b[0]].Group) })
	sel := Selection{Decisions: make([]Decision, len(items))}
	var errs []error
	for _, class := range []Hardness{Unsolved, Hard} {
		errs = append(errs, sel.dealHalf(items, hardness, groups, class, count/2, p))
	}
	return sel, errors.Join(errs...)
}

// dealHalf distributes places among the items of one kind of hardness.
func (s *Selection) dealHalf(items []Item, hardness []Hardness, groups [][]int, class Hardness, places int,
	p *Polars) error {
	var samples [][]int
	candidates := 0
	for _, members := range groups {
		var of []int
		for _, m := range members {
			if hardness[m] == class {
				of = append(of, m)
			}
		}
		if len(of) == 0 {
			continue
		}
		candidates += len(of)
		var sample []int
		for _, k := range p.sample(len(of), min(len(of), places)) {
			sample = append(sample, of[k])
		}
		samples = append(samples, sample)
		s.add(GroupSummary{Group: items[of[0]].Group, Eligible: len(of), Size: len(of)})
	}
	if candidates < places {
		return fmt.Errorf("there are %d places for %v benchmarks and only %d such benchmarks; the organisers' tool "+
			"stops here, too", places, class, candidates)
	}
	for places > 0 {
		for i, sample := range samples {
			if len(sample) == 0 || places == 0 {
				continue
			}
			last := len(sample) - 1
			s.Decisions[sample[last]] = Drawn
			s.add(GroupSummary{Group: items[sample[last]].Group, Quota: 1, Selected: 1})
			samples[i] = sample[:last]
			places--
		}
	}
	return nil
}
