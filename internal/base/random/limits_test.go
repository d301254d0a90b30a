package random_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// TestMTLongSeeds uses seeds of 2^bits + 12345, which have as many words as the state, or more. The values come from
// CPython 3.11.7: two values of random.getrandbits(32) and, after seeding again, random.choice(range(n)) for n of 1, 2
// and 1000.
func TestMTLongSeeds(t *testing.T) {
	for _, c := range []struct {
		bits    uint
		first   []uint32
		choices []int
	}{
		{19936, []uint32{1382624391, 553720722}, []int{0, 0, 425}}, // 624 words
		{19968, []uint32{491957816, 3162853813}, []int{0, 1, 362}}, // 625 words
		{30000, []uint32{1826285306, 3456466012}, []int{0, 0, 615}},
	} {
		seed := new(big.Int).Lsh(big.NewInt(1), c.bits)
		seed.Add(seed, big.NewInt(12345))
		m := random.NewMT(seed)
		if got := []uint32{m.Uint32(), m.Uint32()}; !slices.Equal(got, c.first) {
			t.Errorf("2^%d + 12345: first values %d, want %d", c.bits, got, c.first)
		}
		m = random.NewMT(seed)
		if got := []int{m.Choice(1), m.Choice(2), m.Choice(1000)}; !slices.Equal(got, c.choices) {
			t.Errorf("2^%d + 12345: choices %d, want %d", c.bits, got, c.choices)
		}
	}
}

// TestMTBits compares the bits with those of CPython 3.11.7 for random.seed(42) and a sequence of getrandbits(k).
func TestMTBits(t *testing.T) {
	m := random.NewMT(big.NewInt(42))
	for _, c := range []struct {
		k    int
		want uint64
	}{{1, 1}, {31, 239081663}, {32, 107420369}, {33, 3184935163}, {63, 2058755736454904720},
		{64, 13585496030504862185}} {
		if got := m.Bits(c.k); got != c.want {
			t.Errorf("%d bits: %d, want %d", c.k, got, c.want)
		}
	}
}

func TestDrawsRefuseBadBounds(t *testing.T) {
	g, m := random.NewGlibc(1), random.NewMT(big.NewInt(1))
	for name, draw := range map[string]func(){
		"sample of -1":     func() { g.Sample(3, -1) },
		"sample of 4 of 3": func() { g.Sample(3, 4) },
		"no bits":          func() { m.Bits(0) },
		"65 bits":          func() { m.Bits(65) },
		"choice from none": func() { m.Choice(0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			draw()
		}()
	}
}

// TestBelowRejectsItsLimit uses the bound 1804289383, the first value of the C library's stream for the seed 1. The
// bound exceeds 2^30, so it is its own largest multiple below 2^31. That first value is therefore rejected, and the
// draw is the next one, 846930886.
func TestBelowRejectsItsLimit(t *testing.T) {
	if got := random.NewGlibc(1).Below(1804289383); got != 846930886 {
		t.Errorf("got %d, want 846930886", got)
	}
}
