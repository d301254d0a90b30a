package stages

// Extent is an upper bound on a table's rows. Plans use it for tables that do not exist yet.
type Extent struct {
	Rows int64
	// Groups returns an upper bound on the rows with each value of a column, or nil if no bound is known. The bounds
	// add up to at least the number of rows. It may read a table, so it is called only if needed. The function itself
	// may be nil.
	Groups func(column string) map[string]int64
}

// By returns an upper bound on the rows with each value of a column, or nil if no bound is known.
func (x *Extent) By(column string) map[string]int64 {
	if x.Groups == nil {
		return nil
	}
	return x.Groups(column)
}
