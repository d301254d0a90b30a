package polars

import (
	"math/bits"
	"testing"
)

// TestBounds uses numbers whose product with 3 lies just at the limit beyond which the crate draws again. The limits
// apply to the lower half of the product. With rand 0.8, a single number is accepted up to 3*2^30 - 1, and one of many
// up to 2^32 - 2. With rand 0.9, a single number is final up to 2^32 - 3, and one of many is accepted from 1 on, which
// is 2^32 modulo 3.
func TestBounds(t *testing.T) {
	for _, test := range []struct {
		name   string
		draw   func(*Generator, uint32) uint32
		number uint32
		f      Flavour
		want   uint32
		once   bool
	}{
		{"one, at", (*Generator).below, 2_505_397_589, Rand08, 1, true},           // 7*2^30 - 1 = 2^32 + 3*2^30 - 1
		{"one, at", (*Generator).below, 4_294_967_295, Rand09, 2, true},           // 3*2^32 - 3
		{"many, at", (*Generator).fairBelow, 2_863_311_530, Rand08, 1, true},      // 2*2^32 - 2
		{"many, beyond", (*Generator).fairBelow, 1_431_655_765, Rand08, 0, false}, // 2^32 - 1
		{"many, at", (*Generator).fairBelow, 2_863_311_531, Rand09, 2, true},      // 2*2^32 + 1
		{"many, below", (*Generator).fairBelow, 0, Rand09, 0, false},
	} {
		// For the state 0, s, 0, x, the first number is the upper half of rotated x.
		x := bits.RotateLeft64(uint64(test.number)<<32, -23)
		g := &Generator{flavour: test.f, state: [4]uint64{1: 1 << 40, 3: x}}
		after := *g
		if got := after.Uint32(); got != test.number {
			t.Fatalf("the first number is %d, not %d", got, test.number)
		}
		got := test.draw(g, 3)
		if once := *g == after; once != test.once || once && got != test.want {
			t.Errorf("%s, %s: %d, by one number %v; want %d, %v", test.f, test.name, got, once, test.want, test.once)
		}
	}
}
