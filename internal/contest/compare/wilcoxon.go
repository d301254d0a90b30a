package compare

import (
	"cmp"
	"math"
	"slices"
)

// exactUpTo is the largest number of differences for which p-values come from the exact distribution.
const exactUpTo = 50

// signedRank returns the two-sided p-value of the Wilcoxon signed-rank test of differences, ignoring zeros, and the
// matched-pairs rank-biserial correlation: 1 if all differences are positive, -1 if all are negative. Ties share their
// mean rank. The exact distribution ranges over all signs of these ranks. For more than exactUpTo differences, it is
// approximated by a normal distribution with the same variance.
func signedRank(differences []float64) (p, effect float64) {
	d := slices.DeleteFunc(slices.Clone(differences), func(x float64) bool { return x == 0 })
	if len(d) == 0 {
		return 1, 0
	}
	slices.SortFunc(d, func(x, y float64) int { return cmp.Compare(math.Abs(x), math.Abs(y)) })
	doubled := make([]int, len(d)) // twice the ranks, to keep them integers
	plus, total := 0, 0
	var squares float64
	for i := 0; i < len(d); {
		j := i + 1
		for j < len(d) && math.Abs(d[j]) == math.Abs(d[i]) {
			j++
		}
		for k := i; k < j; k++ {
			doubled[k] = i + j + 1
			total += doubled[k]
			squares += float64(doubled[k]) * float64(doubled[k])
			if d[k] > 0 {
				plus += doubled[k]
			}
		}
		i = j
	}
	effect = float64(2*plus-total) / float64(total)
	if len(d) > exactUpTo {
		z := math.Abs(float64(2*plus-total)) / math.Sqrt(squares)
		return math.Erfc(z / math.Sqrt2), effect
	}
	return exact(doubled, total, min(plus, total-plus)), effect
}

// exact returns the probability that the ranks with one sign add up to at most least, or to at least total - least.
func exact(ranks []int, total, least int) float64 {
	ways := make([]float64, total+1)
	ways[0] = 1
	for _, r := range ranks {
		for s := total; s >= r; s-- {
			ways[s] += ways[s-r]
		}
	}
	var low float64
	for _, w := range ways[:least+1] {
		low += w
	}
	return min(1, 2*low/math.Pow(2, float64(len(ranks))))
}

// holm corrects p-values by Holm's method.
func holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	out := make([]float64, len(p))
	var last float64
	for i, k := range order {
		last = max(last, min(1, float64(len(p)-i)*p[k]))
		out[k] = last
	}
	return out
}

func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// sign returns the two-sided p-value of the sign test: the probability, if both signs are equally likely, of a split at
// least this uneven.
func sign(x, y int) float64 {
	n := x + y
	low, term, exponent := 0.0, 1.0, -n // times 2^exponent, since 2^-n is 0 for a large n
	for k := range min(x, y) + 1 {
		low += term
		term *= float64(n-k) / float64(k+1)
		if term > 1<<500 {
			low, term, exponent = math.Ldexp(low, -500), math.Ldexp(term, -500), exponent+500
		}
	}
	return min(1, 2*math.Ldexp(low, exponent))
}
