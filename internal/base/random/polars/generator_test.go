package polars

import (
	"math"
	"testing"
)

// TestReference compares with the published output of xoshiro256++ for the state 1, 2, 3, 4 (Blackman and Vigna, also
// in the crate rand_xoshiro). polars uses the upper halves. The first value is rotl(1+4, 23)+1 = 5·2^23+1.
func TestReference(t *testing.T) {
	g := &Generator{state: [4]uint64{1, 2, 3, 4}}
	for i, whole := range []uint64{41943041, 58720359, 3588806011781223, 3591011842654386, 9228616714210784205,
		9973669472204895162, 14011001112246962877, 12406186145184390807, 15849039046786891736, 10450023813501588000} {
		if got, want := g.Uint32(), uint32(whole>>32); got != want {
			t.Errorf("output %d is %d, want %d", i, got, want)
		}
	}
}

// TestSplitMix compares with the first values that the reference implementation of SplitMix64 prints for the seed 0.
func TestSplitMix(t *testing.T) {
	g := &Generator{}
	g.seedBySplitMix(0)
	want := [4]uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f, 0xf88bb8a8724c81ec}
	if g.state != want {
		t.Errorf("state %#x, want %#x", g.state, want)
	}
}

// TestMethods tests the thresholds between the methods, computed by hand. For k = 20, shuffling in place is used below
// (10+1.6·20)·20 = 840, but never in a long list, where the threshold is (70/9+160/45)·20 = 226.7. For k = 200 it is
// used below 270·200 = 54,000.
func TestMethods(t *testing.T) {
	for _, c := range []struct {
		n, k int
		want method
	}{
		{839, 20, inPlace}, {840, 20, floyd}, {12, 11, floyd}, {13, 12, inPlace},
		{53_999, 200, inPlace}, {54_000, 200, rejection},
		{44_009, 163, inPlace}, {44_010, 163, rejection},
		{43_610, 162, inPlace}, {43_611, 162, floyd}, // (10+1.6·162)·162 = 43,610.4
		{500_000, 20, floyd},
		{733_332, 20_000, inPlace}, {733_334, 20_000, rejection}, // 330/9·20,000 = 733,333.3
	} {
		if got := methodOf(c.n, c.k); got != c.want {
			t.Errorf("%d of %d: method %d, want %d", c.k, c.n, got, c.want)
		}
	}
}

// TestMethodOf follows seq::index::sample of the crate rand. For k >= 163, it shuffles in place if there are fewer than
// 270 k positions, or, from 500,000 positions on, fewer than 330/9 k. For k from 12 to 162, the thresholds are (10 +
// 1.6 k) k and, from 500,000 positions on, (70/9 + 8/45 k) k, which is at most 5926.
func TestMethodOf(t *testing.T) {
	for _, test := range []struct {
		n, k int
		want method
	}{
		{499_999, 2000, inPlace},   // 270·2000 = 540,000
		{500_000, 2000, rejection}, // 330/9·2000 = 73,333.3
		{733_333, 20_000, inPlace}, // 330/9·20,000 = 733,333.3, which is 733,333.3125 in single precision
		{733_334, 20_000, rejection},
		{44_009, 163, inPlace}, // 270·163 = 44,010
		{44_010, 163, rejection},
		{43_610, 162, inPlace}, // (10+259.2)·162 = 43,610.4
		{43_611, 162, floyd},
		{500_000, 162, floyd},
		{350, 12, inPlace}, // (10+19.2)·12 = 350.4
		{351, 12, floyd},
		{12, 11, floyd},
	} {
		if got := methodOf(test.n, test.k); got != test.want {
			t.Errorf("%d of %d: method %d, want %d", test.k, test.n, got, test.want)
		}
	}
}

// TestEnds draws from the largest list that Sample supports, and shuffles an empty list.
func TestEnds(t *testing.T) {
	for _, f := range []Flavour{Rand08, Rand09} {
		if got := f.Sample(math.MaxUint32, 1, 1); len(got) != 1 || got[0] < 0 || got[0] >= math.MaxUint32 {
			t.Errorf("one place of 2^32-1: %d", got)
		}
		if got := f.Shuffle(0, 1); len(got) != 0 {
			t.Errorf("a shuffle of nothing: %d", got)
		}
	}
}
