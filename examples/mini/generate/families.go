package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

const (
	sat     = string(comp.AnswerSat)
	unsat   = string(comp.AnswerUnsat)
	unknown = "unknown"
)

// either returns sat for even numbers and unsat for odd ones.
func either(i int) string {
	if i%2 == 0 {
		return sat
	}
	return unsat
}

// families are the generators. Those of the same division are adjacent.
var families = []family{
	{"QF_UF", "chains", "industrial", 8, chains},
	{"QF_UF", "permutations", "crafted", 6, permutations},
	{"QF_IDL", "cycles", "industrial", 8, cycles("Int")},
	{"QF_IDL", "planted", "random", 4, planted},
	{"QF_RDL", "cycles_real", "industrial", 6, cycles("Real")},
	{"QF_LIA", "parity", "crafted", 6, parity},
	{"QF_LIA", "big_numbers", "check", 3, bigNumbers},
	{"QF_LRA", "mixtures", "random", 8, mixtures},
	{"QF_BV", "squares", "industrial", 8, squares},
	{"QF_BV", "shifts", "crafted", 6, shifts},
	{"QF_BV", "open", "random", 2, factors},
	{"QF_AUFBV", "memories", "industrial", 8, memories},
	{"AUFLIA+p", "axioms", "industrial", 6, axioms},
	{"AUFLIA-p", "axioms", "industrial", 6, axioms},
}

// chains equates x0 to xn along a chain and asks whether f^k distinguishes its ends. Even instances lack one link.
func chains(b *benchmark, i int, r *rand.Rand) string {
	n, gap := 4+i, r.IntN(4)
	b.add("extrafuns ((f U U))")
	for k := range n + 1 {
		b.add("extrafuns ((x%d U))", k)
	}
	for k := range n {
		if i%2 == 0 && k == gap {
			continue
		}
		b.add("assumption (= x%d x%d)", k, k+1)
	}
	left, right := "x0", fmt.Sprintf("x%d", n)
	for range 3 {
		left, right = "(f "+left+")", "(f "+right+")"
	}
	b.add("formula (not (= %s %s))", left, right)
	return either(i)
}

// permutations has n constants with m possible values. All n must differ pairwise, which is possible for m = n but not
// for m = n-1.
func permutations(b *benchmark, i int, _ *rand.Rand) string {
	n := 3 + i/2
	m := n - i%2
	var pigeons []string
	for k := range n {
		b.add("extrafuns ((p%d U))", k)
		pigeons = append(pigeons, fmt.Sprintf("p%d", k))
	}
	for k := range m {
		b.add("extrafuns ((h%d U))", k)
	}
	for k := range n {
		var holes []string
		for h := range m {
			holes = append(holes, fmt.Sprintf("(= p%d h%d)", k, h))
		}
		b.add("assumption (or %s)", strings.Join(holes, " "))
	}
	b.add("formula (distinct %s)", strings.Join(pigeons, " "))
	return either(i)
}

// cycles has differences around a cycle with bounds that add up to 0 (satisfiable) or -1 (unsatisfiable).
func cycles(sort string) func(*benchmark, int, *rand.Rand) string {
	return func(b *benchmark, i int, r *rand.Rand) string {
		n, sum := 4+i, 0
		for k := range n {
			b.add("extrafuns ((t%d %s))", k, sort)
		}
		for k := range n - 1 {
			bound := r.IntN(19) - 9
			sum += bound
			b.add("assumption (<= (- t%d t%d) %s)", k, k+1, integer(bound))
		}
		b.add("formula (<= (- t%d t0) %s)", n-1, integer(-sum-i%2))
		return either(i)
	}
}

// planted has random differences that a hidden point satisfies.
func planted(b *benchmark, i int, r *rand.Rand) string {
	n := 6 + i
	at := make([]int, n)
	for k := range at {
		at[k] = r.IntN(100)
		b.add("extrafuns ((v%d Int))", k)
	}
	for range 3 * n {
		x, y := r.IntN(n), r.IntN(n)
		if x == y {
			continue
		}
		b.add("assumption (or (<= (- v%d v%d) %s) (= v%d v%d))", x, y, integer(at[x]-at[y]+r.IntN(3)), x, y)
	}
	b.add("formula (distinct v0 v1 v2)")
	if at[0] == at[1] || at[1] == at[2] || at[0] == at[2] {
		return unknown // the point is not used, and nothing else is known
	}
	return sat
}

// parity adds up even multiples to an even or odd number.
func parity(b *benchmark, i int, r *rand.Rand) string {
	var terms []string
	for k := range 3 + i {
		b.add("extrafuns ((n%d Int))", k)
		b.add("assumption (and (<= 0 n%d) (<= n%d 50))", k, k)
		terms = append(terms, fmt.Sprintf("(* %d n%d)", 2*(1+r.IntN(5)), k))
	}
	terms[0] = "(* 2 n0)" // 2 divides the rest
	b.add("formula (= (+ %s) %d)", strings.Join(terms, " "), 20+i%2)
	return either(i)
}

