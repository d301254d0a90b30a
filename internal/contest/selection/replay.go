package selection

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/random"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// ReplayOptions holds the parameters of the organisers' selection script of 2019-2023.
type ReplayOptions struct {
	Seed        *big.Int
	MinPerLogic int     // smallest number to select from a logic, unless it has fewer benchmarks
	Ratio       float64 // fraction of a logic's benchmarks to select if that is more
	// Take returns the number of places for a logic with n eligible benchmarks. If nil, MinPerLogic and Ratio apply.
	Take   func(logic string, n int) (int, error)
	Prefix string // prefix of the output paths, such as /non-incremental/

	// EligibleNew draws for a new family from its eligible benchmarks, as the script has done since 2023. Until 2022,
	// it drew from all new ones, and a draw of an ineligible benchmark was lost.
	EligibleNew bool
	// Logics restricts the script to these logics; other logics draw nothing. Empty: all.
	Logics []comp.Logic
	// KeepLogics restricts the output to these logics, after all logics have drawn. Empty: all.
	KeepLogics []comp.Logic
	// Status keeps benchmarks with this status and at least MinAsserts asserts, and appends benchmarks of unknown
	// status for which a solver gave this answer. Empty: keep any status and append nothing.
	Status     comp.Status
	MinAsserts int
}

// StatusLine is a benchmark's entry in the script's status table.
type StatusLine struct {
	Status  comp.Status
	Asserts int // number of asserts in the script; 0 if not in the table
	Sat     int // number of solvers that answered sat in this year's single-query track
	Unsat   int
}

// ReplayGroup counts the script's decisions in one logic.
type ReplayGroup struct {
	Logic       comp.Logic
	NoStatus    int // number removed because the status table lacks them
	Eligible    int
	NewFamilies int // number of families in the list of new benchmarks for which a benchmark was drawn
	Quota       int
	Selected    int // number of selected benchmarks, including those of unknown status, beyond the quota
}

// Replayed is the script's selection.
type Replayed struct {
	Paths      []string // paths with the prefix, in the script's order
	Groups     []ReplayGroup
	Guaranteed map[string]bool // benchmarks drawn for a new family, by comp.LibraryPath
}

// ReplayInput holds the script's files: benchmark lists in file order, the status table, and the benchmarks to remove
// because earlier results show that they are easy. Paths can have any prefix before the logic.
type ReplayInput struct {
	All    []string
	New    []string
	Status map[string]StatusLine // status by comp.LibraryPath, for ReplayOptions.Status and MinAsserts
	Easy   map[string]bool       // benchmarks to remove, by comp.LibraryPath
}

// Replay reproduces the selection of the organisers' script of 2019-2023 with CPython's generator, to the byte and in
// the same order.
//
// It explains published lists and is not a rule: the rules specify the C library's random(), and Replay keeps the
// script's deviations from them (docs/write/selection.md). Cap selects by the rules.
func Replay(in ReplayInput, opt ReplayOptions) (Replayed, error) {
	logics, err := replayLogics(in, opt)
	if err != nil {
		return Replayed{}, err
	}
	generator := random.NewMT(opt.Seed)
	out := Replayed{Guaranteed: map[string]bool{}}
	for _, l := range logics {
		if len(opt.Logics) > 0 && !slices.Contains(opt.Logics, l.name) {
			continue
		}
		paths, group, err := l.draw(opt, generator, out.Guaranteed)
		if err != nil {
			return Replayed{}, err
		}
		if len(opt.KeepLogics) > 0 && !slices.Contains(opt.KeepLogics, l.name) {
			continue
		}
		for _, p := range paths {
			out.Paths = append(out.Paths, opt.Prefix+p)
		}
		out.Groups = append(out.Groups, group)
	}
	if opt.Status != "" {
		slices.Sort(out.Paths)
	}
	return out, nil
}

// replayLogic is one logic's part of the script's input.
type replayLogic struct {
	name     comp.Logic
	missing  int
	eligible []string // eligible benchmarks, sorted
	appended []string // benchmarks of unknown status with the requested answer
	families []replayFamily
}

// replayFamily is a family in the list of new benchmarks, in order of first appearance.
type replayFamily struct {
	name    string
	members []string // members of the family, sorted
}

