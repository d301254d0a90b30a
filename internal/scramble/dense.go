package scramble

import (
	"bytes"
	"math/bits"
	"slices"
	"unsafe"
)

// A dense table takes the place of the usual one where a huge input has so many names that 24 bytes for each slot would be
// several times the input: it has four bytes for each, and eight more for each name. A look-up goes to the text, so the usual
// slots become a cache in front of it.
type dense struct {
	starts []uint32 // by sym: where the name begins in the input
	states []uint32 // by sym: one of the states below, with a number or a name
	table  []uint32 // open addressing in the order of the hashes: a name and above it bits of its hash, or 0; nil if it was dropped
	size   int      // of table
	used   int      // names that are, or belong, in table
	quotes bool     // there is a quoted symbol whose other spelling has no entry

	nameBits uint8
	entry    uint32 // the hash's bits of the name that was looked for last and not found,
	place    int    // the place in table where it belongs,
	slot     int    // and that in the cache, or -1

	memory memories // of table
}

// States of names: as outputs, but without texts.
const (
	densePlain  = 1 << 29
	denseNumber = 2 << 29
	denseImage  = 3 << 29
	denseAlias  = 4 << 29
	denseState  = 7 << 29
)

// cacheSlots is the size of the usual table when it is a cache.
const cacheSlots = 1 << 14

// tooLarge tells whether a table of so many slots is too large for the input. Below that, half of it can be empty and yet all
// that belongs to the names is within what is promised.
func (t *names) tooLarge(slots int) bool {
	return t.memory != nil && slots*sizeOf[slot]() > len(t.src)/4*7 && uint64(len(t.src)) < 1<<32
}

// becomeDense changes to a dense table. at is how far the input was read.
func (t *names) becomeDense(at int) {
	t.slots = nil
	t.slotMemory.release()
	d := &dense{used: t.used, slot: -1, nameBits: uint8(bits.Len(uint(manyShort + len(t.src)/4)))}
	d.starts = halve(t.memory, t.places, func(p uint64) uint32 { return uint32(p >> placeBits) })
	d.states = halve(t.memory, t.outputs, denseOutput)
	t.dense = d
	drop(t.memory, t.texts)
	t.places, t.outputs, t.texts, t.lengths = nil, nil, nil, nil
	t.makeCache()
	t.fill(t.expected(at))
}

// halve makes an array of smaller elements in the memory of the larger ones.
func halve(m *memories, large []uint64, convert func(uint64) uint32) []uint32 {
	small := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(large))), 2*cap(large))[:len(large)]
	for i, v := range large {
		small[i] = convert(v)
	}
	trim(m, small)
	return small
}

// denseOutput gives the state of a name that had an output.
func denseOutput(o uint64) uint32 {
	switch state := o >> stateShift; {
	case o == 0:
		return 0
	case state == stateNumber:
		return denseNumber
	case state == stateImage:
		return denseImage | uint32(o)
	case state == stateAlias:
		return denseAlias | uint32(o)
	case state&^outputText != imageBit:
		return densePlain
	}
	image := uint32(0)
	for n := o>>stateShift&outputText - 1; n > 0; n-- {
		o >>= 8
		image = 10*image + uint32(o&0xF)
	}
	return denseImage | image
}

// makeCache empties the cache. Nearly all fixed words are in it, so that they do not need the table.
func (t *names) makeCache() {
	t.makeSlots(cacheSlots)
	for s, k := range wordKeys[:wEmptyList] {
		if s > 0 && k.high < isLong {
			t.place(slot{k, sym(s)})
		}
	}
}

// expected is the size of a table with room for all names if the rest of the input has as many as what was read, but not many
// more than there are. A table of a good size at once is worth it: making a larger one goes through all names.
func (t *names) expected(at int) int {
	more := min(max(1.03*float64(len(t.src))/float64(at), 1.25), 4)
	return int(float64(t.dense.used)*more)*5/4 + cacheSlots
}

// full tells whether a table of this size has as many names as it should have at most.
func (d *dense) full() bool { return d.used > d.size/5*4 }

// fill makes a table and puts all names into it. The one before is given back first.
func (t *names) fill(size int) {
	d := t.dense
	d.memory.release()
	d.size = size
	if d.table = reserve[uint32](&d.memory, nil, size); d.table == nil {
		d.table = make([]uint32, size)
	}
	d.table = d.table[:size]
	d.nameBits = max(d.nameBits, uint8(bits.Len(uint(len(d.starts)))))
	d.used = 0
	for s := sym(1); int(s) < len(d.starts); s++ {
		text := t.text(s)
		if s >= wEmptyList && s < numWords || t.once(text) {
			continue
		}
		hash := t.denseHash(text)
		i := d.home(hash)
		for d.table[i] != 0 {
			i = d.after(i)
		}
		d.table[i] = d.mark(hash) | uint32(s)
		d.used++
	}
}

// dropTable gives the table back until it is needed again.
func (t *names) dropTable() {
	t.dense.memory.release()
	t.dense.table = nil
	t.makeCache()
}

