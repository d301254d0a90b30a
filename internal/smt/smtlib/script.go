package smtlib

import (
	"strconv"
	"strings"
)

// Script is a parsed script. The package comment explains how to walk it. A Script is immutable and safe for concurrent
// use. It refers to the text that it was parsed from.
type Script struct {
	Commands []Command
	Bounds   []SExprID // for models: z3's (forall ((x U)) (or (= x v) ...)), which list a sort's values

	src          string
	symbols      Symbols
	terms        []Term
	kids         []TermID
	bindings     []Binding
	cases        []Case
	attributes   []Attribute
	sorts        []Sort
	sortLists    []SortID
	symLists     []Sym
	indexLists   []Span
	indices      []Index
	sexprs       []SExpr
	sexprKids    []SExprID
	functions    []Function
	datatypes    []Datatype
	constructors []Constructor
	selectors    []Selector
}

// Name returns the text of sym: a symbol without bars, a keyword including its colon, or a literal as written.
func (s *Script) Name(sym Sym) string { return s.symbols.Name(sym) }

// Lookup returns the Sym of a text, or 0 if the script does not contain it.
func (s *Script) Lookup(name string) Sym { return s.symbols.Lookup(name) }

// NumSyms returns the required length of an array indexed by Sym. The other Num methods work likewise.
func (s *Script) NumSyms() int { return s.symbols.Len() }

// NumTerms returns one more than the highest TermID.
func (s *Script) NumTerms() int { return len(s.terms) }

// NumSorts returns one more than the highest SortID.
func (s *Script) NumSorts() int { return len(s.sorts) }

// NumBindings returns one more than the highest BindingID.
func (s *Script) NumBindings() int { return len(s.bindings) }

// NumAttributes returns the number of attributes of all annotations.
func (s *Script) NumAttributes() int { return len(s.attributes) }

// Term returns the term id, which must be nonzero.
func (s *Script) Term(id TermID) *Term { return &s.terms[id] }

// Kids returns a term's children in text order. The caller must not modify the slice.
func (s *Script) Kids(t *Term) []TermID { return s.kids[t.Kids.First:t.Kids.End()] }

// Body returns the body of a let, quantifier or lambda, or the annotated term of an annotation.
func (s *Script) Body(t *Term) TermID {
	if t.Kind == TermAnnotated {
		return s.kids[t.Kids.First]
	}
	return s.kids[t.Kids.End()-1]
}

// Binding returns the variable id, which must be nonzero.
func (s *Script) Binding(id BindingID) *Binding { return &s.bindings[id] }

// Cases returns the cases of a match.
func (s *Script) Cases(t *Term) []Case { return part(s.cases, t, TermMatch) }

// Attributes returns the attributes of an annotation.
func (s *Script) Attributes(t *Term) []Attribute { return part(s.attributes, t, TermAnnotated) }

func part[T any](arena []T, t *Term, kind TermKind) []T {
	if t.Kind != kind {
		return nil
	}
	return arena[t.parts().First:t.parts().End()]
}

// Named returns the name that an annotation assigns to its term with :named, or 0.
func (s *Script) Named(t *Term) Sym {
	for _, a := range s.Attributes(t) {
		if a.Keyword == symNamed && a.Value != 0 {
			return s.sexprs[a.Value].Sym
		}
	}
	return 0
}

// Sort returns the sort id, which must be nonzero.
func (s *Script) Sort(id SortID) *Sort { return &s.sorts[id] }

// SortArgs returns a sort's arguments, such as Int Bool for (Array Int Bool).
func (s *Script) SortArgs(id SortID) []SortID {
	args := s.sorts[id].Args
	return s.sortLists[args.First:args.End()]
}

// SortDepth returns the nesting depth of the deepest sort: 1 for Int, 2 for (Array Int Int), and 0 if there are no
// sorts.
func (s *Script) SortDepth() int {
	depths := make([]int32, len(s.sorts))
	deepest := int32(0)
	for id := 1; id < len(s.sorts); id++ { // a sort's arguments have smaller IDs
		for _, arg := range s.SortArgs(SortID(id)) {
			depths[id] = max(depths[id], depths[arg])
		}
		depths[id]++
		deepest = max(deepest, depths[id])
	}
	return int(deepest)
}

// Indices returns an index list, or nil for 0.
func (s *Script) Indices(id IndexID) []Index {
	if id == 0 {
		return nil
	}
	sp := s.indexLists[id]
	return s.indices[sp.First:sp.End()]
}

// SExpr returns the value id, which must be nonzero.
func (s *Script) SExpr(id SExprID) *SExpr { return &s.sexprs[id] }

// SExprs returns the elements of a list, or nil for an atom.
func (s *Script) SExprs(id SExprID) []SExprID {
	l := s.SExpr(id).Kids
	return s.sexprKids[l.First:l.End()]
}

// ArgSorts returns the argument sorts of a declare-fun.
func (s *Script) ArgSorts(c *Command) []SortID {
	if c.Kind != CmdDeclareFun {
		return nil
	}
	return s.sortLists[c.Args.First:c.Args.End()]
}

// SortParams returns the parameters of a define-sort.
func (s *Script) SortParams(c *Command) []Sym {
	if c.Kind != CmdDefineSort {
		return nil
	}
	return s.symLists[c.Args.First:c.Args.End()]
}

// TermList returns the terms of a get-value or check-sat-assuming.
func (s *Script) TermList(c *Command) []TermID { return s.kids[c.List.First:c.List.End()] }

// Functions returns the functions that a command defines.
func (s *Script) Functions(c *Command) []Function {
	return s.functions[c.Functions.First:c.Functions.End()]
}

// Datatypes returns the datatypes that a command declares.
func (s *Script) Datatypes(c *Command) []Datatype {
	return s.datatypes[c.Datatypes.First:c.Datatypes.End()]
}

// DatatypeParams returns the sort parameters of a datatype.
func (s *Script) DatatypeParams(d *Datatype) []Sym { return s.symLists[d.Params.First:d.Params.End()] }

// Constructors returns the constructors of a datatype.
func (s *Script) Constructors(d *Datatype) []Constructor {
	return s.constructors[d.Constructors.First:d.Constructors.End()]
}

// Selectors returns the selectors of a constructor.
func (s *Script) Selectors(c *Constructor) []Selector {
	return s.selectors[c.Selectors.First:c.Selectors.End()]
}

// Position returns the line and column of an offset.
func (s *Script) Position(offset uint32) Position { return PositionAt(s.src, int(offset)) }

// StringValue returns the value of the string literal sym, without its quotes and with each doubled quote replaced by
// one. The escapes \u{...} of the theory of strings are left unchanged.
func (s *Script) StringValue(sym Sym) string {
	text := s.Name(sym)
	if len(text) < 2 || text[0] != '"' {
		return text
	}
	return strings.ReplaceAll(text[1:len(text)-1], `""`, `"`)
}

// Uint returns the value of a numeral. It returns false if sym is not a numeral or exceeds 64 bits.
func (s *Script) Uint(sym Sym) (uint64, bool) {
	n, err := strconv.ParseUint(s.Name(sym), 10, 64)
	return n, err == nil
}