func replayLogics(in ReplayInput, opt ReplayOptions) ([]*replayLogic, error) {
	index := map[comp.Logic]*replayLogic{}
	seen := make(map[string]bool, len(in.All))
	for _, p := range in.All {
		logic, path, ok := comp.LibraryPath(p)
		if !ok {
			return nil, fmt.Errorf("benchmark %q is not below a folder named like a logic", p)
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		l := index[logic]
		if l == nil {
			l = &replayLogic{name: logic}
			index[logic] = l
		}
		l.add(path, in, opt)
	}
	if err := addNewFamilies(index, in.New); err != nil {
		return nil, err
	}
	logics := make([]*replayLogic, 0, len(index))
	for _, l := range index {
		slices.Sort(l.eligible)
		logics = append(logics, l)
	}
	slices.SortFunc(logics, func(a, b *replayLogic) int { return strings.Compare(string(a.name), string(b.name)) })
	return logics, nil
}

// add classifies a listed benchmark by the filters.
func (l *replayLogic) add(path string, in ReplayInput, opt ReplayOptions) {
	if in.Easy[path] {
		return
	}
	if opt.Status == "" && opt.MinAsserts == 0 {
		l.eligible = append(l.eligible, path)
		return
	}
	line, ok := in.Status[path]
	if !ok {
		l.missing++
		return
	}
	answered := line.Sat
	if opt.Status == comp.StatusUnsat {
		answered = line.Unsat
	}
	switch {
	case line.Asserts < opt.MinAsserts:
	case opt.Status == "" || line.Status == opt.Status:
		l.eligible = append(l.eligible, path)
	case line.Status == comp.StatusUnknown && answered > 0:
		l.appended = append(l.appended, path)
	}
}

// addNewFamilies groups the new benchmarks by family. Families in a logic without listed benchmarks draw nothing.
func addNewFamilies(index map[comp.Logic]*replayLogic, list []string) error {
	seen := map[string]bool{}
	for _, p := range list {
		logic, path, ok := comp.LibraryPath(p)
		if !ok {
			return fmt.Errorf("new benchmark %q is not below a folder named like a logic", p)
		}
		l := index[logic]
		if l == nil || seen[path] {
			continue
		}
		seen[path] = true
		name := familyOf(path)
		i := slices.IndexFunc(l.families, func(f replayFamily) bool { return f.name == name })
		if i < 0 {
			i = len(l.families)
			l.families = append(l.families, replayFamily{name: name})
		}
		l.families[i].members = append(l.families[i].members, path)
	}
	for _, l := range index {
		for i := range l.families {
			slices.Sort(l.families[i].members)
		}
	}
	return nil
}

// places returns the logic's number of places.
func (l *replayLogic) places(opt ReplayOptions) (int, error) {
	n := len(l.eligible)
	if opt.Take == nil || n == 0 {
		return Ratio(opt.MinPerLogic, opt.Ratio)(n), nil
	}
	places, err := opt.Take(string(l.name), n)
	if err != nil {
		return 0, fmt.Errorf("number of places for %s with n = %d: %w", l.name, n, err)
	}
	return min(places, n), nil
}

// Ratio returns the formula of the organisers' script and, with ratio 0.5, of their tool since 2024: all n benchmarks
// up to low, then low until ratio*n exceeds it, then ratio*n rounded down.
func Ratio(low int, ratio float64) func(n int) int {
	return func(n int) int { return min(n, max(low, int(ratio*float64(n)))) }
}

// draw repeats the script's draws for one logic and returns its sorted part of the output. It marks benchmarks drawn
// for new families.
func (l *replayLogic) draw(opt ReplayOptions, m *random.MT, guaranteed map[string]bool) ([]string, ReplayGroup, error) {
	group := ReplayGroup{Logic: l.name, NoStatus: l.missing, Eligible: len(l.eligible)}
	quota, err := l.places(opt)
	if err != nil {
		return nil, group, err
	}
	group.Quota = quota
	chosen := l.appended
	if len(l.eligible) > 0 {
		rest := make([]int32, len(l.eligible)) // indices of the benchmarks that are left
		for i := range rest {
			rest[i] = int32(i)
		}
		take := func(k int) {
			chosen = append(chosen, l.eligible[rest[k]])
			rest = slices.Delete(rest, k, k+1)
		}
		for _, f := range l.families {
			candidates := f.members
			if opt.EligibleNew {
				candidates = l.onlyEligible(candidates)
				if len(candidates) == 0 {
					continue
				}
			}
			group.NewFamilies++
			at, ok := slices.BinarySearch(l.eligible, candidates[m.Choice(len(candidates))])
			if !ok {
				continue // the draw is lost
			}
			guaranteed[l.eligible[at]] = true
			k, _ := slices.BinarySearch(rest, int32(at)) // no other family has drawn it
			take(k)
		}
		for len(l.eligible)-len(rest) < group.Quota {
			take(m.Choice(len(rest)))
		}
	}
	slices.Sort(chosen)
	group.Selected = len(chosen)
	return chosen, group, nil
}

func (l *replayLogic) onlyEligible(paths []string) []string {
	var kept []string
	for _, p := range paths {
		if _, ok := slices.BinarySearch(l.eligible, p); ok {
			kept = append(kept, p)
		}
	}
	return kept
}

// familyOf returns the folder of a library path, including the logic.
func familyOf(path string) string { return path[:strings.LastIndexByte(path, '/')] }