// once tells whether a text is of a constant that is not in the table; see names.constant.
func (t *names) once(text []byte) bool {
	if len(text) <= shortName {
		return false
	}
	switch charClass[text[0]] {
	case charQuote, charHash:
		return true
	case charDigit:
		kind, _ := scanNumber(text, 0)
		return kind != tokSymbol
	}
	return false
}

func (d *dense) home(hash uint64) int {
	high, _ := bits.Mul64(hash, uint64(len(d.table)))
	return int(high)
}

func (d *dense) after(i int) int {
	if i++; i == len(d.table) {
		return 0
	}
	return i
}

// mark gives the bits of a hash that stand above a name in the table. They are others than those that decide its home.
func (d *dense) mark(hash uint64) uint32 { return uint32(hash>>16) << d.nameBits }

func (k key) denseHash() uint64 {
	h := (k.low ^ bits.RotateLeft64(k.high*hashHigh, 31)) * hashLow
	return (h ^ h>>32) * hashHigh
}

// denseHash gives the hash of a text: of a short one that of its key.
func (t *names) denseHash(text []byte) uint64 {
	if t.short(text) {
		return shortKey(text).denseHash()
	}
	return denseHashLong(text)
}

func denseHashLong(text []byte) uint64 {
	return (longHash(text) + uint64(text[len(text)-1])) * hashLow
}

// short tells whether a text is found by its key.
func (t *names) short(text []byte) bool {
	return len(text) <= shortName && !(t.zero && bytes.IndexByte(text, 0) >= 0)
}

// findDense gives the slot of the cache for a short key, whose slot i is empty: with the name, or an empty one.
func (t *names) findDense(k key, i uint64) uint64 {
	s := t.search(k.denseHash(), func(text []byte) bool { return t.short(text) && shortKey(text) == k })
	if s == noSym {
		t.dense.slot = int(i)
		return i
	}
	if t.used++; t.used > cacheSlots/2 {
		t.makeCache()
		for i = t.home(k); t.slots[i].name != noSym; i = (i + 1) & (cacheSlots - 1) {
		}
	}
	t.slots[i] = slot{k, s}
	return i
}

// internLongDense is internLong for a dense table.
func (t *names) internLongDense(start, end int) sym {
	text := t.src[start:end]
	s := t.search(denseHashLong(text), func(other []byte) bool { return string(other) == string(text) })
	if s == noSym {
		t.dense.slot = -1
		return t.addInterned(start, end)
	}
	return s
}

// search finds a name in the table, or notes where it belongs.
func (t *names) search(hash uint64, same func(text []byte) bool) sym {
	d := t.dense
	if d.table == nil {
		t.fill(d.size)
	}
	mark := d.mark(hash)
	i := d.home(hash)
	for ; d.table[i] != 0; i = d.after(i) {
		if s := d.table[i] ^ mark; s>>d.nameBits == 0 && same(t.text(sym(s))) {
			return sym(s)
		}
	}
	d.entry, d.place = mark, i
	return noSym
}

// insertDense puts a new name, which was not found and now has an entry, into the table and the cache.
func (t *names) insertDense(s sym, at int) {
	d := t.dense
	d.used++
	if d.full() || s>>d.nameBits != 0 {
		t.fill(t.expected(at))
	} else {
		d.table[d.place] = d.entry | uint32(s)
	}
	if d.slot < 0 {
		return
	}
	t.slots[d.slot].name = s
	if t.used++; t.used > cacheSlots/2 {
		t.makeCache()
	}
}

// pair finds the other spelling of a new symbol. In place of an entry for each quoted symbol's other spelling, as the usual
// table has it, the one that comes first is what the other is an alias of.
func (t *names) pair(s sym, text []byte) {
	find := func(text []byte) sym {
		return t.search(t.denseHash(text), func(other []byte) bool { return string(other) == string(text) })
	}
	switch {
	case quotesSimple(text):
		base := find(text[1 : len(text)-1])
		if base > lastReserved {
			t.alias(s, base)
		}
		t.dense.quotes = t.dense.quotes || base == noSym
	case t.dense.quotes && simpleSymbol(text):
		if base := find(slices.Concat([]byte("|"), text, []byte("|"))); base != noSym {
			t.alias(s, base)
		}
	}
}

// textAt gives the text of the name that begins in the input at a place.
func (t *names) textAt(start int) []byte {
	if charClass[t.src[start]] == charSymbol {
		return t.src[start:scanWord(t.src, start+1)]
	}
	_, end := scanRare(t.src, start)
	return t.src[start:end]
}

// declareDense is declare for a dense table.
func (t *names) declareDense(s sym) (sym, bool) {
	states := t.dense.states
	if state := states[s]; state&denseState == denseAlias {
		s = sym(state &^ denseState)
	}
	if states[s] != 0 {
		return s, false
	}
	states[s] = denseNumber
	return s, true
}

// decideDense is decide for a dense table.
func (t *names) decideDense(s sym) uint32 {
	states := t.dense.states
	state := states[s]
	if state&denseState == denseAlias {
		base := sym(state &^ denseState)
		if state = states[base]; state == 0 {
			state = t.decideDense(base)
		}
	}
	if state == 0 {
		state = densePlain
	}
	states[s] = state
	return state
}
