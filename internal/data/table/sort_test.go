package table

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestSort compares the order of rows with the library's stable sort, for texts with and without a dictionary and for
// numbers, all with many equal values.
func TestSort(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var texts []string
	var numbers []int64
	dictionary := Dictionary{}
	for range 2000 {
		text := strings.Repeat("b", random.IntN(5)) + string(rune('a'+random.IntN(9)))
		texts, numbers = append(texts, text), append(numbers, int64(random.IntN(50)-25))
		dictionary.Append(text)
	}
	coded, plain, ints := dictionary.Column(), StringsOf(texts), IntsOf(numbers)
	for name, c := range map[string]*Column{"coded": &coded, "plain": &plain, "numbers": &ints} {
		rows := make([]int32, c.Len())
		for i, k := range random.Perm(c.Len()) {
			rows[i] = int32(k)
		}
		want := slices.Clone(rows)
		slices.SortStableFunc(want, func(i, j int32) int { return c.Compare(int(i), int(j)) })
		if got := c.Sort(rows); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
