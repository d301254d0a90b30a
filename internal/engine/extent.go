package engine

import (
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// extents holds the bounds of tables that do not exist yet, by address and output, during planning.
type extents struct {
	store *cache.Store
	by    map[string]stages.Extent
	// ofRuns holds the outputs whose size is bounded by the number of future runs. They may turn out far smaller.
	ofRuns map[string]bool
	read   map[column]map[string]int64 // rows by the values of columns of tables that exist
}

// column is a column of a table that exists.
type column struct {
	table cache.Digest
	name  string
}

func (e *Engine) newExtents() *extents {
	return &extents{e.opt.Store, map[string]stages.Extent{}, map[string]bool{}, map[column]map[string]int64{}}
}

// bound returns the kind's upper bound of rows, if it and its inputs are known, and keeps it for the instances that
// need its outputs.
func (x *extents) bound(in *stages.Instance) int64 {
	bound := stages.Extent{Rows: -1}
	of, ofRuns := x.noting(in.Args)
	switch kind := in.Kind; {
	case kind.Extent != nil:
		if e, ok := kind.Extent(in.Args, of); ok {
			bound = e
		}
	case kind.Bound != nil:
		rows := func(attr string) (int64, bool) {
			e, ok := of(attr)
			return e.Rows, ok
		}
		if n, ok := kind.Bound(in.Args, rows); ok {
			bound.Rows = n
		}
	}
	for _, out := range in.Kind.Outputs {
		x.by[in.Addr+"."+out.Name] = bound
		x.ofRuns[in.Addr+"."+out.Name] = in.Kind.Measured || *ofRuns
	}
	return bound.Rows
}

// noting does the same as of and also notes whether one of the requested tables is bounded by runs.
func (x *extents) noting(args *stages.Args) (of func(attr string) (stages.Extent, bool), ofRuns *bool) {
	ofRuns = new(bool)
	return func(attr string) (stages.Extent, bool) {
		if _, known := args.Artifact(attr); !known {
			for _, source := range args.SourcesOf(attr) {
				*ofRuns = *ofRuns || x.ofRuns[source]
			}
		}
		return x.of(args)(attr)
	}, ofRuns
}

// of returns the extent of the table of an attribute. If an attribute will be one of several outputs, the bound is the
// largest of their bounds.
func (x *extents) of(args *stages.Args) func(attr string) (stages.Extent, bool) {
	return func(attr string) (stages.Extent, bool) {
		if art, ok := args.Artifact(attr); ok {
			return stages.Extent{Rows: art.Rows, Groups: func(name string) map[string]int64 {
				return x.groups(art,
					name)
			}}, true
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
				most.Groups = e.Groups
			}
		}
		return most, len(sources) > 0
	}
}

// groups counts the rows of a table by the values of a column, once.
func (x *extents) groups(art stages.Artifact, name string) map[string]int64 {
	counts, ok := x.read[column{art.Digest, name}]
	if !ok {
		counts = artifact.CountGroups(x.store, art, name)
		x.read[column{art.Digest, name}] = counts
	}
	return counts
}
