// Package rowexpr type-checks, compiles and evaluates row expressions: HCL expressions such as
//
//	h.runs > 0 && h.all_solved && h.max_cpu_s < 1
//
// that a pipeline evaluates for every row of a table. A row variable (b, h, r, s) stands for a row of a table with
// known fields, a scalar (n) for one number, string or bool per row.
//
// # Meaning
//
// An expression means what it means in HCL, where a number is a decimal number with 512 bits of precision. A number in
// a column stands for its exact binary value, a literal for its decimal value: with x = float64(0.1) the comparison x
// == 0.1 is false, as in HCL. Fields may be null. A division by zero returns an infinity, as in HCL; a result that is
// infinite is an error that names the row.
//
// A column of integers may contain integers beyond int64 (table.Frame.Wide), and Expr.Wide returns them: fixed-point
// numbers, such as times in picoseconds, are exact whatever their size.
//
// # Evaluation
//
// Compile turns the expression into closures over columns that work on batches of rows in int64, float64, bool and
// string. Every closure also marks the rows for which it cannot vouch for its result: a null operand, an integer that
// overflows int64, a rounded number too close to its comparand, a function that reports an error. Only such rows are
// evaluated again by HCL, which decides their value or their error. The fast path therefore needs to be right only for
// the rows that it vouches for, and a differential fuzz test checks that both paths agree.
//
//   - Compiled: literals and folded outer values, fields and scalars, the operators, conditionals, templates of
//     strings and whole numbers, contains() with a constant list, min, max, floor, ceil, abs, calls to functions whose
//     definition is given in Scope.Functions (inlined).
//   - Called per row, or per distinct value of their arguments: every other function.
//   - Evaluated by HCL: the subexpressions of other forms (for, splat, index, objects, try, can). Compiled is false
//     then.
package rowexpr
