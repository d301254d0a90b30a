// Package smtlib reads SMT-LIB scripts in versions 2.0 to 2.7, and benchmarks in version 1.2 for indexing.
//
// There are three ways to read a script, from the fastest to the most detailed:
//
//   - [Inspect] makes one pass over the tokens and returns the data for an index of a release: logic, statuses,
//     counts. It does not parse terms.
//   - [Lexer] returns the tokens, as ranges of the input.
//   - [Parse] returns a [Script]: every command, sort and term.
//
// # The script in memory
//
// A Script is a set of flat arenas. Every element is identified by a small integer (its ID), every list is a [Span] of
// an arena, and the ID zero always means "none". There are no pointers between elements, so even a hundred million
// terms cost the garbage collector nothing.
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
// Terms may be nested to any depth (tests use a million levels), so a walk must not recurse. Two properties make that
// simple.
//
// First, terms are stored in post-order: the children of a term have smaller IDs than the term, and the terms of one
// command are the contiguous range Command.Terms, which ends with the assertion itself (or the last body). The loop
//
//	for id := cmd.Terms.First; id < cmd.Terms.End(); id++ {
//		t := s.Term(smtlib.TermID(id))
//		for _, kid := range s.Kids(t) { ... } // all of them were visited before
//	}
//
// visits every term of the command bottom-up, left to right, each exactly once.
//
// Second, names are resolved: an occurrence of a bound variable has the kind [TermVar] and refers to its binding
// (Term.Ref), regardless of other uses of the name. [TermIdent] and [TermApply] refer to a declaration of a theory or
// of an earlier command. A sort checker therefore needs an array indexed by BindingID but no scopes. The value of a let
// binding (Binding.Value) has a smaller ID than every occurrence of its variable.
//
// A top-down walk, for example to evaluate under a quantifier, keeps its own stack of TermIDs. Script.Kids returns the
// children as a slice without allocating.
//
// # Strictness
//
// The parser follows the standard's grammar, with these exceptions that real benchmarks need: numerals may have leading
// zeros; command names, and BINARY and similar words, may be used as symbols; quoted symbols may contain a backslash;
// an annotation's value may be any S-expression; check-sat-assuming accepts any terms; the arity of declare-sort and
// the numeral of push and pop may be omitted; strings, quoted symbols and comments may contain non-ASCII characters.
// grammar.txt next to this file contains the exact grammar.
//
// Source: The SMT-LIB Standard, versions 2.6 and 2.7, chapter 3 and appendix B.
package smtlib
