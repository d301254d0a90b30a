package main

import (
	"fmt"
	"math/bits"
	"strings"
)

// family is a group of benchmarks of one kind, from easy to hard.
type family struct {
	logic, name, stem string
	category          string
	about             string
	count             int
	write             func(s *script, i int) (status string)
}

var families = []family{
	{"QF_UF", "20240101-Pigeons", "php", "crafted", "n+1 pigeons in n holes, which is impossible, or n in n", 20,
		pigeons},
	{"QF_UF", "20240101-Diamonds", "diamond", "crafted", "chains of diamonds of equalities", 20, diamonds},
	{"QF_UF", "20260301-Involutions", "inv", "crafted", "towers of a function with a given period", 20, involutions},
	{"QF_LIA", "20240101-Queens/plain", "queens", "crafted", "n queens on a board of n by n", 16, queens},
	{"QF_LIA", "20240101-Queens/corner", "corner", "crafted", "n queens, one of them in a corner and one beside it", 16,
		cornerQueens},
	{"QF_LIA", "20240102-SubsetSum", "subset", "random", "a subset of numbers with a given sum", 24, subsetSum},
	{"QF_LIA", "20260302-Parity", "parity", "crafted", "sums of even numbers that should be odd", 20, parity},
	{"QF_IDL", "20240103-JobShop", "jobs", "industrial", "jobs on machines before a deadline", 24, jobShop},
	{"QF_IDL", "20240103-Cycles", "cycle", "crafted", "cycles of differences", 20, cycles},
	{"QF_LRA", "20240104-Polytopes", "polytope", "random", "random polytopes around a known point", 20, polytopes},
	{"QF_LRA", "20240104-Farkas", "farkas", "random", "inequalities with a known contradiction", 20, farkas},
	{"QF_LRA", "20260303-Tanks", "tanks", "industrial", "tanks that are filled and emptied by valves", 20, tanks},
	{"QF_BV", "20240105-Identities", "ident", "crafted", "identities of bit-vector arithmetic", 30, identities},
	{"QF_BV", "20240105-Factoring/semiprime", "semi", "crafted", "factors of a product of two primes", 20, semiprimes},
	{"QF_BV", "20240105-Factoring/prime", "prime", "crafted", "factors of a prime, which has none", 20, primes},
	{"QF_BV", "20260304-Mixers", "mixer", "industrial", "inputs of a mixing function for a given output", 24, mixers},
	{"QF_AX", "20240106-Swaps", "swap", "crafted", "the order in which distinct places are written does not matter", 24,
		swaps},
	{"QF_AX", "20240106-Copies", "copy", "crafted", "copies of arrays that differ in one place", 20, copies},
	{"QF_NIA", "20240107-Cubes", "cubes", "crafted", "sums of three cubes", 24, cubes},
	{"LIA", "20240108-Coins", "coins", "crafted", "the largest amount that two coins cannot pay", 20, coins},
}

// pigeons puts n+1 (even i) or n (odd i) pigeons into n holes of an uninterpreted sort.
func pigeons(s *script, i int) string {
	holes := 2 + i/2
	birds := holes + 1 - i%2
	s.add("(declare-sort H 0)")
	for h := range holes {
		s.declare(fmt.Sprintf("h%d", h), "H")
	}
	for p := range birds {
		s.declare(fmt.Sprintf("p%d", p), "H")
		var where []string
		for h := range holes {
			where = append(where, fmt.Sprintf("(= p%d h%d)", p, h))
		}
		s.assert("%s", or(where))
		for q := range p {
			s.assert("(not (= p%d p%d))", p, q)
		}
	}
	return either(birds <= holes)
}

