// Package validate interprets a run's output: the solver's answer, whether its unsat core is well formed, the result of
// its proof checker, and where its model begins.
//
// Answer interprets the output in one track. Postprocess prints the interpretation like the official post-processors,
// as key=value pairs. Neither fails on any input: an output that makes no sense contains no answer. Differences between
// the rules of different years are fields of Rules.
//
// ParseCore parses a core, ReduceCore reduces a script to a core, and Rules.Majority judges the core by the answers of
// the validation solvers. The subpackage model evaluates models. Nothing here starts a process, reads a file or uses a
// clock.
package validate
