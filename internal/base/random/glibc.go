package random

import "fmt"

// Parameters of the GNU C library's TYPE_3 generator, the additive feedback generator x^31 + x^3 + 1 that random() uses
// unless initstate() chose another one (glibc, stdlib/random_r.c).
const (
	glibcDegree     = 31
	glibcSeparation = 3
	glibcWarmUp     = 10 * glibcDegree // number of outputs that srandom() discards
	glibcRange      = 1 << 31          // random() is uniform on [0, glibcRange)
)

// Glibc is the generator behind the C library's srandom() and random(). Its output is the same on every machine.
// Make one with NewGlibc.
type Glibc struct {
	state [glibcDegree]uint32
	front int // index of the word that the next step changes
	rear  int // index of the word that the next step adds
}

// NewGlibc returns the generator in its state after srandom(seed). As in the C library, the seeds 0 and 1 produce the
// same stream.
func NewGlibc(seed uint32) *Glibc {
	g := &Glibc{front: glibcSeparation}
	if seed == 0 {
		seed = 1
	}
	// Schrage's form of 16807*word mod 2^31-1 on a signed word. For seeds from 2^31 on (word < 0), it differs from the
	// mathematical remainder, but the C library uses it.
	word := int32(seed)
	g.state[0] = uint32(word)
	for i := 1; i < glibcDegree; i++ {
		hi, lo := int64(word)/127773, int64(word)%127773
		word = int32(16807*lo - 2836*hi)
		if word < 0 {
			word += 2147483647
		}
		g.state[i] = uint32(word)
	}
	for range glibcWarmUp {
		g.Next()
	}
	return g
}

// Next returns the next value of random(), uniformly distributed on [0, 2^31).
func (g *Glibc) Next() int32 {
	g.state[g.front] += g.state[g.rear]
	value := int32(g.state[g.front] >> 1)
	if g.front++; g.front == glibcDegree {
		g.front = 0
	}
	if g.rear++; g.rear == glibcDegree {
		g.rear = 0
	}
	return value
}

// Below returns a uniformly distributed number in [0, n), for 1 <= n <= 2^31.
//
// It rejects values of random() at or above the largest multiple of n that is at most 2^31, and returns the first
// accepted value modulo n. Every result is therefore equally likely, which random() % n alone would not ensure, and a
// draw takes fewer than two values on average. n = 1 takes none. Below panics if n is out of range, because that is a
// bug in the caller.
func (g *Glibc) Below(n int) int {
	if n < 1 || n > glibcRange {
		panic(fmt.Sprintf("random: a draw below %d", n))
	}
	if n == 1 {
		return 0
	}
	limit := int64(glibcRange) - int64(glibcRange)%int64(n)
	for {
		if value := int64(g.Next()); value < limit {
			return int(value % int64(n))
		}
	}
}

// Sample returns k of the numbers 0..n-1 without replacement, in ascending order. Every subset of size k is equally
// likely.
//
// It makes exactly k draws when 0 < k < n, the i-th below n-i (a Fisher-Yates shuffle that stops after k steps), and
// none when k is 0 or n. It panics unless 0 <= k <= n <= 2^31.
func (g *Glibc) Sample(n, k int) []int {
	if k < 0 || k > n {
		panic(fmt.Sprintf("random: a sample of %d from %d", k, n))
	}
	chosen := make([]bool, n)
	if k == n {
		for i := range chosen {
			chosen[i] = true
		}
	} else {
		deck := make([]int32, n)
		for i := range deck {
			deck[i] = int32(i)
		}
		for i := range k {
			j := i + g.Below(n-i)
			deck[i], deck[j] = deck[j], deck[i]
			chosen[deck[i]] = true
		}
	}
	sample := make([]int, 0, k)
	for i, in := range chosen {
		if in {
			sample = append(sample, i)
		}
	}
	return sample
}
