// Package scramble gives the bytes of the official SMT-COMP benchmark scrambler (state of 2023, in use 2024 to 2026): it
// reorders commutative arguments, bindings, declarations and assertions and renames what a benchmark declares, all from
// one seed, and writes the benchmark in the form that a track of the competition wants.
//
// [Append] is a pure function. Equal input, seed and options give equal bytes, on every machine, and equal to what the
// official program prints; docs/scrambler.md lists the few inputs where that program's behaviour is not defined and what
// happens here.
//
// # How it works
//
// One pass reads the text. Terms are turned bottom-up into a tape, an array of 32-bit words: a list is its
// elements, the last of which is marked, and an element is either a symbol (an index into the table of names) or the place
// of another list on the tape. Nothing is recursive: while the text is read, open lists stand on a stack of their own, and
// the printer keeps its way back in the tape. The tape of a chunk of commands is printed when its check-sat has been read. So
// memory is the input, at most four bytes of tape per byte of input (usually less than two), 55 to 90 bytes per distinct
// name, and 12 per level of nesting.
//
// The grammar is read token by token (command.go, term.go, ...), and most of every text by one loop over its bytes that has the
// same effect (plainrun.go). That loop and the one that prints (print.go) take nearly all of the time; they have no checks of bounds
// (unchecked.go) and say why they need none.
//
// The draws of random numbers happen when the parser closes a construct; the order is part of the contract.
package scramble
