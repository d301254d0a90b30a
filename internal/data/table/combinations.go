package table

// Combinations holds the distinct combinations of values in some of a table's columns. Anything that depends only on
// these columns is computed once per combination instead of once per row: half a million benchmarks have about ninety
// logics.
type Combinations struct {
	Of     []int32 // combination of each row
	Firsts []int32 // one row with each combination
}

// CombinationsOf finds the combinations in columns with n rows. ok is false unless each column contains booleans or few
// different texts, since otherwise there could be as many combinations as rows.
func CombinationsOf(n int, columns ...Column) (c *Combinations, ok bool) {
	c = &Combinations{Of: make([]int32, n)}
	if n > 0 {
		c.Firsts = append(c.Firsts, 0)
	}
	for _, column := range columns {
		switch {
		case column.null != nil:
			return nil, false
		case column.Kind() == Bool:
			codes := make([]int32, n)
			for i, b := range column.Bools() {
				if b {
					codes[i] = 1
				}
			}
			c.refine(codes)
		case column.IsCoded():
			c.refine(column.Dictionary().Codes)
		default:
			return nil, false
		}
	}
	return c, true
}

// refine splits the combinations by another column.
func (c *Combinations) refine(codes []int32) {
	splits := false
	for i := 0; i < len(codes) && !splits; i++ {
		splits = codes[i] != codes[c.Firsts[c.Of[i]]]
	}
	if !splits { // as a team splits no solver
		return
	}
	type pair struct{ combination, code int32 }
	numbers := make(map[pair]int32, 2*len(c.Firsts))
	c.Firsts = c.Firsts[:0]
	var last pair
	number := int32(-1)
	for i, code := range codes {
		if p := (pair{c.Of[i], code}); number < 0 || p != last { // adjacent rows usually share a combination
			k, known := numbers[p]
			if !known {
				k = int32(len(c.Firsts))
				numbers[p], c.Firsts = k, append(c.Firsts, int32(i))
			}
			last, number = p, k
		}
		c.Of[i] = number
	}
}

// Spread returns the values by row, given the values by combination.
func Spread[V any](c *Combinations, values []V) []V { return gather(values, c.Of) }
