package lists

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// groupings are the properties by which a list's benchmarks can be counted, each with the column that it requires. An
// empty column means that every list has the property.
var groupings = map[string]struct {
	column string
	of     func(*intake.Benchmark) string
}{
	"collection": {"", func(b *intake.Benchmark) string { return collectionOf(b) }},
	"logic":      {"", func(b *intake.Benchmark) string { return b.Logic }},
	"family":     {"", func(b *intake.Benchmark) string { return b.Family }},
	"status":     {"status", func(b *intake.Benchmark) string { return b.Status }},
	"category":   {"category", func(b *intake.Benchmark) string { return b.Category }},
	"size":       {"size_bytes", func(b *intake.Benchmark) string { return magnitude(b.SizeBytes) + " bytes" }},
	"asserts":    {"asserts", func(b *intake.Benchmark) string { return magnitude(b.Asserts) }},
	"check_sats": {"check_sats", func(b *intake.Benchmark) string { return magnitude(b.CheckSats) }},
}

// Groupings returns the names of the properties by which benchmarks can be counted.
func Groupings() []string { return slices.Sorted(maps.Keys(groupings)) }

// Count returns the number of benchmarks in each of a list's groups, and the sums of their figures.
func Count(file string, by []string) (*Table, error) {
	for _, name := range by {
		if _, ok := groupings[name]; !ok {
			return nil, exit.With(exit.Usage, fmt.Errorf("--by has no %q; it has %s", name,
				strings.Join(Groupings(), ", ")))
		}
	}
	type count struct {
		key                           []string
		n, checkSats, asserts, allLen int64
	}
	groups := map[string]*count{}
	columns, err := intake.Benchmarks(file, func(b *intake.Benchmark) error {
		key := make([]string, len(by))
		for i, name := range by {
			key[i] = strings.Clone(groupings[name].of(b))
		}
		id := strings.Join(key, "\x00")
		if groups[id] == nil {
			groups[id] = &count{key: key}
		}
		c := groups[id]
		c.n, c.checkSats = c.n+1, c.checkSats+b.CheckSats
		c.asserts, c.allLen = c.asserts+b.Asserts, c.allLen+b.SizeBytes
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, name := range by {
		if needed := groupings[name].column; needed != "" && !slices.Contains(columns, needed) {
			return nil, exit.With(exit.Usage, fmt.Errorf("%s does not say %s of its benchmarks, which --by %s needs; it says %s",
				file, needed, name, strings.Join(columns, ", ")))
		}
	}
	t := &Table{Head: append(slices.Clone(by), "benchmarks")}
	var sums []func(*count) int64
	for _, s := range []struct {
		column string
		of     func(*count) int64
	}{
		{"check_sats", func(c *count) int64 { return c.checkSats }},
		{"asserts", func(c *count) int64 { return c.asserts }},
		{"size_bytes", func(c *count) int64 { return c.allLen }},
	} {
		if slices.Contains(columns, s.column) {
			t.Head, sums = append(t.Head, "all_"+s.column), append(sums, s.of)
		}
	}
	byKey := func(a, b *count) int { return compareKeys(a.key, b.key) }
	for _, c := range slices.SortedFunc(maps.Values(groups), byKey) {
		row := append(cellsOf(c.key...), c.n)
		for _, sum := range sums {
			row = append(row, sum(c))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// compareKeys orders groups part by part. It orders magnitudes numerically.
func compareKeys(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		var m, n int64
		_, err1 := fmt.Sscanf(x, "%d to", &m)
		_, err2 := fmt.Sscanf(y, "%d to", &n)
		if err1 != nil || err2 != nil {
			m, n = 0, 0
		}
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(x, y))
	})
}

// magnitude returns a number's order of magnitude, such as "100 to 999".
func magnitude(n int64) string {
	low := int64(1)
	for n/low >= 10 {
		low *= 10
	}
	if low == 1 {
		return "0 to 9"
	}
	return fmt.Sprintf("%d to %d", low, low*10-1)
}
