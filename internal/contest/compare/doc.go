// Package compare decides whether one build of a solver is worse than another, from pairs of runs on the same
// benchmarks.
//
// It is pure: pairs in, findings out. CPU time, wall time and memory are compared by the Wilcoxon signed-rank test of
// the logarithms of ratios, for all pairs, each logic and each family; losses and gains near the time limit are
// compared by a sign test. The p-values of all these tests together are corrected by Holm's method.
package compare
