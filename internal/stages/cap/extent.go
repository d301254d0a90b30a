package cap

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// mostTried is the maximum number of group sizes that the plan tries.
const mostTried = 4_000_000

// extent implements Kind.Extent. A group of n benchmarks gets min(n, take) places, and an earlier filter may still make
// the group smaller. The bound is therefore the largest number of places over all sizes up to n. The groups are known
// if they are the logics and each logic's rows are known, or if there is only one group. With counted, n may be any
// number.
func extent(a *stages.Args, of func(string) (stages.Extent, bool)) (stages.Extent, bool) {
	in, ok := of("benchmarks")
	take, groupBy := a.Row("take"), a.Row("group_by")
	if !ok || take == nil || !take.Known() || a.Row("always") != nil || a.Has("counted") || !drawsByGroups(a) {
		return in, ok
	}
	t := trial{take: take, byGroup: slices.Contains(take.Uses(), "group")}
	switch {
	case groupBy != nil && groupBy.Known() && len(groupBy.Uses()) == 0 && !t.byGroup:
		return stages.Extent{Rows: t.most("", in.Rows), Groups: in.Groups}, true
	case groupBy == nil || groupBy.Known() && groupBy.Canonical() == "b.logic":
		return t.ofLogics(&in), true
	}
	return in, true
}

// drawsByGroups reports whether the draws take min(n, take) benchmarks of each group. Only the generator of the
// organisers' script does not.
func drawsByGroups(a *stages.Args) bool {
	g := a.Value("generator")
	return g.IsWhollyKnown() && !g.IsNull() && a.String("generator") != "cpython"
}

// trial evaluates take for possible group sizes.
type trial struct {
	take    *rowexpr.Expr
	byGroup bool    // take depends on the group's name, so peaks is not used
	peaks   []int64 // by size, the largest number of places of any group up to that size
	tried   int64
}

func (t *trial) ofLogics(in *stages.Extent) stages.Extent {
	logics := in.By("logic")
	if logics == nil {
		return *in
	}
	if !t.byGroup {
		largest := int64(0)
		for _, n := range logics {
			largest = max(largest, n)
		}
		t.peaks = t.upTo("", largest)
	}
	places, sum := map[string]int64{}, int64(0)
	for _, logic := range slices.Sorted(maps.Keys(logics)) {
		places[logic] = t.most(logic, logics[logic])
		sum += places[logic]
	}
	return stages.Extent{Rows: min(sum, in.Rows), Groups: func(column string) map[string]int64 {
		if column != "logic" {
			return nil
		}
		return places
	}}
}

// most returns the largest number of places that a group with at most n benchmarks gets.
func (t *trial) most(group string, n int64) int64 {
	peaks := t.peaks
	if int64(len(peaks)) <= n {
		peaks = t.upTo(group, n)
	}
	if int64(len(peaks)) <= n || n < 0 {
		return n
	}
	return peaks[n]
}

// upTo returns, for each size, the largest number of places of any group up to that size; nil if take cannot be
// evaluated for one of the sizes.
func (t *trial) upTo(group string, n int64) []int64 {
	if t.tried += n; n <= 0 || t.tried > mostTried {
		return nil
	}
	sizes := make([]int64, n)
	for i := range sizes {
		sizes[i] = int64(i) + 1
	}
	frame := table.NewFrame(int(n)).Ints("n", sizes, nil)
	if t.byGroup {
		frame.Strings("group", slices.Repeat([]string{group}, int(n)), nil)
	}
	values, _, err := t.take.Numbers(context.Background(), frame)
	if err != nil {
		return nil
	}
	peaks := make([]int64, n+1)
	for i, v := range values {
		places := sizes[i]
		if v < float64(places) {
			places = int64(math.Max(v, 0))
		}
		peaks[i+1] = max(peaks[i], places)
	}
	return peaks
}
