// Package compare decides whether one build of a solver is worse than another, from pairs of runs on the same
// benchmarks.
//
// It is pure: it takes pairs and returns findings. CPU time, wall time and memory are compared by the Wilcoxon
// signed-rank test of the logarithms of ratios, over all pairs, each logic and each family; losses and gains near the
// time limit are compared by a sign test. Holm's method corrects the p-values of all these tests together.
package compare
