package selection

import (
	"errors"
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// Heats deals each group's items into heats 1 to len(weights), in proportion to the weights: of n items, heat k
// receives the share weights[k]/sum, rounded down, and the first heats receive one of the remaining items each. The
// result is indexed like the items.
//
// Groups are handled by name with one generator. A group's items, sorted by path, are drawn without replacement, first
// for heat 1, then for heat 2 and so on. The rules do not specify the number and sizes of heats (SMT-COMP 2015, 2019,
// 2022 and 2026 rules, §6 "Heats": for each track and division, randomly divided into possibly unequal heats).
func Heats(items []Item, weights []int, seed uint32) ([]int, error) {
	sum := 0
	for _, w := range weights {
		if w < 0 {
			return nil, fmt.Errorf("weight %d of a heat is negative", w)
		}
		sum += w
	}
	if sum == 0 {
		return nil, errors.New("at least one heat must have a weight above 0")
	}
	groups, err := groupItems(items, strings.Compare)
	if err != nil {
		return nil, err
	}
	heats := make([]int, len(items))
	g := random.NewGlibc(seed)
	for _, members := range groups {
		rest := members
		for k, size := range heatSizes(len(members), weights, sum) {
			var later []int
			drawn := g.Sample(len(rest), size)
			for j, m := range rest {
				if len(drawn) > 0 && drawn[0] == j {
					drawn = drawn[1:]
					heats[m] = k + 1
				} else {
					later = append(later, m)
				}
			}
			rest = later
		}
	}
	return heats, nil
}

func heatSizes(n int, weights []int, sum int) []int {
	sizes := make([]int, len(weights))
	left := n
	for k, w := range weights {
		sizes[k] = n * w / sum
		left -= sizes[k]
	}
	// Rounding cost each heat less than one item, so fewer items are left than positive weights.
	for k := 0; left > 0; k++ {
		if weights[k] > 0 {
			sizes[k]++
			left--
		}
	}
	return sizes
}
