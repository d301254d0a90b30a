// Package random holds the pseudo-random generators of the competition, bit for bit like the programs that define them:
//
//   - [Glibc], the C library's srandom and random, which the rules of every year name for the selection of
//     benchmarks, for heats and for scrambling (SMT-COMP 2008 rules §4; 2015, 2019, 2022 and 2026 rules §6,
//     "Pseudo-random numbers");
//   - [MT], CPython's random.Random, which the organisers' selection script of 2019-2023 used instead.
//
// The subpackage polars contains the generator of their tool since 2024.
//
// Glibc and MT are seeded explicitly and advance only when called, so a program's draws depend only on its seed and on
// the order of the draws in its source (docs/write/randomness.md). Neither is safe for concurrent use; each goroutine
// needs its own.
package random
