// Package polars implements the pseudo-random sampling of polars, the data frame library that the organisers' tool has
// used since 2024 to select benchmarks and number scrambled scripts: list.sample(n, seed=...) and
// Expr.shuffle(seed=...).
//
// The numbers come from xoshiro256++. Its seeding, its bounded draws and the choice of positions changed with the Rust
// crate rand that polars is built with, so there are two [Flavour]s. No year's rules name either of them.
// docs/write/randomness.md explains their use.
package polars

import (
	"fmt"
	"math/bits"
)

// Flavour is the version of the crate rand that polars is built with.
type Flavour uint8

// The flavours.
const (
	Rand08 Flavour = iota + 1 // polars 0.19.19 to 1.31.0, with rand 0.8
	Rand09                    // polars 1.32.0 and later, with rand 0.9
)

// ParseFlavour parses "rand-0.8" or "rand-0.9".
func ParseFlavour(s string) (Flavour, error) {
	switch s {
	case "rand-0.8":
		return Rand08, nil
	case "rand-0.9":
		return Rand09, nil
	}
	return 0, fmt.Errorf("unknown flavour %q of polars; it must be rand-0.8 (polars up to 1.31) or rand-0.9 "+
		"(from 1.32 on)", s)
}

// String returns the name that ParseFlavour parses.
func (f Flavour) String() string {
	switch f {
	case Rand08:
		return "rand-0.8"
	case Rand09:
		return "rand-0.9"
	}
	return fmt.Sprintf("flavour(%d)", uint8(f))
}

// Generator is xoshiro256++, seeded and used as in polars. Make one with New. It is not safe for concurrent use.
type Generator struct {
	flavour Flavour
	state   [4]uint64
}

// New returns a flavour's generator in its state after seed_from_u64(seed).
func New(flavour Flavour, seed uint64) *Generator {
	g := &Generator{flavour: flavour}
	if flavour == Rand08 {
		g.seedByPCG(seed)
	}
	if g.state == [4]uint64{} {
		if flavour == Rand08 {
			seed = 0 // xoshiro256++ requires a nonzero state; the crate falls back to seed 0
		}
		g.seedBySplitMix(seed)
	}
	return g
}

// seedBySplitMix fills the state with four outputs of SplitMix64.
func (g *Generator) seedBySplitMix(seed uint64) {
	for i := range g.state {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		g.state[i] = z ^ z>>31
	}
}

// seedByPCG fills the state with eight outputs of PCG32, the lower half of each word first.
func (g *Generator) seedByPCG(seed uint64) {
	for i := range 2 * len(g.state) {
		seed = seed*6364136223846793005 + 11634580027462260723
		half := bits.RotateLeft32(uint32((seed>>18^seed)>>27), -int(seed>>59))
		g.state[i/2] |= uint64(half) << (32 * (i % 2))
	}
}

// Uint32 returns the next number: the upper half of an output of xoshiro256++.
func (g *Generator) Uint32() uint32 {
	s := &g.state
	out := bits.RotateLeft64(s[0]+s[3], 23) + s[0]
	t := s[1] << 17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return uint32(out >> 32)
}

// product returns the product of the next number and m.
func (g *Generator) product(m uint32) (high, low uint32) { return bits.Mul32(g.Uint32(), m) }

// below returns a number below m, for m >= 1, as the crate draws a single number. With rand 0.9 it uses at most two
// numbers, and the results are not exactly equally likely.
func (g *Generator) below(m uint32) uint32 {
	high, low := g.product(m)
	if g.flavour == Rand08 {
		zone := m<<bits.LeadingZeros32(m) - 1
		for low > zone {
			high, low = g.product(m)
		}
		return high
	}
	if low > -m {
		more, _ := g.product(m)
		if _, carry := bits.Add32(low, more, 0); carry != 0 {
			high++
		}
	}
	return high
}

// fairBelow returns a number below m, for m >= 1, as the crate does when it draws many numbers. All results are equally
// likely.
func (g *Generator) fairBelow(m uint32) uint32 {
	rest := -m % m // 2^32 modulo m
	for {
		high, low := g.product(m)
		if g.flavour == Rand08 && low <= ^rest || g.flavour != Rand08 && low >= rest {
			return high
		}
	}
}
