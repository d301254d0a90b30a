package selection

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestDeck removes numbers from decks of many sizes, including powers of two and their neighbours, by position and by
// value, and compares the decks with lists.
func TestDeck(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 70 {
		d := newDeck(n)
		var list []int
		for i := range n {
			list = append(list, i)
		}
		for len(list) > 0 {
			if d.left != len(list) || d.taken() != n-len(list) {
				t.Fatalf("deck of %d: %d left, %d taken; want %d left", n, d.left, d.taken(), len(list))
			}
			k := r.IntN(len(list))
			want := list[k]
			if r.IntN(3) == 0 {
				d.take(want)
			} else if got := d.takeNth(k); got != want {
				t.Fatalf("deck of %d: number %d of %v is %d", n, k, list, got)
			}
			if d.in[want] {
				t.Fatalf("deck of %d: %d is still in", n, want)
			}
			list = slices.Delete(list, k, k+1)
		}
	}
}
