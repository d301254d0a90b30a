package table

// Sparse is a growing list of values, one per row. It takes no space while all have the default.
type Sparse[V comparable] struct {
	Default V
	values  []V
}

// Set stores the value of row i, which must be one after the last.
func (s *Sparse[V]) Set(i int, v V) {
	if s.values == nil {
		if v == s.Default {
			return
		}
		s.values = make([]V, 0, max(1024, i*2))
	}
	for len(s.values) < i {
		s.values = append(s.values, s.Default)
	}
	s.values = append(Grow(s.values, 1), v)
}

// Reserve makes room for n values.
func (s *Sparse[V]) Reserve(n int) { s.values = make([]V, 0, n) }

// Repeat stores the value of the last row again, as that of row i.
func (s *Sparse[V]) Repeat(i int) {
	if s.values != nil {
		s.values = append(Grow(s.values, 1), s.values[i-1])
	}
}

// IsZero reports whether all values are 0, empty or false.
func (s *Sparse[V]) IsZero() bool {
	var zero V
	return s.values == nil && s.Default == zero
}

// At returns the value of row i.
func (s *Sparse[V]) At(i int) V {
	if i >= len(s.values) {
		return s.Default
	}
	return s.values[i]
}

// Slice returns the values of the rows from lo to before hi. They must not be changed.
func (s *Sparse[V]) Slice(lo, hi int) []V {
	if hi <= len(s.values) {
		return s.values[lo:hi]
	}
	all := make([]V, hi-lo)
	for i := range all {
		all[i] = s.At(lo + i)
	}
	return all
}
