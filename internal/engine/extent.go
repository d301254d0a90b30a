package engine

import (
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// extents holds row bounds for tables that do not exist yet, by address and output, during planning.
type extents struct {
	store *cache.Store
	by    map[string]stages.Extent
	// ofRuns holds the outputs whose bound is the number of future runs. The actual size may be far smaller.
	ofRuns map[string]bool
	read   map[column]map[string]int64 // row counts by column value, for existing tables
}

// column is a column of an existing table.
type column struct {
	table cache.Digest
	name  string
}

func (e *Engine) newExtents() *extents {
	return &extents{e.opt.Store, map[string]stages.Extent{}, map[string]bool{}, map[column]map[string]int64{}}
}

// bound returns the upper bound of the rows that an instance outputs, or -1 if it is unknown. It keeps the bound for
// instances that use the outputs.
func (x *extents) bound(in *stages.Instance) int64 {
	bound := stages.Extent{Rows: -1}
	of, ofRuns := x.noting(in.Args)
	if in.Kind.Extent != nil {
		if e, ok := in.Kind.Extent(in.Args, of); ok {
			bound = e
		}
	}
	for _, out := range in.Kind.Outputs {
		x.by[in.Addr+"."+out.Name] = bound
		x.ofRuns[in.Addr+"."+out.Name] = in.Kind.Measured || *ofRuns
	}
	return bound.Rows
}

// noting returns a function like of, and a flag that the function sets when a requested table is bounded by runs.
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

// of returns a function that returns the extent of an attribute's table. If an attribute may refer to one of several
// outputs, it returns the largest of their bounds.
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

// groups counts a table's rows by the values of a column, and caches the result.
func (x *extents) groups(art stages.Artifact, name string) map[string]int64 {
	counts, ok := x.read[column{art.Digest, name}]
	if !ok {
		counts = artifact.CountGroups(x.store, art, name)
		x.read[column{art.Digest, name}] = counts
	}
	return counts
}
