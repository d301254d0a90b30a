// Package smtlib reads SMT-LIB scripts: versions 2.0 to 2.7, and the benchmarks of version 1.2 for indexing.
//
// There are three ways into a script, from the fastest to the most detailed:
//
//   - [Inspect] makes one pass over the tokens and returns the data for an index of a release: logic, statuses,
//     counts. It does not parse terms.
//   - [Lexer] returns the tokens, as ranges of the input.
//   - [Parse] returns a [Script]: every command, sort and term.
//
// # The script in memory
//
// A Script is a set of flat arenas. Everything is named by a small integer (an ID), lists are a [Span] of an arena, and
// the zero ID always means "none". Nothing points to anything, so a script of a hundred million terms costs the garbage
// collector nothing.
//
//   - A [Sym] is an interned text: a symbol without its bars (|a| and a are one symbol, according to the standard), a
//     keyword with its colon, or a literal exactly as written. Two Syms are equal iff the texts are.
//   - An [IndexID] is an interned list of indices, such as 7 0 in (_ extract 7 0). An identifier is therefore a pair
//     (Sym, IndexID), and two identifiers are equal iff the pairs are.
//   - A [SortID] is an interned sort: equal IDs mean equal spelling. Definitions are not expanded.
//   - A [TermID] is one occurrence of a term. Terms are not shared.
//   - A [BindingID] is a variable bound by let, a quantifier, lambda, a match case or the parameters of a function.
//
// # Walking terms without recursion
//
// Terms may be nested to any depth (a million levels occur in tests), so a walk must not recurse. Two facts make that
// simple.
//
// First, terms are stored in post-order: the children of a term have smaller IDs than the term, and the terms of one
// command are the contiguous range Command.Terms, with the assertion itself (or the last body) at its end. So
//
//	for id := cmd.Terms.First; id < cmd.Terms.End(); id++ {
//		t := s.Term(smtlib.TermID(id))
//		for _, kid := range s.Kids(t) { ... } // all of them were visited before
//	}
//
// visits every term of the command bottom-up, left to right, each exactly once.
//
// Second, names are resolved: an occurrence of a bound variable has the kind [TermVar] and names its binding
// (Term.Ref), regardless of other uses of the name, while [TermIdent] and [TermApply] refer to a declaration of the
// theory or an earlier command. A sort checker can therefore keep one array indexed by BindingID and no scopes at all.
// The value of a let binding (Binding.Value) has a smaller ID than every occurrence of its variable.
//
// A walk that has to go top-down, such as to evaluate under a quantifier, keeps its own stack of TermIDs. Script.Kids
// returns the children as a slice without allocation.
//
// # Strictness
//
// The parser follows the grammar of the standard, with these allowances, which real benchmarks need: numerals may have
// leading zeros; the names of commands, and BINARY and similar words, may be used as symbols; quoted symbols may
// contain a backslash; an annotation may have any S-expression as its value; check-sat-assuming takes any terms; the
// arity of declare-sort and the numeral of push and pop may be left out; non-ASCII characters may occur in strings,
// quoted symbols and comments. grammar.txt next to this file is the exact grammar.
//
// Source: The SMT-LIB Standard, versions 2.6 and 2.7, chapter 3 and appendix B.
package smtlib