// bigNumbers needs whole numbers beyond 32 bits.
func bigNumbers(b *benchmark, i int, _ *rand.Rand) string {
	b.add("extrafuns ((x Int) (y Int))")
	b.add("assumption (and (= x 4294967296) (= y (+ x x)))")
	if i%2 == 0 {
		b.add("formula (> y 8589934591)")
	} else {
		b.add("formula (< y x)")
	}
	return either(i)
}

// mixtures has random inequations that a point satisfies. Odd instances also have one that contradicts the sum of two
// others.
func mixtures(b *benchmark, i int, r *rand.Rand) string {
	n := 3 + i/2
	at := make([]int, n)
	for k := range at {
		at[k] = r.IntN(20)
		b.add("extrafuns ((r%d Real))", k)
	}
	row := func() ([]int, int) {
		c, sum := make([]int, n), 0
		for k := range c {
			c[k] = 1 + r.IntN(9)
			sum += c[k] * at[k]
		}
		return c, sum
	}
	c1, s1 := row()
	c2, s2 := row()
	b.add("assumption (<= %s %d)", combination(c1), s1)
	b.add("assumption (<= %s %d)", combination(c2), s2)
	total := make([]int, n)
	for k := range total {
		total[k] = c1[k] + c2[k]
	}
	b.add("formula (>= %s %d)", combination(total), s1+s2+i%2)
	return either(i)
}

func combination(c []int) string {
	var terms []string
	for k := range c {
		terms = append(terms, fmt.Sprintf("(* %d r%d)", c[k], k))
	}
	return "(+ " + strings.Join(terms, " ") + ")"
}

// squares asks whether (x+y)^2 differs from x^2 + 2xy + y^2, or from the same without 2xy.
func squares(b *benchmark, i int, _ *rand.Rand) string {
	w := 4 + i/2
	b.add("extrafuns ((x BitVec[%d]) (y BitVec[%d]))", w, w)
	right := "(bvadd (bvmul ?x ?x) (bvmul ?y ?y))"
	if i%2 == 1 {
		right = fmt.Sprintf("(bvadd %s (bvmul bv2[%d] (bvmul ?x ?y)))", right, w)
	}
	b.add("formula (let (?x x) (let (?y y) (let (?s (bvadd ?x ?y)) (not (= (bvmul ?s ?s) %s)))))", right)
	return either(i)
}

// shifts compares a rotation with two shifts, by the same or a different number of places.
func shifts(b *benchmark, i int, _ *rand.Rand) string {
	w := 8 + i
	b.add("extrafuns ((x BitVec[%d]))", w)
	b.add("formula (not (= (rotate_left[3] x) (bvor (bvshl x bv3[%d]) (bvlshr x bv%d[%d]))))", w, w-2-i%2, w)
	return either(i)
}

// factors asks for factors of a random number, and leaves the status open.
func factors(b *benchmark, _ int, r *rand.Rand) string {
	b.add("extrafuns ((x BitVec[16]) (y BitVec[16]))")
	b.add("assumption (and (bvugt x bv1[16]) (bvugt y bv1[16]) (bvult x bv256[16]) (bvult y bv256[16]))")
	b.add("formula (= (bvmul x y) bv%d[16])", 10000+r.IntN(50000))
	return unknown
}

// memories writes to a memory in two orders. In even instances the addresses may be equal.
func memories(b *benchmark, i int, r *rand.Rand) string {
	w := 4 + i
	b.add("extrafuns ((m Array[%d:8]) (i BitVec[%d]) (j BitVec[%d]) (v BitVec[8]))", w, w, w)
	if i%2 == 1 {
		b.add("assumption (= j (bvadd i bv%d[%d]))", 1+r.IntN(14), w)
	}
	b.add("formula (not (= (store (store m i v) j (bvnot v)) (store (store m j (bvnot v)) i v)))")
	return either(i)
}

// axioms has an increasing function and a sorted array, and asks about consecutive elements.
func axioms(b *benchmark, i int, _ *rand.Rand) string {
	n := 2 + i
	b.add("extrafuns ((f Int Int) (a Array))")
	b.add("assumption (forall (?x Int) (> (f ?x) ?x) :pat { (f ?x) })")
	for k := range n {
		b.add("assumption (<= (select a %d) (select a %d))", k, k+1)
	}
	if i%2 == 1 {
		b.add("formula (> (select a 0) (f (select a %d)))", n)
	} else {
		// the model of the rest needs no quantifier
		b.add("formula (and (< (select a 0) 5) (= (select a %d) 5))", n)
	}
	return either(i)
}

func integer(n int) string {
	if n < 0 {
		return fmt.Sprintf("(~ %d)", -n)
	}
	return fmt.Sprint(n)
}
