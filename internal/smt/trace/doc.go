// Package trace implements the online protocol of the incremental track. It sends commands to a solver, each after the
// response to the previous one, and compares the answers to check-sat with the expected answers.
//
// Parse reads a benchmark with its expected answers, as the scrambler writes it for this track; Execute conducts the
// dialogue over two streams and a clock, which may belong to a process, a sandbox or a test. The Result records each
// answer with its time, so answers can later be counted up to any limit.
//
// Execute follows the official trace executor. Its quirks that could harm a correct solver are reproduced only with
// Options.Literal, which the command "smtpipe tool trace" sets.
//
// Source: SMT-COMP rules 2015, §5.3; 2019, 2022 and 2026, §5.3; the official trace executor (version of 2024).
package trace
