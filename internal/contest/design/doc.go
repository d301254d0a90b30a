// Package design computes from finished runs how few benchmarks, and how short a wall time limit, decide the same
// winners.
//
// # What is assumed
//
// Winners are computed from all benchmarks under the limit of the runs. A draw produces another set of benchmarks of
// the same kind: as many families as there are, with replacement, as in package confidence. From each logic of this
// set, the same share is then drawn. The certainty of a share is the fraction of draws in which the shorter competition
// has the winners of the whole set. A division with fewer than confidence.LeastFamilies families keeps all its
// benchmarks.
//
// Runs that took longer than a shorter limit count as unanswered, as in a rule set's view with that limit. A solver
// that plans its time by the limit would do better.
package design
