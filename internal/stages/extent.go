package stages

// Extent is how many rows a table has, at most: what a plan can say of a table that does not exist yet.
type Extent struct {
	Rows int64
	// Groups returns the rows for each value of a column, at most, with their sum not below that of the rows; nil if it
	// is not known. It may read a table, so it is called only where it matters. The function itself may be nil.
	Groups func(column string) map[string]int64
}

// By returns the rows for each value of a column, at most; nil if they are not known.
func (x *Extent) By(column string) map[string]int64 {
	if x.Groups == nil {
		return nil
	}
	return x.Groups(column)
}
