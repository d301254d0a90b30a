package cap

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// replay repeats the draws of the organisers' script.
type replay struct {
	newFamilies *stages.File
	eligibleNew bool
}

// newReplay reads the attributes of generator = "cpython", or returns nil without it.
func newReplay(a *stages.Args) (*replay, error) {
	r := &replay{eligibleNew: a.Bool("eligible_new")}
	if f, ok := a.File("new_families"); ok {
		r.newFamilies = &f
	}
	if a.String("generator") != "cpython" {
		if r.newFamilies != nil {
			return nil, a.Invalid("new_families", "Not for this generator", "The list is for generator = "+
				"\"cpython\"; otherwise new families have their place by guarantee, or new benchmarks by first.")
		}
		return nil, nil
	}
	var errs []error
	for _, name := range []string{"group_by", "guarantee", "guarantee_when", "first"} {
		if a.Row(name) != nil {
			errs = append(errs, a.Invalid(name, "Not for this generator", "The organisers' script draws by logic, "+
				"and for the families of new_families: with generator = \"cpython\" this attribute has no meaning."))
		}
	}
	if a.Has("counted") {
		errs = append(errs, a.Invalid("counted", "Not for this generator", "The organisers' script counts what it can "+
			"draw."))
	}
	return r, errors.Join(errs...)
}

// byReplay draws as the organisers' script does, and returns the counts per logic.
func (act *action) byReplay(ctx context.Context, d *draft) ([]results.SelectionRow, error) {
	in := selection.ReplayInput{All: make([]string, len(d.items))}
	for k := range d.items {
		in.All[k] = d.items[k].Path
	}
	if f := act.replay.newFamilies; f != nil {
		var err error
		if in.New, err = readList(f); err != nil {
			return nil, err
		}
	}
	chosen, err := selection.Replay(in, selection.ReplayOptions{
		Seed:        new(big.Int).SetUint64(uint64(act.draw.Seed)),
		Take:        act.quota(ctx),
		EligibleNew: act.replay.eligibleNew,
	})
	if err != nil {
		return nil, err
	}
	drawn := make(map[string]bool, len(chosen.Paths))
	for _, path := range chosen.Paths {
		drawn[path] = true
	}
	whole := map[comp.Logic]bool{}
	var groups []results.SelectionRow
	for _, g := range chosen.Groups {
		whole[g.Logic] = g.Selected == g.Eligible
		groups = append(groups, results.SelectionRow{Group: string(g.Logic), Eligible: int64(g.Eligible),
			NewFamilies: int64(g.NewFamilies), Quota: int64(g.Quota), Selected: int64(g.Selected)})
	}
	for k := range d.items {
		logic, path, _ := comp.LibraryPath(d.items[k].Path)
		decision := selection.NotDrawn
		switch {
		case whole[logic]:
			decision = selection.WholeGroup
		case chosen.Guaranteed[path]:
			decision = selection.Guaranteed
		case drawn[path]:
			decision = selection.Drawn
		}
		d.decide(k, decision)
	}
	return d.withAlways(groups), nil
}

// readList reads a list of paths from a file, which may be compressed.
func readList(f *stages.File) (paths []string, err error) {
	r, err := compressed.Open(f.Path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if paths, err = selection.ReadList(r); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return paths, nil
}
