package selection

import "math/bits"

// deck is the ordered list 0 to n-1, from which numbers are removed by their position among the remaining ones. A
// Fenwick tree finds the position in logarithmic time; the original script instead shifts the rest of its list.
type deck struct {
	in   []bool // whether each number is still in the deck
	left int
	tree []int32 // tree[i] counts the remaining numbers in (i - lowest bit of i, i], counted from 1
}

func newDeck(n int) *deck {
	d := &deck{in: make([]bool, n), left: n, tree: make([]int32, n+1)}
	for i := range n {
		d.in[i] = true
	}
	for i := 1; i <= n; i++ {
		d.tree[i] = int32(i & -i)
	}
	return d
}

// taken returns how many numbers have been removed.
func (d *deck) taken() int { return len(d.in) - d.left }

// take removes the number v, which must still be in the deck.
func (d *deck) take(v int) {
	d.in[v] = false
	d.left--
	for i := v + 1; i < len(d.tree); i += i & -i {
		d.tree[i]--
	}
}

// takeNth removes and returns the k-th remaining number, for 0 <= k < left.
func (d *deck) takeNth(k int) int {
	at := 0
	for step := 1 << bits.Len(uint(len(d.in))); step > 0; step >>= 1 {
		if next := at + step; next < len(d.tree) && int(d.tree[next]) <= k {
			at = next
			k -= int(d.tree[next])
		}
	}
	d.take(at)
	return at
}
