package smtlib

// IDs of elements in a [Script]'s arenas. Zero means none.
type (
	TermID    int32 // an occurrence of a term
	SortID    int32 // an interned sort
	IndexID   int32 // an interned list of indices
	BindingID int32 // a bound variable
	SExprID   int32 // the value of an attribute or option
)

// Span is the range from First to First+Len-1 of an arena.
type Span struct{ First, Len int32 }

// End returns the index after the last element.
func (s Span) End() int32 { return s.First + s.Len }

// TermKind is the form of a term.
type TermKind uint8

// The forms of terms, and what Term.Sym contains for each.
const (
	TermNone    TermKind = iota
	TermNumeral          // 42; Sym is the text
	TermDecimal          // 1.5
	TermHex              // #x1F
	TermBinary           // #b01
	TermString           // "a"; Sym is the text including its quotes, see Script.StringValue
	// TermIdent is a theory or declared constant: x, (_ bv5 32), (as nil (List Int)); Sym is the symbol.
	TermIdent
	TermVar // an occurrence of a bound variable; Sym is its name, Ref its binding
	// TermApply is (f t...), ((_ extract 7 0) t...), ((as f S) t...); Sym is the head's symbol, Kids are the arguments.
	TermApply
	TermApplyVar  // (x t...) where x is a bound variable (version 2.7); Ref is its binding
	TermLet       // (let ((x t)...) body); Kids are the values, then the body
	TermForall    // (forall ((x S)...) body); Kids is the body
	TermExists    // like TermForall
	TermLambda    // like TermForall (version 2.7)
	TermMatch     // (match t ((p t)...)); Kids are t, then the terms of the cases
	TermAnnotated // (! t attribute...); Kids are t, then the terms inside the attributes
	TermMapApply  // (_ t t...); Kids are a map and its arguments (version 2.7)
)

// Term is one occurrence of a term. Its children are Script.Kids(t).
type Term struct {
	Kind TermKind
	Sym  Sym    // depends on Kind; zero for let, quantifiers, match and annotations
	Kids Span   // range of the kid arena
	Pos  uint32 // offset of the first character

	a, b int32 // depending on Kind: index and sort, binding and sort, or the span of bindings, cases or attributes
}

// Index returns the indices of a TermIdent or TermApply, or 0 if it has none.
func (t Term) Index() IndexID {
	if t.Kind == TermIdent || t.Kind == TermApply {
		return IndexID(t.a)
	}
	return 0
}

// Ref returns the binding that a TermVar or TermApplyVar refers to, or 0 for other kinds.
func (t Term) Ref() BindingID {
	if t.Kind == TermVar || t.Kind == TermApplyVar {
		return BindingID(t.a)
	}
	return 0
}

// As returns the sort of an identifier qualified with (as f SORT), or 0 for other identifiers.
func (t Term) As() SortID {
	switch t.Kind {
	case TermIdent, TermVar, TermApply, TermApplyVar:
		return SortID(t.b)
	}
	return 0
}

// Bindings returns the range of BindingIDs that a let, quantifier or lambda binds, in text order.
func (t Term) Bindings() Span {
	switch t.Kind {
	case TermLet, TermForall, TermExists, TermLambda:
		return Span{t.a, t.b}
	}
	return Span{}
}

// parts returns the span of cases or attributes.
func (t Term) parts() Span { return Span{t.a, t.b} }

// Binding is a variable that a term or a function definition binds.
type Binding struct {
	Sym   Sym
	Sort  SortID // set for quantifiers, lambda and parameters; 0 for let and match
	Value TermID // set for let; 0 otherwise
	Pos   uint32 // offset of the variable's name
}

// Case is one case of a match. The term of case i is kid i+1 of the match.
type Case struct {
	Constructor Sym  // 0 if the pattern is a single variable
	Vars        Span // range of BindingIDs: the constructor's arguments, or the single variable
	Pos         uint32
}

