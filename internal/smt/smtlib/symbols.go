package smtlib

import (
	"hash/maphash"
	"slices"
)

// Sym is the number of an interned text. The zero Sym is not a text.
type Sym int32

// Symbols interns texts. Syms are numbered from 1 in order of first use. The given strings are kept, so they may be
// slices of one large text.
type Symbols struct {
	names  []string // indexed by Sym; names[0] is empty
	hashes []uint32 // indexed by Sym
	slots  []Sym    // open addressing; the length is a power of two
	seed   maphash.Seed
}

// symbolSlots is the initial number of slots.
const symbolSlots = 1 << 9

func newSymbols() *Symbols {
	return &Symbols{names: []string{""}, hashes: []uint32{0}, slots: make([]Sym, symbolSlots), seed: maphash.MakeSeed()}
}

// Intern returns the Sym of name, adding it if it is new.
func (t *Symbols) Intern(name string) Sym {
	h := uint32(maphash.String(t.seed, name))
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sym := t.slots[i]
		if sym == 0 {
			return t.add(name, h, i)
		}
		if t.hashes[sym] == h && t.names[sym] == name {
			return sym
		}
	}
}

// Lookup returns the Sym of name, or 0 if it was never interned.
func (t *Symbols) Lookup(name string) Sym {
	h := uint32(maphash.String(t.seed, name))
	mask := uint32(len(t.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		sym := t.slots[i]
		if sym == 0 || t.hashes[sym] == h && t.names[sym] == name {
			return sym
		}
	}
}

// Name returns the text of sym, or "" for the zero Sym.
func (t *Symbols) Name(sym Sym) string { return t.names[sym] }

// Len returns the highest Sym plus one, the required length of an array indexed by Sym.
func (t *Symbols) Len() int { return len(t.names) }

// clone returns an independent copy in which every Sym has the same meaning.
func (t *Symbols) clone() Symbols {
	c := *t
	c.names, c.hashes, c.slots = slices.Clone(t.names), slices.Clone(t.hashes), slices.Clone(t.slots)
	return c
}

func (t *Symbols) add(name string, h, slot uint32) Sym {
	sym := Sym(len(t.names))
	t.names = append(t.names, name)
	t.hashes = append(t.hashes, h)
	t.slots[slot] = sym
	if len(t.names)*2 > len(t.slots) {
		t.grow()
	}
	return sym
}

func (t *Symbols) grow() {
	slots := make([]Sym, 2*len(t.slots))
	mask := uint32(len(slots) - 1)
	for sym := Sym(1); int(sym) < len(t.names); sym++ {
		i := t.hashes[sym] & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = sym
	}
	t.slots = slots
}
