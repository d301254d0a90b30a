package random

import (
	"fmt"
	"math/big"
	"math/bits"
)

// Parameters of MT19937 (Matsumoto and Nishimura, 1998).
const (
	mtSize      = 624
	mtMiddle    = 397
	mtMatrix    = 0x9908b0df
	mtUpperMask = 0x80000000
	mtLowerMask = 0x7fffffff
)

// MT is CPython's random.Random: the Mersenne Twister MT19937 with CPython's integer seeding and bounded draws. Make
// one with NewMT.
type MT struct {
	state [mtSize]uint32
	next  int // index of the next word to output, or mtSize if new ones must be generated
}

// NewMT returns the generator in its state after random.seed(seed) in CPython 3, which ignores the sign of the seed.
func NewMT(seed *big.Int) *MT {
	magnitude := seed.Bytes()                             // big-endian, without the sign
	words := make([]uint32, max(1, (len(magnitude)+3)/4)) // zero takes one word
	for i, b := range magnitude {
		place := len(magnitude) - 1 - i
		words[place/4] |= uint32(b) << (8 * (place % 4))
	}
	m := &MT{next: mtSize}
	m.fill(19650218)
	m.mix(words) // init_by_array, with little-endian words
	return m
}

// fill implements init_genrand of the reference implementation.
func (m *MT) fill(seed uint32) {
	m.state[0] = seed
	for i := 1; i < mtSize; i++ {
		previous := m.state[i-1]
		m.state[i] = 1812433253*(previous^previous>>30) + uint32(i)
	}
}

// mix implements the second half of init_by_array of the reference implementation.
func (m *MT) mix(key []uint32) {
	i, j := 1, 0
	step := func() {
		if i++; i >= mtSize {
			m.state[0] = m.state[mtSize-1]
			i = 1
		}
	}
	for range max(mtSize, len(key)) {
		previous := m.state[i-1]
		m.state[i] = (m.state[i] ^ (previous^previous>>30)*1664525) + key[j] + uint32(j)
		step()
		if j++; j >= len(key) {
			j = 0
		}
	}
	for range mtSize - 1 {
		previous := m.state[i-1]
		m.state[i] = (m.state[i] ^ (previous^previous>>30)*1566083941) - uint32(i)
		step()
	}
	m.state[0] = 0x80000000
}

// Uint32 returns the next 32-bit output, as random.getrandbits(32) does.
func (m *MT) Uint32() uint32 {
	if m.next == mtSize {
		m.twist()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *MT) twist() {
	for k := range mtSize {
		y := m.state[k]&mtUpperMask | m.state[(k+1)%mtSize]&mtLowerMask
		value := m.state[(k+mtMiddle)%mtSize] ^ y>>1
		if y&1 != 0 {
			value ^= mtMatrix
		}
		m.state[k] = value
	}
	m.next = 0
}

// Bits returns random.getrandbits(k) for 1 <= k <= 64. For k <= 32 it shifts one output right; otherwise it combines
// two, the low word first.
func (m *MT) Bits(k int) uint64 {
	if k < 1 || k > 64 {
		panic(fmt.Sprintf("random: %d random bits", k))
	}
	if k <= 32 {
		return uint64(m.Uint32() >> (32 - k))
	}
	low := uint64(m.Uint32())
	return low | uint64(m.Uint32()>>(64-k))<<32
}

// Choice returns the index that random.choice draws from a sequence of n items, n >= 1. It draws as many bits as n has
// until they form a number below n. Unlike Glibc.Below, it also draws for n = 1. It panics for n < 1.
func (m *MT) Choice(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("random: a choice from %d items", n))
	}
	k := bits.Len(uint(n))
	for {
		if r := m.Bits(k); r < uint64(n) {
			return int(r)
		}
	}
}
