// Package validate says what the output of a run means: which answer a solver gave, whether its unsat core is well
// formed, what its proof checker found, where its model begins.
//
// Answer is the decision of one track; Postprocess prints it the way the official post-processors did, as key=value
// pairs. Both read bytes and never fail on them: an output that says nothing is an output without an answer. What the
// documents of different years decide differently is a field of Rules; RulesOf has the years.
//
// A core is read by ParseCore against the names of its script, reduced to a script by ReduceCore, and judged by the
// answers of the validation solvers with Rules.Majority. Models are evaluated by the package model below this one.
// Nothing here starts a process, reads a file or looks at a clock.
package validate
