package table

// Sparse is a growing list of values, one per row. It takes no space while all are the default.
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

// At returns the value of row i.
func (s *Sparse[V]) At(i int) V {
	if i >= len(s.values) {
		return s.Default
	}
	return s.values[i]
}

// Slice returns the values of the rows from lo to before hi; buf, of at least hi-lo elements, is used when they are not
// stored.
func (s *Sparse[V]) Slice(lo, hi int, buf []V) []V {
	if hi <= len(s.values) {
		return s.values[lo:hi]
	}
	buf = buf[:hi-lo]
	for i := range buf {
		buf[i] = s.At(lo + i)
	}
	return buf
}
