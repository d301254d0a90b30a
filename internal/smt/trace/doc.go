// Package trace speaks the online protocol of the incremental track: it sends a solver one command at a time, the next
// one only after the answer to the last, and compares the answers of check-sat with the expected ones.
//
// Parse reads a benchmark with its expected answers, as the scrambler writes it for this track; Execute conducts the
// dialogue over two streams and a clock, which may belong to a process, to a sandbox or to a test. The Result says what
// was answered and when, so that answers can be counted up to any limit afterwards.
//
// Execute follows the official trace executor. Its oddities that could hurt a faultless solver are kept only with
// Options.Literal, which the command "smtpipe tool trace" sets.
//
// Source: SMT-COMP rules 2015, §5.3; 2019, 2022 and 2026, §5.3; the official trace executor (version of 2024).
package trace