// diamonds links x0 to xn, each step through one of two midpoints. x0 must differ from xn, except in every fourth
// instance.
func diamonds(s *script, i int) string {
	n := 2 + 3*i
	s.add("(declare-sort U 0)")
	s.declare("x0", "U")
	for k := range n {
		for _, v := range []string{"y", "z", "x"} {
			j := k
			if v == "x" {
				j = k + 1
			}
			s.declare(fmt.Sprintf("%s%d", v, j), "U")
		}
		s.assert("(or (and (= x%d y%d) (= y%d x%d)) (and (= x%d z%d) (= z%d x%d)))", k, k, k, k+1, k, k, k, k+1)
	}
	if i%4 == 3 {
		s.assert("(= x0 x%d)", n)
		return sat
	}
	s.assert("(not (= x0 x%d))", n)
	return unsat
}

// involutions asserts f^a(x) = x and f^b(x) = x. That implies f^gcd(a,b)(x) = x, which is negated (unsat) or not (sat).
func involutions(s *script, i int) string {
	a, b := 6+4*i, 9+6*i
	g := gcd(a, b)
	s.add("(declare-sort U 0)")
	s.add("(declare-fun f (U) U)")
	s.declare("x", "U")
	tower := func(n int) string { return strings.Repeat("(f ", n) + "x" + strings.Repeat(")", n) }
	s.assert("(= %s x)", tower(a))
	s.assert("(= %s x)", tower(b))
	if i%3 == 2 {
		s.assert("(not (= (f x) x))")
		return either(g > 1)
	}
	s.assert("(not (= %s x))", tower(g))
	return unsat
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// placeQueens declares a column for each row's queen, so that no queen attacks another.
func placeQueens(s *script, n int) {
	for r := range n {
		s.declare(fmt.Sprintf("q%d", r), "Int")
		s.assert("(and (<= 0 q%d) (< q%d %d))", r, r, n)
		for p := range r {
			s.assert("(distinct q%d q%d)", r, p)
			s.assert("(distinct (- q%d q%d) %d)", r, p, r-p)
			s.assert("(distinct (- q%d q%d) %d)", p, r, r-p)
		}
	}
}

// queens has a solution for every board except 2 by 2 and 3 by 3.
func queens(s *script, i int) string {
	n := 1 + i
	placeQueens(s, n)
	return either(n != 2 && n != 3)
}

// cornerQueens puts the first two queens where they attack each other.
func cornerQueens(s *script, i int) string {
	placeQueens(s, 4+i)
	s.assert("(= q0 0)")
	s.assert("(= q1 1)")
	return unsat
}

// subsetSum asks for a subset with the same sum as a hidden one. Every third instance asks for one more than the sum of
// all.
func subsetSum(s *script, i int) string {
	r := random("subset", i)
	n := 5 + i
	var terms []string
	total, hidden := 0, 0
	for k := range n {
		w := 10 + r.IntN(1000*(i+1))
		s.declare(fmt.Sprintf("b%d", k), "Int")
		s.assert("(and (<= 0 b%d) (<= b%d 1))", k, k)
		terms = append(terms, fmt.Sprintf("(* %d b%d)", w, k))
		total += w
		if r.IntN(2) == 0 {
			hidden += w
		}
	}
	if i%3 == 2 {
		s.assert("(= %s %d)", sum(terms), total+1)
		return unsat
	}
	s.assert("(= %s %d)", sum(terms), hidden)
	return sat
}

// parity asks for even multiples that add up to an odd number, which is impossible, or adds one odd coefficient.
func parity(s *script, i int) string {
	n := 3 + i
	var terms []string
	for k := range n {
		s.declare(fmt.Sprintf("x%d", k), "Int")
		s.assert("(and (<= (- 1000) x%d) (<= x%d 1000))", k, k)
		coefficient := 2 * (k + 1)
		if i%2 == 1 && k == 0 {
			coefficient = 1
		}
		terms = append(terms, fmt.Sprintf("(* %d x%d)", coefficient, k))
	}
	s.assert("(= %s %d)", sum(terms), 2*n+1)
	return either(i%2 == 1)
}

// jobShop has one task of every job on each machine, in random order. The deadline is that of a schedule that does one
// job after the other (sat), or one that a single job cannot meet (unsat). Every fourth instance has a tight deadline
// (unknown).
func jobShop(s *script, i int) string {
	r := random("jobs", i)
	jobs, machines := 2+i/3, 2+i/4
	durations := make([][]int, jobs)
	longest, total := 0, 0
	for j := range jobs {
		durations[j] = make([]int, machines)
		length := 0
		for m := range machines {
			durations[j][m] = 1 + r.IntN(20)
			length += durations[j][m]
			s.declare(fmt.Sprintf("t%d_%d", j, m), "Int")
		}
		longest, total = max(longest, length), total+length
	}
	s.declare("start", "Int")
	s.declare("finish", "Int")
	for j := range jobs {
		order := r.Perm(machines)
		s.assert("(>= (- t%d_%d start) 0)", j, order[0])
		for k := 1; k < machines; k++ {
			s.assert("(>= (- t%d_%d t%d_%d) %d)", j, order[k], j, order[k-1], durations[j][order[k-1]])
		}
		last := order[machines-1]
		s.assert("(>= (- finish t%d_%d) %d)", j, last, durations[j][last])
	}
	for m := range machines {
		for j := range jobs {
			for k := range j {
				s.assert("(or (>= (- t%d_%d t%d_%d) %d) (>= (- t%d_%d t%d_%d) %d))", j, m, k, m, durations[k][m], k, m,
					j, m, durations[j][m])
			}
		}
	}
	switch i % 4 {
	case 1:
		s.assert("(<= (- finish start) %d)", longest-1)
		return unsat
	case 3:
		s.assert("(<= (- finish start) %d)", max(longest, total/machines))
		return unknown
	}
	s.assert("(<= (- finish start) %d)", total)
	return sat
}

// cycles orders variables around a cycle, strictly (unsat) or not (sat), among random edges that are consistent with
// the variables' order.
func cycles(s *script, i int) string {
	r := random("cycle", i)
	n := 5 + 10*i
	for k := range n {
		s.declare(fmt.Sprintf("x%d", k), "Int")
	}
	for range 2 * n {
		a, b := r.IntN(n), r.IntN(n)
		if a < b {
			s.assert("(or (<= (- x%d x%d) 0) (<= (- x%d x%d) %d))", a, b, b, a, r.IntN(5))
		}
	}
	for k := range n - 1 {
		s.assert("(<= (- x%d x%d) 0)", k, k+1)
	}
	if i%2 == 0 {
		s.assert("(<= (- x%d x0) (- 1))", n-1)
		return unsat
	}
	s.assert("(<= (- x%d x0) 0)", n-1)
	return sat
}

// polytopes consists of random half-spaces that all contain a hidden point.
func polytopes(s *script, i int) string {
	r := random("polytope", i)
	n := 3 + i
	point := make([]int, n)
	for k := range n {
		point[k] = r.IntN(21) - 10
		s.declare(fmt.Sprintf("x%d", k), "Real")
	}
	for range 3 * n {
		terms, value := combination(r.IntN, n, point)
		s.assert("(<= %s %s)", terms, real(value+r.IntN(4)))
	}
	return sat
}

// combination returns a random linear combination of n variables and its value at a point.
func combination(intN func(int) int, n int, point []int) (terms string, value int) {
	var all []string
	for k := range n {
		if c := intN(11) - 5; c != 0 {
			all = append(all, fmt.Sprintf("(* %s x%d)", real(c), k))
			value += c * point[k]
		}
	}
	if len(all) == 0 {
		return "0.0", 0
	}
	return sum(all), value
}

func real(n int) string {
	if n < 0 {
		return fmt.Sprintf("(- %d.0)", -n)
	}
	return fmt.Sprintf("%d.0", n)
}

// farkas adds the negation of their sum to random half-spaces.
func farkas(s *script, i int) string {
	r := random("farkas", i)
	n := 3 + i
	total, bound := make([]int, n), 0
	for k := range n {
		s.declare(fmt.Sprintf("x%d", k), "Real")
	}
	for range 2 * n {
		var terms []string
		for k := range n {
			c := r.IntN(11) - 5
			total[k] += c
			terms = append(terms, fmt.Sprintf("(* %s x%d)", real(c), k))
		}
		b := r.IntN(50)
		bound += b
		s.assert("(<= %s %s)", sum(terms), real(b))
	}
	var terms []string
	for k := range n {
		terms = append(terms, fmt.Sprintf("(* %s x%d)", real(total[k]), k))
	}
	s.assert("(> %s %s)", sum(terms), real(bound))
	return unsat
}

// tanks unrolls a tank with a level that rises by 3 or falls by 2 in each step. It must be full after n steps, which is
// impossible if it starts too low.
func tanks(s *script, i int) string {
	n := 4 + 3*i
	start := 10
	for k := range n + 1 {
		s.declare(fmt.Sprintf("l%d", k), "Real")
		s.assert("(>= l%d 0.0)", k)
		if k > 0 {
			s.declare(fmt.Sprintf("open%d", k), "Bool")
			s.assert("(= l%d (ite open%d (+ l%d 3.0) (- l%d 2.0)))", k, k, k-1, k-1)
		}
	}
	s.assert("(= l0 %s)", real(start))
	goal := start + 3*n // only if the valve is open in every step
	if i%2 == 0 {
		goal++
	}
	s.assert("(>= l%d %s)", n, real(goal))
	return either(i%2 == 1)
}

// identityTable holds identities of bit-vectors of every width.
var identityTable = []struct{ left, right string }{
	{"(bvadd x y)", "(bvadd (bvxor x y) (bvshl (bvand x y) one))"},
	{"(bvsub x y)", "(bvneg (bvsub y x))"},
	{"(bvor x y)", "(bvsub (bvadd x y) (bvand x y))"},
	{"(bvmul x (bvadd y z))", "(bvadd (bvmul x y) (bvmul x z))"},
	{"(bvnot (bvand x (bvnot y)))", "(bvor (bvnot x) y)"},
	{"(bvmul (bvadd x one) (bvsub x one))", "(bvsub (bvmul x x) one)"},
}

// identities negates an identity (unsat), or a variant with y instead of z (sat).
func identities(s *script, i int) string {
	row := identityTable[i%len(identityTable)]
	width := []int{4, 8, 12, 16, 32}[i/len(identityTable)]
	for _, v := range []string{"x", "y", "z"} {
		s.declare(v, fmt.Sprintf("(_ BitVec %d)", width))
	}
	s.add("(define-fun one () (_ BitVec %d) (_ bv1 %d))", width, width)
	right := row.right
	if i%7 == 6 {
		s.assert("(not (= %s (bvadd %s one)))", row.left, right)
		return sat
	}
	s.assert("(not (= %s %s))", row.left, right)
	return unsat
}

// primeTable grows by about one bit per entry.
var primeTable = []int{
	3, 5, 11, 17, 37, 67, 131, 257, 521, 1031, 2053, 4099, 8209, 16411, 32771, 65537, 131101, 262147, 524309, 1048583,
	2097169,
}

// factor asks for two factors of n, both above 1, without overflow.
func factor(s *script, n int) {
	width := bits.Len(uint(n))
	s.declare("p", fmt.Sprintf("(_ BitVec %d)", width))
	s.declare("q", fmt.Sprintf("(_ BitVec %d)", width))
	wide := func(v string) string { return fmt.Sprintf("((_ zero_extend %d) %s)", width, v) }
	s.assert("(= (bvmul %s %s) (_ bv%d %d))", wide("p"), wide("q"), n, 2*width)
	s.assert("(bvugt p (_ bv1 %d))", width)
	s.assert("(bvugt q (_ bv1 %d))", width)
	s.assert("(bvule p q)")
}

func semiprimes(s *script, i int) string {
	factor(s, primeTable[i]*primeTable[i+1])
	return sat
}

func primes(s *script, i int) string {
	factor(s, primeTable[i])
	return unsat
}

// mixers runs an unknown word through rounds of a mixing function, with the output of a hidden word. Every fourth
// instance asks for two words with the same output. That status is unknown to us.
func mixers(s *script, i int) string {
	r := random("mixer", i)
	rounds := 1 + i/2
	hidden := uint32(r.Uint64())
	s.declare("w0", "(_ BitVec 32)")
	h := hidden
	for k := range rounds {
		c := uint32(r.Uint64()) | 1
		s.add("(define-fun w%d () (_ BitVec 32) (let ((a (bvxor w%d (bvlshr w%d (_ bv15 32))))) (bvmul a (_ bv%d 32))))", k+1, k, k, c)
		h = (h ^ h>>15) * c
	}
	if i%4 == 3 {
		s.assert("(= (bvurem w%d (_ bv%d 32)) (_ bv%d 32))", rounds, 65521+2*i, r.IntN(60000))
		return unknown
	}
	s.assert("(= w%d (_ bv%d 32))", rounds, h)
	return sat
}

// swaps writes to n distinct places in two orders and reads one place that differs (unsat). Every third instance omits
// that the places are distinct (sat).
func swaps(s *script, i int) string {
	n := 2 + i/2
	r := random("swap", i)
	s.add("(declare-sort Index 0)")
	s.add("(declare-sort Element 0)")
	s.declare("a", "(Array Index Element)")
	for k := range n {
		s.declare(fmt.Sprintf("i%d", k), "Index")
		s.declare(fmt.Sprintf("e%d", k), "Element")
	}
	write := func(order []int) string {
		t := "a"
		for _, k := range order {
			t = fmt.Sprintf("(store %s i%d e%d)", t, k, k)
		}
		return t
	}
	distinct := i%3 != 2
	if distinct {
		for k := range n {
			for j := range k {
				s.assert("(not (= i%d i%d))", j, k)
			}
		}
	}
	backwards := make([]int, n)
	for k := range n {
		backwards[k] = n - 1 - k
	}
	s.assert("(not (= %s %s))", write(r.Perm(n)), write(backwards))
	if distinct {
		return unsat
	}
	return unknown // it depends on which write comes last in the random order
}

// copies copies an array place by place and claims that the copy differs in a copied place (unsat) or elsewhere (sat).
func copies(s *script, i int) string {
	n := 1 + 2*i
	s.add("(declare-sort Index 0)")
	s.add("(declare-sort Element 0)")
	s.declare("a", "(Array Index Element)")
	s.declare("b", "(Array Index Element)")
	s.declare("j", "Index")
	t := "b"
	var places []string
	for k := range n {
		s.declare(fmt.Sprintf("i%d", k), "Index")
		t = fmt.Sprintf("(store %s i%d (select a i%d))", t, k, k)
		places = append(places, fmt.Sprintf("(= j i%d)", k))
	}
	s.assert("(not (= (select %s j) (select a j)))", t)
	if i%3 == 1 {
		s.assert("(not %s)", or(places))
		return sat
	}
	s.assert("%s", or(places))
	return unsat
}

// cubes asks for three cubes with sum n. Numbers that are 4 or 5 modulo 9 have none. Other numbers have known solutions
// or are open.
func cubes(s *script, i int) string {
	n := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 22, 23, 30, 33, 42, 52, 74, 114}[i]
	for _, v := range []string{"x", "y", "z"} {
		s.declare(v, "Int")
	}
	s.assert("(= (+ (* x x x) (* y y y) (* z z z)) %d)", n)
	switch {
	case n%9 == 4 || n%9 == 5:
		return unsat
	case n == 114:
		return unknown // no solution is known
	}
	return sat // the solutions for 33, 42 and 74 have at least 16 digits
}

// coins claims that the Frobenius number of two coins a and b, ab-a-b, cannot be paid (sat), or that the next one
// cannot (unsat).
func coins(s *script, i int) string {
	a := 2 + i/2
	b := a + 1
	number := a*b - a - b
	status := sat
	if i%2 == 1 {
		number, status = number+1, unsat
	}
	s.assert("(forall ((x Int) (y Int)) (=> (and (>= x 0) (>= y 0)) (not (= (+ (* %d x) (* %d y)) %s))))", a, b,
		integer(number))
	return status
}