// Attribute is an attribute of an annotation.
type Attribute struct {
	Keyword Sym
	Value   SExprID // 0 if there is no value, or if Terms is set
	Terms   Span    // range of the kid arena: the terms of :pattern and :no-pattern
}

// Sort is an identifier, possibly applied to sorts. Sorts with equal spelling have the same SortID.
type Sort struct {
	Sym   Sym
	Index IndexID
	Args  Span // see Script.SortArgs
}

// Index is one index of an identifier: a numeral, a symbol or a hexadecimal constant.
type Index struct {
	Kind TokenKind // Numeral, Symbol or Hex
	Sym  Sym
}

// SExpr is the uninterpreted value of an attribute or option.
type SExpr struct {
	Kind TokenKind // kind of an atom, or LParen for a list
	Sym  Sym       // text of an atom
	Kids Span      // elements of a list
	Pos  uint32
}

// CommandKind is the kind of a command.
type CommandKind uint8

// The commands of versions 2.0 to 2.7. For each, the comment lists the Command fields that it uses in addition to Pos
// and Stop.
const (
	CmdNone                 CommandKind = iota
	CmdAssert                           // Term
	CmdCheckSat                         //
	CmdCheckSatAssuming                 // List (terms)
	CmdDeclareConst                     // Sym, Sort
	CmdDeclareDatatype                  // Datatypes, of length 1
	CmdDeclareDatatypes                 // Datatypes
	CmdDeclareFun                       // Sym, Args, Sort
	CmdDeclareSort                      // Sym, N
	CmdDeclareSortParameter             // Sym
	CmdDefineConst                      // Functions, of length 1
	CmdDefineFun                        // Functions, of length 1
	CmdDefineFunRec                     // Functions, of length 1
	CmdDefineFunsRec                    // Functions
	CmdDefineSort                       // Sym, Args (Syms of the parameters), Sort
	CmdEcho                             // Sym (the string including its quotes)
	CmdExit                             //
	CmdGetAssertions                    //
	CmdGetAssignment                    //
	CmdGetInfo                          // Sym (keyword)
	CmdGetModel                         //
	CmdGetOption                        // Sym (keyword)
	CmdGetProof                         //
	CmdGetUnsatAssumptions              //
	CmdGetUnsatCore                     //
	CmdGetValue                         // List (terms)
	CmdPop                              // N
	CmdPush                             // N
	CmdReset                            //
	CmdResetAssertions                  //
	CmdSetInfo                          // Sym (keyword), Value
	CmdSetLogic                         // Sym
	CmdSetOption                        // Sym (keyword), Value
	CmdRefineFun                        // Functions, of length 1; allowed only in models
)

// Command is one command of a script. The comment on its kind lists the fields that it uses.
type Command struct {
	Kind      CommandKind
	Pos, Stop uint32 // offset of the opening parenthesis, and offset after the closing one
	Sym       Sym
	Sort      SortID
	Term      TermID
	Value     SExprID
	N         uint32
	Args      Span // see Script.ArgSorts, Script.SortParams
	List      Span // see Script.TermList
	Functions Span // see Script.Functions
	Datatypes Span // see Script.Datatypes
	Terms     Span // all TermIDs of the command, in post-order
}

// Function is a function defined by define-fun, define-fun-rec, define-funs-rec, define-const or refine-fun.
type Function struct {
	Sym    Sym
	Params Span // range of BindingIDs
	Sort   SortID
	Body   TermID
	Pos    uint32 // offset of the function's name
}

// Datatype is one of the sorts that declare-datatype or declare-datatypes declares.
type Datatype struct {
	Sym          Sym
	Arity        uint32
	Params       Span // Syms of the par parameters, see Script.DatatypeParams; their number is Arity
	Constructors Span // see Script.Constructors
	Pos          uint32
}

// Constructor is one constructor of a datatype.
type Constructor struct {
	Sym       Sym
	Selectors Span // see Script.Selectors
	Pos       uint32
}

// Selector is one field of a constructor.
type Selector struct {
	Sym  Sym
	Sort SortID
	Pos  uint32
}
