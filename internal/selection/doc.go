// Package selection draws the benchmarks that a competition uses, and replays the organisers' script of 2019-2023. How
// many are drawn, and from which, the rules of a year say, in the module of its pipelines.
//
// The parts are independent of files and pipelines:
//
//   - [ReadUnfit] and [FindUnfit] read which benchmarks the organisers leave out, and find them among others;
//   - [Cap] draws a number of benchmarks from each group, with places guaranteed to new families;
//   - [Pools] fills pools of families and slots of categories, [Heats] deals a selection into heats, and
//     [HardInstances] picks the instances of the parallel and cloud tracks;
//   - [Replay] draws with CPython's generator what the organisers' script drew, to the byte;
//   - [Polars], for Cap and [HardByPolars], and [Organisers] select as their tool has done since 2024, and
//     [NumberScripts] numbers scripts as it does;
//   - [CompetitionSeed] makes the seed from the entrants' numbers and the stock index.
//
// All draws but Replay's and those with Polars use the C library's random() (package random) in the order that
// docs/randomness.md writes down. The order of the input never matters: every list is sorted by bytes before it is
// drawn from, with Polars by the bytes of its folders.
package selection
