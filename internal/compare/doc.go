// Package compare says whether one build of a solver is worse than another, from pairs of runs on the same benchmarks.
//
// It is pure: pairs in, findings out. Times are compared by the Wilcoxon signed-rank test of the logarithms of ratios
// of CPU time, for all pairs, each logic and each family, and the p-values of all groups are corrected by Holm's
// method.
package compare
