// Package validate determines the meaning of a run's output: which answer a solver gave, whether its unsat core is well
// formed, what its proof checker found, where its model begins.
//
// Answer makes the decision for one track. Postprocess prints it like the official post-processors, as key=value pairs.
// Both read bytes and never fail on them: an output without a meaning is an output without an answer. Differences
// between the documents of different years are fields of Rules; RulesOf has the years.
//
// A core is read by ParseCore against the names of its script, reduced to a script by ReduceCore, and judged by the
// answers of the validation solvers with Rules.Majority. Models are evaluated by the package model below this one.
// Nothing here starts a process, reads a file or uses a clock.
package validate
