// Package model validates models. It decides whether the definitions that a solver printed after sat satisfy every
// assertion of a benchmark.
//
// [Check] parses and sort-checks both texts and evaluates the assertions exactly. The subpackages are sorts, typing
// (the sort checker), term (its output), value, eval (the evaluator), and the theories' arithmetic: bv, fp, str, regex
// and algebraic.
//
// Source: SMT-COMP rules 2019 §5.6, 2022 and 2026 §5.5 "Validation" and §7.1.5; the organisers' proposal for models of
// partial functions, algebraic numbers and arrays (smt-comp.github.io/2026/model.html).
package model
