// Package design computes, from finished runs, the fewest benchmarks and the shortest wall time limit that keep the
// same winners.
//
// # Assumptions
//
// Winners are computed from all benchmarks under the runs' limit. A draw produces another set of benchmarks of the same
// kind: as many families as the division has, with replacement, as in package confidence. From each logic of this set,
// the same share is then drawn. The certainty of a share is the fraction of draws in which the shorter competition has
// the same winners as the whole set. A division with fewer than confidence.LeastFamilies families keeps all its
// benchmarks.
//
// Runs that exceed a shorter limit count as unanswered, as in a rule set's view with that limit. A solver that adapts
// to the limit would do better.
package design
