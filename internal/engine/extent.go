package engine

import (
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// extents are the bounds of the tables that do not exist yet, by address and output, while a plan is made.
type extents struct {
	store *cache.Store
	by    map[string]stages.Extent
	read  map[cache.Digest]map[string]int64 // rows by logic of tables that exist
}

func (e *Engine) newExtents() *extents {
	return &extents{e.opt.Store, map[string]stages.Extent{}, map[cache.Digest]map[string]int64{}}
}

// bound gives the kind's upper bound of rows, if it and what it needs are known, and keeps it for what needs its outputs.
func (x *extents) bound(in *stages.Instance) int64 {
	bound := stages.Extent{Rows: -1}
	switch kind := in.Kind; {
	case kind.Extent != nil:
		if e, ok := kind.Extent(in.Args, x.of(in.Args)); ok {
			bound = e
		}
	case kind.Bound != nil:
		if n, ok := kind.Bound(in.Args, x.rows(in.Args)); ok {
			bound.Rows = n
		}
	}
	for _, out := range in.Kind.Outputs {
		x.by[in.Addr+"."+out.Name] = bound
	}
	return bound.Rows
}

// rows tells how many rows the table of an attribute has, at most.
func (x *extents) rows(args *stages.Args) func(attr string) (int64, bool) {
	return func(attr string) (int64, bool) {
		e, ok := x.of(args)(attr)
		return e.Rows, ok
	}
}

// of tells the extent of the table of an attribute. An attribute that is made of several outputs, of which one will be
// taken, has at most as many rows as the largest.
func (x *extents) of(args *stages.Args) func(attr string) (stages.Extent, bool) {
	return func(attr string) (stages.Extent, bool) {
		if art, ok := args.Artifact(attr); ok {
			return stages.Extent{Rows: art.Rows, Logics: func() map[string]int64 { return x.logics(art) }}, true
		}
		sources := args.SourcesOf(attr)
		most := stages.Extent{}
		for _, source := range sources {
			e, ok := x.by[source]
			if !ok || e.Rows < 0 {
				return stages.Extent{}, false
			}
			most.Rows = max(most.Rows, e.Rows)
			if len(sources) == 1 {
				most.Logics = e.Logics
			}
		}
		return most, len(sources) > 0
	}
}

// logics counts the rows of a table by logic, once.
func (x *extents) logics(art stages.Artifact) map[string]int64 {
	counts, ok := x.read[art.Digest]
	if !ok {
		counts = stages.CountLogics(x.store, art)
		x.read[art.Digest] = counts
	}
	return counts
}
