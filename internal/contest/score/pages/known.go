package pages

// Known is a difference from published tables that the archived files make unavoidable. Empty fields match anything.
type Known struct {
	Track string
	Why   string
	// Absent: a table, row or cell is known to be missing; if it exists, it must be right.
	Absent bool
	Cell
}

// Cell is the place of a difference.
type Cell struct {
	Kind    string   `hcl:"kind,optional"`  // division, logic or recognition
	Table   string   `hcl:"table,optional"` // division, logic, or name of the recognition
	View    string   `hcl:"view,optional"`  // as published.json names it
	Row     string   `hcl:"row,optional"`   // solver; in recognitions division and solver
	Columns []string `hcl:"columns,optional"`
	By      float64  `hcl:"by,optional"` // if not zero: computed minus published is exactly this
}

// knownBlock is a known_differences block: those of a track that have one cause.
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

// Of reports whether the difference is one of a track.
func (k *Known) Of(track string) bool { return sameTrack(k.Track, track) }
