package score

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// Value is the number in an answer, such as an optimum. The zero Value means none.
type Value struct {
	N     float64
	Known bool
}

// ValueIn returns the value in a verdict's details.
func ValueIn(details string) Value {
	for line := range strings.Lines(details) {
		if text, ok := strings.CutPrefix(line, "value="); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			return Value{n, err == nil}
		}
	}
	return Value{}
}

// The value fields of runs and benchmarks. Unconfirmed values do not count, except in the field value itself.
var (
	valueFields = []rowexpr.Field{
		{Name: "value", Type: cty.Number, Doc: "the number in the answer; 0: none"},
		{Name: "has_value", Type: cty.Bool, Doc: "the answer contains a number"},
		{Name: "below", Type: cty.Number, Doc: "the benchmark's runs with a lower counted value"},
		{Name: "above", Type: cty.Number, Doc: "the benchmark's runs with a higher counted value"},
	}
	bestFields = []rowexpr.Field{
		{Name: "has_value", Type: cty.Bool, Doc: "some run has a value that counts: of a valid answer, or of one that is not checked"},
		{Name: "least", Type: cty.Number, Doc: "the lowest value that counts; 0: none"},
		{Name: "greatest", Type: cty.Number, Doc: "the highest value that counts; 0: none"},
	}
)

func isValueField(row, field string) bool {
	fields := map[string][]rowexpr.Field{"r": valueFields, "b": bestFields}[row]
	return slices.ContainsFunc(fields, func(f rowexpr.Field) bool { return f.Name == field })
}

// values contains each benchmark's values that count, sorted.
type values [][]float64

// valuesFor returns a track's values if a program uses them.
func valuesFor(t *Track, uses []string) values {
	if !slices.ContainsFunc(uses, func(name string) bool {
		row, field, _ := strings.Cut(name, ".")
		return isValueField(row, field)
	}) {
		return nil
	}
	all := make(values, len(t.Benchmarks))
	for i, b := range t.benchmark {
		if r := t.restAt(i); r.Value.Known && (r.Validation == "" || r.Validation == "valid") {
			all[b] = append(all[b], r.Value.N)
		}
	}
	for _, of := range all {
		slices.Sort(of)
	}
	return all
}

// valueColumn adds a column of valueFields or bestFields to the frame.
func (c *chunk) valueColumn(name, row, field string) {
	numbers, flags := make([]float64, c.n()), make([]bool, c.n())
	for i := range numbers {
		var of []float64
		if c.values != nil {
			of = c.values[c.t.benchmark[c.lo+i]]
		}
		v := c.t.restAt(c.lo + i).Value
		from, exact := slices.BinarySearch(of, v.N)
		to := from
		for exact && to < len(of) && of[to] == v.N {
			to++
		}
		switch {
		case row == "b":
			if flags[i] = len(of) > 0; flags[i] {
				numbers[i] = map[string]float64{"least": of[0], "greatest": of[len(of)-1]}[field]
			}
		case v.Known:
			flags[i] = true
			numbers[i] = map[string]float64{"value": v.N, "below": float64(from), "above": float64(len(of) - to)}[field]
		}
	}
	if field == "has_value" {
		c.frame.Bools(name, flags, nil)
	} else {
		c.frame.Floats(name, numbers, nil)
	}
}
