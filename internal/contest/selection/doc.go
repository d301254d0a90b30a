// Package selection draws a competition's benchmarks, and replays the organisers' script of 2019-2023. A year's rules,
// in its pipelines' module, define how many are drawn from which benchmarks.
//
// The parts are independent of files and pipelines:
//
//   - [ReadUnfit] reads the list of benchmarks that the organisers exclude, and [FindUnfit] finds them in a library;
//   - [Cap] draws a number of benchmarks from each group, with places guaranteed to new families;
//   - [Pools] fills pools of families and slots of categories, [Heats] deals a selection into heats, and
//     [HardInstances] picks the instances of the parallel and cloud tracks;
//   - [Replay] repeats with CPython's generator the draws of the organisers' script, to the byte;
//   - [Polars], for Cap and [HardByPolars], draws like the organisers' tool since 2024, and [NumberScripts] numbers
//     scripts like it.
//
// All draws except Replay's and those with Polars use the C library's random() (package random) in the order that
// docs/write/randomness.md specifies. The order of the input never matters: every list is sorted bytewise before it is
// drawn from (with Polars, folder by folder).
package selection
