// Package score computes the scores of a solver competition from the records of its runs: benchmark scores, division
// and logic scores in several views, rankings, winners, and competition-wide recognitions.
//
// The rules of a year are a rule set: an HCL file (scoring.rules.hcl in the year's folder) of row expressions, numbers
// and citations. The engine here provides the primitives: filtered sums over runs, lexicographic orders, removal of
// disagreements, derived solvers, the virtual best solver. If the rules documents are unclear, a named reading picks
// one meaning. If the organisers deviated from their rules, a named practice switch (late_answers_lost, ...) follows
// them.
//
// # Exactness
//
// Times are whole picoseconds (Time), sums of times 128-bit integers (Sum), and ranks are compared exactly: no order
// depends on floating point or on the order of runs. Times with more than 12 decimal places are rounded half to even on
// reading; a double near 1000 s is no more precise than that. Floating point appears only in the logarithms of the
// competition-wide scores, where solvers within 1e-12 of each other count as tied.
//
// The package reads no files: package rules finds rule sets, subpackage scoreio reads and writes runs and results, and
// subpackage pages describes what the organisers published and how.
package score
