package smtlib

import "encoding/binary"

// sortFrame is a sort whose arguments are being read.
type sortFrame struct {
	sym   Sym
	index IndexID
	pos   uint32
	base  int // start of its arguments on sortStack
}

// sort reads a sort.
func (p *parser) sort() SortID {
	base := len(p.sortFrames)
	for {
		id, done := p.sortStart()
		for done {
			if len(p.sortFrames) == base {
				return id
			}
			p.sortStack = append(p.sortStack, id)
			if p.tok.Kind != RParen {
				break
			}
			p.next()
			f := p.sortFrames[len(p.sortFrames)-1]
			p.sortFrames = p.sortFrames[:len(p.sortFrames)-1]
			id = p.internSort(f.sym, f.index, p.sortStack[f.base:], f.pos)
			p.sortStack = p.sortStack[:f.base]
		}
		if p.err != nil {
			p.sortFrames = p.sortFrames[:base]
			return 0
		}
	}
}

// sortStart reads an identifier, which is a complete sort, or the opening parenthesis and head of a compound sort.
func (p *parser) sortStart() (id SortID, done bool) {
	pos := p.tok.Start
	if p.tok.Kind != LParen {
		return p.internSort(p.symbol("a sort"), 0, nil, pos), true
	}
	p.next()
	var head sortFrame
	switch {
	case p.tok.Kind == LParen:
		p.next()
		head.sym, head.index = p.indexedIdentifier()
	case p.atWord(symUnderscore):
		sym, index := p.indexedIdentifier()
		return p.internSort(sym, index, nil, pos), true
	default:
		head.sym = p.symbol("the name of a sort")
	}
	if p.tok.Kind == RParen {
		p.fail("a sort")
	}
	head.pos, head.base = pos, len(p.sortStack)
	p.sortFrames = append(p.sortFrames, head)
	return 0, false
}

// atWord reports whether the current token is the given reserved word.
func (p *parser) atWord(word Sym) bool { return p.tok.Kind == Symbol && p.text() == words[word-1] }

// indexedIdentifier reads "_ SYMBOL INDEX... )", after the opening parenthesis.
func (p *parser) indexedIdentifier() (Sym, IndexID) {
	if !p.atWord(symUnderscore) {
		p.fail(`"_" and an indexed identifier`)
		return 0, 0
	}
	p.next()
	sym := p.symbol("the symbol of an indexed identifier")
	p.key = p.key[:0]
	for {
		kind := p.tok.Kind
		switch kind {
		case Numeral, Hex:
		case Symbol, QuotedSymbol:
			if kind == Symbol && reserved(p.s.symbols.Lookup(p.text())) {
				p.fail("an index: a numeral, a symbol or a hexadecimal constant")
				return 0, 0
			}
			kind = Symbol
		default:
			if kind != RParen || len(p.key) == 0 {
				p.fail("an index: a numeral, a symbol or a hexadecimal constant")
				return 0, 0
			}
			p.next()
			return sym, p.internIndices()
		}
		p.indexKey(Index{kind, p.internToken()})
		p.next()
	}
}

// indexKey appends an index to p.key.
func (p *parser) indexKey(i Index) {
	p.key = binary.LittleEndian.AppendUint32(append(p.key, byte(i.Kind)), uint32(i.Sym))
}

// internIndices returns the ID of the index list encoded in p.key.
func (p *parser) internIndices() IndexID {
	if id, ok := p.indexLists[string(p.key)]; ok {
		return id
	}
	sp := Span{First: int32(len(p.s.indices)), Len: int32(len(p.key) / 5)}
	for k := p.key; len(k) > 0; k = k[5:] {
		p.s.indices = append(p.s.indices, Index{TokenKind(k[0]), Sym(binary.LittleEndian.Uint32(k[1:]))})
	}
	id := IndexID(len(p.s.indexLists))
	p.s.indexLists = append(p.s.indexLists, sp)
	p.indexLists[string(p.key)] = id
	return id
}

// internSort returns the SortID of an identifier applied to args.
func (p *parser) internSort(sym Sym, index IndexID, args []SortID, pos uint32) SortID {
	if p.err != nil {
		return 0
	}
	if index == 0 && len(args) == 0 {
		p.simpleSorts = growTo(p.simpleSorts, int(sym)+1)
		if id := p.simpleSorts[sym]; id != 0 {
			return id
		}
		p.simpleSorts[sym] = p.addSort(sym, 0, nil, pos)
		return p.simpleSorts[sym]
	}
	p.sortKey(sym, index, args)
	id, ok := p.otherSorts[string(p.key)]
	if !ok {
		id = p.addSort(sym, index, args, pos)
		p.otherSorts[string(p.key)] = id
	}
	return id
}

// sortKey encodes a sort in p.key.
func (p *parser) sortKey(sym Sym, index IndexID, args []SortID) {
	p.key = binary.LittleEndian.AppendUint32(p.key[:0], uint32(sym))
	p.key = binary.LittleEndian.AppendUint32(p.key, uint32(index))
	for _, a := range args {
		p.key = binary.LittleEndian.AppendUint32(p.key, uint32(a))
	}
}

func (p *parser) addSort(sym Sym, index IndexID, args []SortID, pos uint32) SortID {
	sp := Span{First: int32(len(p.s.sortLists)), Len: int32(len(args))}
	p.s.sortLists = append(p.s.sortLists, args...)
	p.s.sorts = append(p.s.sorts, Sort{Sym: sym, Index: index, Args: sp})
	return SortID(len(p.s.sorts) - 1)
}

// popSorts moves the sorts from base on from the stack to the arena.
func (p *parser) popSorts(base int) Span {
	sp := Span{First: int32(len(p.s.sortLists)), Len: int32(len(p.sortStack) - base)}
	p.s.sortLists = append(p.s.sortLists, p.sortStack[base:]...)
	p.sortStack = p.sortStack[:base]
	return sp
}

// recallInterned fills the maps with the sorts and indices of an existing script.
func (p *parser) recallInterned() {
	for id := 1; id < len(p.s.indexLists); id++ {
		p.key = p.key[:0]
		for _, ix := range p.s.Indices(IndexID(id)) {
			p.indexKey(ix)
		}
		p.indexLists[string(p.key)] = IndexID(id)
	}
	for id := 1; id < len(p.s.sorts); id++ {
		sort := p.s.sorts[id]
		args := p.s.SortArgs(SortID(id))
		if sort.Index == 0 && len(args) == 0 {
			p.simpleSorts = growTo(p.simpleSorts, int(sort.Sym)+1)
			p.simpleSorts[sort.Sym] = SortID(id)
			continue
		}
		p.sortKey(sort.Sym, sort.Index, args)
		p.otherSorts[string(p.key)] = SortID(id)
	}
}

// growTo extends a slice with zeros to at least n elements.
func growTo[T any](s []T, n int) []T {
	if n <= len(s) {
		return s
	}
	if n <= cap(s) {
		return s[:n]
	}
	grown := make([]T, n, max(n, 2*cap(s)))
	copy(grown, s)
	return grown
}
