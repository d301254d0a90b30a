// Package score computes a solver competition's scores from its run records: benchmark scores, division and logic
// scores in several views, rankings, winners, and competition-wide recognitions.
//
// A year's scoring is a rule set: an HCL file (scoring.rules.hcl in its folder) with row expressions, numbers and
// citations. The engine here provides the primitives: filtered sums over runs, lexicographic orders, removal of
// disagreements, derived solvers, the virtual best solver. Where the rules documents are unclear, a named reading
// chooses one meaning. Where the organisers deviated from their rules, a named practice switch (late_answers_lost, ...)
// reproduces the deviation.
//
// # Exactness
//
// A Time is a whole number of picoseconds, and a Sum of times is a 128-bit integer. Ranks are compared exactly: no
// order depends on floating point or on the order of runs. Times with more than 12 decimal places are rounded half to
// even when read; a double near 1000 s is no more precise. Only the logarithms in competition-wide scores use floating
// point: there, solvers within 1e-12 of each other count as tied.
//
// The package reads no files: package rules finds rule sets, subpackage scoreio reads and writes runs and results, and
// subpackage pages describes the organisers' published results and how they were computed.
package score
