// Package scramble produces the same bytes as the official SMT-COMP benchmark scrambler (version of 2023, used 2024 to
// 2026): it reorders commutative arguments, bindings, declarations and assertions and renames the declarations of a
// benchmark, all from one seed, and writes the benchmark in the form for a track of the competition.
//
// [Append] is a pure function. Equal input, seed and options produce equal bytes, on every machine, and they equal the
// output of the official program. docs/tools/scrambler.md lists the few inputs for which that program's behaviour is
// undefined, with the behaviour of this package.
//
// # How it works
//
// There is one path: grammar, tape, table. The grammar (command.go, term.go, ...) reads the text token by token
// (lexer.go), in one pass. The table (names.go) holds each name once. Terms are turned bottom-up into the tape
// (tape.go), an array of 32-bit words: a list is its elements, the last one marked, and an element is either a name or
// the place of another list on the tape. Nothing is recursive: during reading, open lists are on a separate stack, and
// the printer (print.go) keeps its return path in the tape. The tape of a chunk of commands is printed when its
// check-sat has been read. The memory consists of the input, at most four bytes of tape per byte of input (usually less
// than one), about 40 bytes per distinct name, and 12 per level of nesting; growing arrays briefly take up to twice as
// much.
//
// Random numbers are drawn when the parser closes a construct. Their order is part of the contract.
package scramble
