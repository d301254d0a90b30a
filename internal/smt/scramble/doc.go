// Package scramble reproduces the official SMT-COMP benchmark scrambler (version of 2023, used 2024 to 2026) byte for
// byte. From one seed, it reorders a benchmark's commutative arguments, bindings, declarations and assertions and
// renames its declared symbols. It writes the benchmark in the form that a track of the competition requires.
//
// [Append] is a pure function. Equal input, seed and options produce equal bytes on every machine, equal to the
// official program's output. docs/tools/scrambler.md lists the few inputs for which that program's behaviour is
// undefined, and how this package handles them.
//
// # How it works
//
// The package consists of a grammar, a tape and a table. The grammar (command.go, term.go, ...) reads the text token by
// token (lexer.go), in one pass. The table (names.go) holds each name once. Terms are written bottom-up to the tape
// (tape.go), an array of 32-bit words. A list consists of its elements, the last one marked, and an element is either a
// name or the position of another list on the tape. Nothing is recursive: the reader keeps open lists on a separate
// stack, and the printer (print.go) keeps its return path in the tape. A chunk of commands is printed from the tape
// once its check-sat has been read. The package needs memory for the input, at most four bytes of tape per input byte
// (usually less than one), about 40 bytes per distinct name, and 12 bytes per nesting level. Growing arrays briefly
// take up to twice as much.
//
// Random numbers are drawn when the parser closes a construct. Their order is part of the contract.
package scramble
