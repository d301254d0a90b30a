package pages

// Known is a difference from published tables that the archived files make unavoidable. Empty fields match anything.
type Known struct {
	Track string
	Why   string
	// Absent means that a table, row or cell is known to be missing; if it exists, it must be correct.
	Absent bool
	Cell
}

// Cell locates a difference.
type Cell struct {
	Kind    string   `hcl:"kind,optional"`  // division, logic or recognition
	Table   string   `hcl:"table,optional"` // division, logic, or name of the recognition
	View    string   `hcl:"view,optional"`  // named as in published.json
	Row     string   `hcl:"row,optional"`   // solver; in recognitions, division and solver
	Columns []string `hcl:"columns,optional"`
	By      float64  `hcl:"by,optional"` // required difference of computed minus published; 0: any

	// Within is the largest difference, as a share of the published value; 0: any.
	Within float64 `hcl:"within,optional"`
}

// knownBlock is a known_differences block: a track's differences with the same cause.
type knownBlock struct {
	Track  string `hcl:"track"`
	Why    string `hcl:"why"`
	Absent bool   `hcl:"absent,optional"`
	Cells  []Cell `hcl:"cell,block"`
}

func (b *knownBlock) list() []Known {
	all := make([]Known, len(b.Cells))
	for i, c := range b.Cells {
		all[i] = Known{b.Track, b.Why, b.Absent, c}
	}
	return all
}

// Of reports whether a known difference belongs to a track.
func (k *Known) Of(track string) bool { return sameTrack(k.Track, track) }
