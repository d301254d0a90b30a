package stages

import (
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
)

// Evaluate evaluates an expression over a variable for the rows of a table. eval does it for a frame that has the columns of the
// variable; it may be called again, with another frame.
func Evaluate[Row, V any](variable string, t *results.Table[Row], expr *rowexpr.Expr, eval func(*rowexpr.Frame) ([]V, error)) ([]V, error) {
	c, ok, err := combinationsOf(variable, t, expr)
	if err != nil {
		return nil, err
	}
	if ok {
		if values, err := eval(c.frame); err == nil { // else the error is to tell of a row, and not of a combination
			return spread(c, values), nil
		}
	}
	frame := rowexpr.NewFrame(t.Len())
	if err := ColumnsOf(frame, variable, t, expr); err != nil {
		return nil, err
	}
	return eval(frame)
}

// combinations are the different values that some columns of a table have together. An expression that uses only these is evaluated
// once for each combination and not for every row: of half a million benchmarks there are some ninety logics.
type combinations struct {
	frame *rowexpr.Frame // has the combinations as rows
	of    []int32        // the combination of each row
}

// combinationsOf finds the combinations in the columns that an expression uses of a variable. ok is false if one of them is no
// truth value and no text of few different values: then there may be as many combinations as rows.
func combinationsOf[Row any](variable string, t *results.Table[Row], expr *rowexpr.Expr) (c *combinations, ok bool, err error) {
	type column struct {
		name  string
		words Words
		truth bool
	}
	var columns []column
	schema := results.SchemaOf[Row]()
	for _, name := range usedFields(variable, []*rowexpr.Expr{expr}) {
		v, err := t.Vector(name)
		if err != nil {
			return nil, false, err
		}
		c := column{name: name}
		switch schema.Column(name).Kind {
		case results.Bool:
			c.truth = true
			c.words = Words{List: []string{"false", "true"}, At: make([]int32, t.Len())}
			values, err := t.Bools(name)
			if err != nil {
				return nil, false, err
			}
			for i, b := range values {
				if b {
					c.words.At[i] = 1
				}
			}
		case results.String:
			if !v.Few() {
				return nil, false, nil
			}
			c.words.List, c.words.At = v.Words()
		default:
			return nil, false, nil
		}
		columns = append(columns, c)
	}

	c = &combinations{of: make([]int32, t.Len())}
	firsts := make([]int32, 0, 1) // a row of each combination
	if t.Len() > 0 {
		firsts = append(firsts, 0)
	}
	for _, column := range columns {
		firsts = c.refine(column.words.At, firsts)
	}
	c.frame = rowexpr.NewFrame(len(firsts))
	for _, column := range columns {
		texts, truths := make([]string, len(firsts)), make([]bool, len(firsts))
		for k, row := range firsts {
			texts[k] = column.words.Of(int(row))
			truths[k] = column.words.At[row] == 1
		}
		if column.truth {
			c.frame.Bools(variable+"."+column.name, truths, nil)
		} else {
			c.frame.Strings(variable+"."+column.name, texts, nil)
		}
	}
	return c, true, nil
}

// refine tells the combinations apart by another column, and gives a row of each.
func (c *combinations) refine(at, firsts []int32) []int32 {
	type pair struct{ combination, word int32 }
	numbers := make(map[pair]int32, 2*len(firsts))
	firsts = firsts[:0]
	var last pair
	number := int32(-1)
	for i, word := range at {
		if p := (pair{c.of[i], word}); number < 0 || p != last { // rows that follow each other mostly have one
			k, known := numbers[p]
			if !known {
				k = int32(len(firsts))
				numbers[p], firsts = k, append(firsts, int32(i))
			}
			last, number = p, k
		}
		c.of[i] = number
	}
	return firsts
}

// spread gives each row what its combination has.
func spread[V any](c *combinations, values []V) []V {
	out := make([]V, len(c.of))
	for i, k := range c.of {
		out[i] = values[k]
	}
	return out
}
