// Package scramble returns the bytes of the official SMT-COMP benchmark scrambler (state of 2023, in use 2024 to 2026):
// it reorders commutative arguments, bindings, declarations and assertions and renames what a benchmark declares, all
// from one seed, and writes the benchmark in the form that a track of the competition wants.
//
// [Append] is a pure function. Equal input, seed and options give equal bytes, on every machine, and equal to what the
// official program prints; docs/scrambler.md lists the few inputs where that program's behaviour is not defined and
// what happens here.
//
// # How it works
//
// There is one way through: grammar, tape, table. The grammar (command.go, term.go, ...) reads the text token by token
// (lexer.go), in one pass. The table (names.go) has each name once. Terms are turned bottom-up into the tape (tape.go),
// an array of 32-bit words: a list is its elements, the last one marked, and an element is either a name or the
// place of another list on the tape. Nothing is recursive: while the text is read, open lists stand on a stack of their
// own, and the printer (print.go) keeps its way back in the tape. The tape of a chunk of commands is printed when its
// check-sat has been read. Memory is the input, at most four bytes of tape per byte of input (usually less than one),
// about 40 bytes per distinct name, and 12 per level of nesting; arrays that grow take up to twice as much for a
// moment.
//
// The draws of random numbers happen when the parser closes a construct; the order is part of the contract.
package scramble
