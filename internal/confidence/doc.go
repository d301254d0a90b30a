// Package confidence says how sure a ranking is, from the benchmark scores that it is the sum of (score.Points): how
// few benchmarks or answers decide it (margin.go), and what would come out if other benchmarks of the same kind had
// been drawn (resample.go).
//
// # What is assumed
//
// The bootstrap (Efron and Tibshirani, An Introduction to the Bootstrap, 1993) asks how far a ranking would vary if the
// benchmarks were another sample of the population that they stand for. Benchmarks of one family resemble each other
// and are often solved or not solved together. So families are drawn as blocks (the cluster bootstrap; Davison and
// Hinkley, Bootstrap Methods and their Application, 1997, §3.8). With fewer than LeastFamilies families nothing is
// said.
//
// It takes the families for a random sample of those that the field has, and the runs as they were measured. It does
// not say how times vary from measurement to measurement (Beyer, Löwe, Wendler: Reliable benchmarking, STTT 21, 2019,
// on what that takes), nor whether the library is what users have. What is removed because solvers disagree, whether a
// division is competitive and who may win stay as they are in the ranking.
package confidence
