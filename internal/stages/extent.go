package stages

// Extent is an upper bound of the rows of a table. Plans use it for tables that do not exist yet.
type Extent struct {
	Rows int64
	// Groups returns the rows for each value of a column, at most, with their sum not below that of the rows; nil if it
	// is not known. It may read a table, so it is called only if needed. The function itself may be nil.
	Groups func(column string) map[string]int64
}

// By returns the rows for each value of a column, at most; nil if they are not known.
func (x *Extent) By(column string) map[string]int64 {
	if x.Groups == nil {
		return nil
	}
	return x.Groups(column)
}
