// Package confidence computes how certain a ranking is from its benchmark scores (score.Points): how few benchmarks or
// answers decide it (margin.go), and how it would vary with other benchmarks of the same kind (resample.go).
//
// # Assumptions
//
// The bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993) estimates how much a ranking would vary
// if the benchmarks were another sample of the population that they represent. Benchmarks of one family resemble each
// other and are often solved or not solved together. Families are therefore drawn as blocks (the cluster bootstrap;
// Davison and Hinkley, Bootstrap Methods and their Application, 1997, §3.8). With fewer than LeastFamilies families,
// there is no result.
//
// It assumes that the families are a random sample, and takes the measured runs as given. It does not cover the
// variation of times between measurements (for that, see Beyer, Löwe, Wendler: Reliable benchmarking, STTT 21, 2019),
// nor whether the library resembles users' problems. The benchmarks removed for disagreements, the competitive
// divisions and the eligible solvers are taken from the ranking.
package confidence
