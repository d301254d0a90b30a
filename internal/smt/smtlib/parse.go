package smtlib

import (
	"errors"
	"math"
)

// ErrTooLarge reports that a text has more bytes or terms than offsets or IDs can number.
var ErrTooLarge = errors.New("the text is too large: Parse reads less than 2 GiB, Inspect less than 4 GiB")

// Parse parses a whole script. It stops at the first error, which is a *SyntaxError or ErrTooLarge.
//
// The Script refers to src, which must not be changed while the Script is in use. Time and memory are linear in the
// length of src, regardless of nesting.
func Parse(src []byte) (*Script, error) {
	s := &Script{symbols: baseSymbols().clone()}
	s.reserveZeros(src)
	p, err := newParser(s, src)
	if err != nil {
		return nil, err
	}
	last := uint32(0) // start of the last command
	for p.tok.Kind != EOF {
		last = p.tok.Start
		p.command()
	}
	if p.err != nil && p.err.Position.Offset == len(src) { // the end of the text is not informative
		p.err.Inside = "the command of " + PositionAt(s.src, int(last)).String()
	}
	return p.finish()
}

// ParseModel parses a solver's answer to get-model: definitions inside one pair of parentheses, with or without the
// leading word model of older solvers, or definitions without the parentheses. It skips elements that are not commands
// but begin with forall (universe axioms of z3). refine-fun is a command of the model-validation track (2026).
//
// The Syms, IndexIDs and SortIDs of s have the same meaning in the result, which may contain additional ones. All other
// IDs are specific to the result.
func (s *Script) ParseModel(src []byte) (*Script, error) {
	m := &Script{symbols: s.symbols.clone()}
	m.sorts = append(m.sorts, s.sorts...)
	m.sortLists = append(m.sortLists, s.sortLists...)
	m.indexLists = append(m.indexLists, s.indexLists...)
	m.indices = append(m.indices, s.indices...)
	m.reserveZeros(src)
	p, err := newParser(m, src)
	if err != nil {
		return nil, err
	}
	p.recallInterned()
	p.inModel = true
	p.model()
	return p.finish()
}

// reserveZeros reserves the ID 0 of each arena to mean none, and allocates memory for the usual number of terms in a
// text of this size. It counts the words of a large text, because growing an arena temporarily doubles its memory.
func (s *Script) reserveZeros(src []byte) {
	const bytesPerTerm, large = 7, 16 << 20
	n := len(src) / bytesPerTerm
	if len(src) >= large {
		n = Measure(src).Words
	}
	s.terms = make([]Term, 1, 8+n)
	s.kids = make([]TermID, 0, 8+n)
	s.bindings = make([]Binding, 1)
	s.sexprs = make([]SExpr, 1)
	if len(s.sorts) == 0 {
		s.sorts = make([]Sort, 1)
		s.indexLists = make([]Span, 1)
	}
}

// parser holds the state of a parse. After the first error, the current token is always EOF, so that every loop ends
// and callers need to check err only at the end.
type parser struct {
	s   *Script
	lex Lexer
	tok Token
	err *SyntaxError

	inModel bool // accept commands that occur only in models

	frames   []frame   // open terms
	operands []TermID  // finished children of the open terms
	pending  []Binding // bindings of open lets
	cases    []Case    // cases of open matches
	attrs    []Attribute
	scope    []BindingID // innermost binding of each name, indexed by Sym
	shadowed []BindingID // previous scope entry for each binding in scope
	ctors    map[Sym]bool

	simpleSorts []SortID // indexed by Sym
	otherSorts  map[string]SortID
	indexLists  map[string]IndexID
	sortFrames  []sortFrame
	sortStack   []SortID
	sexprFrames []sexprFrame
	sexprStack  []SExprID
	key         []byte // scratch buffer for map keys
}

func newParser(s *Script, src []byte) (*parser, error) {
	if len(src) >= math.MaxInt32 {
		return nil, ErrTooLarge
	}
	s.src = string(src)
	p := &parser{
		s:          s,
		lex:        Lexer{src: s.src},
		ctors:      map[Sym]bool{},
		otherSorts: map[string]SortID{},
		indexLists: map[string]IndexID{},
	}
	p.next()
	return p, nil
}

func (p *parser) finish() (*Script, error) {
	if p.err != nil {
		return nil, p.err
	}
	return p.s, nil
}

func (p *parser) next() { p.tok = p.lex.Next() }

// fail records the first error, at the current token, and what was expected there.
func (p *parser) fail(expected string) {
	if p.err == nil {
		p.err = syntaxError(p.s.src, p.tok, expected)
	}
	p.lex.pos = len(p.s.src)
	p.next()
}

// expect reads one token of the given kind.
func (p *parser) expect(kind TokenKind, expected string) {
	if p.tok.Kind != kind {
		p.fail(expected)
		return
	}
	p.next()
}

func (p *parser) open(expected string) { p.expect(LParen, expected) }

func (p *parser) close(expected string) { p.expect(RParen, expected) }

// text returns the current token's text.
func (p *parser) text() string { return p.s.src[p.tok.Start:p.tok.End] }

// internToken returns the Sym of the current token, without the bars of a quoted symbol.
func (p *parser) internToken() Sym {
	text := p.text()
	if p.tok.Kind == QuotedSymbol {
		text = text[1 : len(text)-1]
	}
	return p.s.symbols.Intern(text)
}

// symbol reads a symbol that is not a reserved word.
func (p *parser) symbol(expected string) Sym {
	if p.tok.Kind != Symbol && p.tok.Kind != QuotedSymbol {
		p.fail(expected)
		return 0
	}
	sym := p.internToken()
	if p.tok.Kind == Symbol && reserved(sym) {
		p.fail(expected)
		return 0
	}
	p.next()
	return sym
}

// keyword reads a keyword.
func (p *parser) keyword() Sym { return p.token(Keyword, "a keyword, as :status") }

// token reads a token of the given kind and returns its text.
func (p *parser) token(kind TokenKind, expected string) Sym {
	if p.tok.Kind != kind {
		p.fail(expected)
		return 0
	}
	sym := p.internToken()
	p.next()
	return sym
}

// numeral reads a numeral below 2^31.
func (p *parser) numeral() uint32 {
	if p.tok.Kind != Numeral {
		p.fail("a numeral")
		return 0
	}
	n := uint64(0)
	for _, c := range []byte(p.text()) {
		n = n*10 + uint64(c-'0')
		if n > math.MaxInt32 {
			p.fail("a numeral below 2^31")
			return 0
		}
	}
	p.next()
	return uint32(n)
}

// model reads the answer that ParseModel describes, up to the end of the text.
func (p *parser) model() {
	ahead := p.lex
	first := ahead.Next()
	wrapped := p.tok.Kind == LParen && (first.Kind == LParen || first.Kind == RParen ||
		first.Kind == Symbol && ahead.Text(first) == "model")
	if !wrapped {
		for p.tok.Kind != EOF {
			p.command()
		}
		return
	}
	p.next()
	if p.tok.Kind == Symbol {
		p.next()
	}
	for p.tok.Kind == LParen {
		p.modelElement()
	}
	p.close("a definition or the closing parenthesis of the model")
	if p.tok.Kind != EOF {
		p.fail("nothing after the model")
	}
}

func (p *parser) modelElement() {
	ahead := p.lex
	if head := ahead.Next(); head.Kind == Symbol && ahead.Text(head) == "forall" {
		p.s.Bounds = append(p.s.Bounds, p.sexpr())
		return
	}
	p.command()
}
