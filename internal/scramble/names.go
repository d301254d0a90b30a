package scramble

import (
	"bytes"
	"math/bits"
	"sync"
)

// sym is an index into the table of names. Names are verbatim texts: |a| and a are different entries, joined by base.
type sym uint32

// A place says where a name stands in the input: its first byte, and in the lower bits its length, or longPlace for one
// that is looked up in lengths.
const (
	placeBits = 24
	longPlace = 1<<placeBits - 1
)

// An output is what is printed for a name in a renaming position. Up to outputText bytes stand in it as a little-endian
// number, with their count in the last byte, plus imageBit if that is x and the image of a number. Else the last byte is one of the states below, and the lower half a number
// or a name. Zero is a name of which nothing has been decided. Outputs have an array of their own since printing looks at
// nothing else.
const (
	outputText = 7
	imageBit   = 8

	stateShift  = 56
	stateNumber = 0xF0 // declared, and gets the image of its number when the chunk is printed
	stateImage  = 0xF1 // printed as x and this number
	statePlain  = 0xF2 // printed as it stands in the input
	stateAlias  = 0xF3 // a quoted name of which nothing has been decided: it has the number of this name
)

// slot is a place of the hash table. It has enough of the name that a look-up of most names goes no further.
type slot struct {
	key  key
	name sym // noSym for an empty slot
}

// key is a name of up to shortName bytes itself, as little-endian numbers that end with the last byte of the name: a name
// of up to eight bytes is in low, with zeros in front, of a longer one low has the first eight bytes and high the others.
// Of a name that is longer still, or has a zero byte in it, low is a hash, and high isLong with the place of the name in texts.
type key struct{ low, high uint64 }

const (
	shortName = 16
	isLong    = 0xFF << 56 // no name ends with this byte
)

// names interns the texts of one input. Entries below numWords are the fixed words of wordList.
type names struct {
	src     []byte
	places  []uint64 // by sym
	lengths map[sym]int
	outputs []uint64 // by sym
	slots   []slot   // open addressing, length a power of two
	used    int      // of slots
	shift   uint8    // 64 - log2(len(slots))
	zero    bool     // a string or a quoted symbol has a zero byte
	texts   []byte   // the long names one after the other, each behind its length; read in place of src, which is too far apart

	slotMemory memories  // of slots
	memory     *memories // of the other arrays, if they have memory of their own
	dense      *dense    // if there are very many names, in place of places, outputs, lengths and texts
}

// Sizes of the hash table in slots: the least, the one for a text with a new name every nameBytes bytes up to a limit (from
// there it grows as needed), and the largest that is kept for the next text.
const (
	minSlots  = 1 << 9
	nameBytes = 64
	maxSlots  = 1 << 20
	keepSlots = 1 << 18
)

// reset empties the table for a new input but keeps its memory if that is not large.
func (t *names) reset(src []byte) {
	t.src, t.zero, t.lengths = src, false, nil
	if len(src) > largeInput && cap(t.places) < len(src)/nameBytes {
		t.places = make([]uint64, 0, manyNames(len(src))) // what is not used is never touched
		t.outputs = make([]uint64, 0, manyNames(len(src)))
	}
	t.places = append(t.places[:0], make([]uint64, numWords)...) // never looked at
	t.outputs = append(t.outputs[:0], make([]uint64, numWords)...)
	t.texts = append(t.texts[:0], wordLongTexts...)
	t.makeSlots(slotsFor(len(src)))
	if len(t.slots) == minSlots {
		copy(t.slots, wordSlots())
		t.used = int(wEmptyList) - 1
		return
	}
	t.placeWords()
}

// manyNames is how many names there can be in a text of n bytes with twice as many as usual.
func manyNames(n int) int { return int(numWords) + n/nameBytes*2 }

// slotsFor is the size of the table that a text of n bytes begins with.
func slotsFor(n int) int {
	return min(max(minSlots, 1<<bits.Len(uint(n/nameBytes))), maxSlots)
}

// manyShort is more names than there are of less than three letters.
const manyShort = 1 << 15

// reserve makes room for the most names that a text of n bytes can have.
func (t *names) reserve(m *memories, n int) {
	most := n/4 + manyShort
	t.places = reserve(m, t.places, most)
	t.outputs = reserve(m, t.outputs, most)
	t.texts = reserve(m, t.texts, n+n/4)
	if cap(t.places) >= most && cap(t.outputs) >= most {
		t.memory = m
	}
}

// carve takes room for the names of a text of n bytes from a piece of memory, of which it uses namesSize bytes.
func (t *names) carve(m *memories, n int) {
	t.places = carve(m, t.places, manyNames(n))
	t.outputs = carve(m, t.outputs, manyNames(n))
	t.slots = carve(m, t.slots, slotsFor(n))
	t.texts = carve(m, t.texts, n/16)
}

func namesSize(n int) int {
	return 2*carvedSize[uint64](manyNames(n)) + carvedSize[slot](slotsFor(n)) + carvedSize[byte](n/16)
}

// forget drops all arrays, which were in memory that is given back.
func (t *names) forget() {
	t.places, t.outputs, t.texts, t.slots = nil, nil, nil, nil
	t.memory = nil
}

// wordSlots gives the smallest table with the fixed words in it, which most texts begin with.
var wordSlots = sync.OnceValue(func() []slot {
	t := names{texts: wordLongTexts}
	t.makeSlots(minSlots)
	t.placeWords()
	return t.slots
})

// placeWords puts the fixed words into an empty table.
func (t *names) placeWords() {
	for s, k := range wordKeys[1:wEmptyList] {
		t.place(slot{k, sym(s + 1)})
	}
}

// makeSlots makes an empty table of a size that is a power of two. A large one has memory of its own.
func (t *names) makeSlots(size int) {
	t.used = 0
	t.shift = uint8(64 - bits.TrailingZeros(uint(size)))
	if cap(t.slots) >= size && cap(t.slots) <= keepSlots {
		t.slots = t.slots[:size]
		clear(t.slots)
		return
	}
	t.slots = nil
	if size > keepSlots {
		t.slots = reserve(&t.slotMemory, t.slots, size)
	}
	if cap(t.slots) == 0 {
		t.slots = make([]slot, size)
	}
	t.slots = t.slots[:size]
}

// release gives back what was reserved for this input.
func (t *names) release() {
	if t.slotMemory.pieces != nil {
		t.slots = nil
		t.slotMemory.release()
	}
	if t.dense != nil {
		t.dense.memory.release()
		t.dense, t.slots = nil, nil
	}
	t.src = nil
	t.places, t.outputs, t.texts = recycle(t.places), recycle(t.outputs), recycle(t.texts)
}

// Multipliers of the hash functions.
const (
	hashLow  = 0x9E3779B97F4A7C15
	hashHigh = 0xD6E8FEB86659FD93
)

// lastBits are the last two bits of the last byte of a name, as it stands in a key.
const lastBits = 3 << 56

// home gives the first place of a key's probe sequence. Names that differ only in the last two bits of their last
// character, as x4, x5, x6 and x7 do, have places side by side: generated benchmarks use numbered names near each other,
// and with millions of them a look-up costs what the memory costs.
func (t *names) home(k key) uint64 {
	switch {
	case k.high == 0:
		return homeOfEight(k.low, t.shift)
	case k.high >= isLong:
		text := t.longText(k)
		return homeOfLong(k.low, text[len(text)-1], t.shift)
	}
	return homeOfSixteen(k.low, k.high, t.shift)
}

func homeOfEight(low uint64, shift uint8) uint64 {
	return ((low&^lastBits)*hashLow)>>(shift&63)&^3 | low>>56&3
}

func homeOfSixteen(low, high uint64, shift uint8) uint64 {
	h := low ^ bits.RotateLeft64((high&^lastBits)*hashHigh, 31)
	return (h*hashLow)>>(shift&63)&^3 | high>>56&3
}

func homeOfLong(hash uint64, last byte, shift uint8) uint64 {
	return (hash*hashLow)>>(shift&63)&^3 | uint64(last&3)
}

// place puts a slot into the first free place of its probe sequence.
func (t *names) place(sl slot) {
	mask := uint64(len(t.slots) - 1)
	i := t.home(sl.key)
	for t.slots[i].name != noSym {
		i = (i + 1) & mask
	}
	t.slots[i] = sl
	t.used++
}

// shortKey gives the key of a text of one to shortName bytes without a zero byte.
func shortKey(text []byte) key {
	var b [16]byte
	if len(text) <= 8 {
		copy(b[8-len(text):], text)
	} else {
		copy(b[:8], text)
		copy(b[24-len(text):], text[8:])
	}
	return key{load64(b[:]), load64(b[8:])}
}

// longHash hashes a text, all but the last two bits; see home.
func longHash(text []byte) uint64 {
	const m = 0xD6E8FEB86659FD93
	if len(text) < 8 { // because of a zero byte
		return shortKey(text).low &^ lastBits * m
	}
	h := (load64(text) ^ uint64(len(text))) * m
	for rest := text[8:]; len(rest) > 8; rest = rest[8:] {
		h = (bits.RotateLeft64(h, 29) ^ load64(rest)) * m
	}
	end := load64(text[len(text)-8:])
	h = (bits.RotateLeft64(h, 29) ^ end&^(3<<56)) * m
	return h ^ h>>32
}

// longText gives the text of a long key.
func (t *names) longText(k key) []byte {
	at := k.high &^ isLong
	n := uint64(load32(t.texts[at:]))
	return t.texts[at+4 : at+4+n]
}

// intern gives the entry of src[start:end], a new one if the text is new.
func (t *names) intern(start, end int) sym {
	text := t.src[start:end]
	if len(text) > shortName || (text[0] == '|' || text[0] == '"') && bytes.IndexByte(text, 0) >= 0 {
		return t.internLong(start, end)
	}
	k := shortKey(text)
	i := t.find(k)
	if s := t.slots[i].name; s != noSym {
		return s
	}
	t.slots[i] = slot{k, sym(len(t.places))}
	return t.addInterned(start, end)
}

// find gives the slot of a short key, or the empty one where it should be.
func (t *names) find(k key) uint64 {
	mask := uint64(len(t.slots) - 1)
	for i := t.home(k); ; i = (i + 1) & mask {
		sl := &t.slots[i]
		if sl.key == k {
			return i
		}
		if sl.name == noSym {
			if t.dense != nil {
				return t.findDense(k, i)
			}
			return i
		}
	}
}

func (t *names) internLong(start, end int) sym {
	if t.dense != nil {
		return t.internLongDense(start, end)
	}
	text := t.src[start:end]
	hash := longHash(text)
	mask := uint64(len(t.slots) - 1)
	for i := homeOfLong(hash, text[len(text)-1], t.shift); ; i = (i + 1) & mask {
		sl := &t.slots[i]
		if sl.name == noSym {
			*sl = slot{key{hash, isLong | uint64(len(t.texts))}, sym(len(t.places))}
			t.texts = append(append32(t.texts, uint32(len(text))), text...)
			return t.addInterned(start, end)
		}
		if sl.key.low == hash && sl.key.high >= isLong && string(t.longText(sl.key)) == string(text) {
			return sl.name
		}
	}
}

// text gives the text of an entry.
func (t *names) text(s sym) []byte {
	if s < numWords {
		return wordTexts[s]
	}
	if t.dense != nil {
		return t.textAt(int(t.dense.starts[s]))
	}
	at := t.places[s]
	start, n := at>>placeBits, at&longPlace
	if n == longPlace {
		n = uint64(t.lengths[s])
	}
	return t.src[start : start+n]
}

// add makes an entry that is not in the table: of a constant that is used once.
func (t *names) add(start, end int) sym {
	if c := t.src[start]; c == '"' || c == '|' {
		t.zero = t.zero || bytes.IndexByte(t.src[start:end], 0) >= 0
	}
	if d := t.dense; d != nil {
		d.starts, d.states = append(d.starts, uint32(start)), append(d.states, 0)
		return sym(len(d.starts) - 1)
	}
	s := sym(len(t.places))
	n := uint64(end - start)
	if n >= longPlace {
		if t.lengths == nil {
			t.lengths = map[sym]int{}
		}
		t.lengths[s] = end - start
		n = longPlace
	}
	t.places = append(t.places, uint64(start)<<placeBits|n)
	t.outputs = append(t.outputs, 0)
	return s
}

// addInterned makes the entry of a new name, whose slot has been filled.
func (t *names) addInterned(start, end int) sym {
	s := t.add(start, end)
	if t.dense != nil {
		t.insertDense(s, end)
		t.pair(s, t.src[start:end])
		return s
	}
	if t.used++; t.used*4 > len(t.slots)*3 {
		t.grow(end)
	}
	if text := t.src[start:end]; quotesSimple(text) {
		if base := t.intern(start+1, end-1); base > lastReserved {
			t.alias(s, base)
		}
	}
	return s
}

// alias notes that a name is another spelling of base, which is quoted or the quoted one.
func (t *names) alias(s, base sym) {
	if t.dense != nil {
		t.dense.states[s] = denseAlias | uint32(base)
	} else {
		t.outputs[s] = stateAlias<<stateShift | uint64(base)
	}
}

// count is how many entries there are.
func (t *names) count() int {
	if t.dense != nil {
		return len(t.dense.starts)
	}
	return len(t.places)
}

// constant gives the entry of a literal. Long ones are rarely used twice and get an entry each time.
func (t *names) constant(start, end int) sym {
	if end-start > shortName {
		return t.add(start, end)
	}
	return t.intern(start, end)
}

// quotesSimple tells whether a name is a quoted symbol that has another spelling.
func quotesSimple(text []byte) bool {
	return text[0] == '|' && len(text) > 1 && simpleSymbol(text[1:len(text)-1])
}

// simpleSymbol tells whether what stands between bars could be written as a symbol without them. Else no other spelling
// has the same name, and an entry for it must not be shared with a constant.
func simpleSymbol(text []byte) bool {
	if len(text) == 0 || scanWord(text, 0) != len(text) {
		return false
	}
	if charClass[text[0]] == charSymbol {
		return true
	}
	kind, _ := scanNumber(text, 0)
	return kind == tokSymbol
}

// growStep is how many slots are moved to a larger table at a time.
const growStep = 1 << 18

// grow doubles the table, if that is not too much. The homes of the old slots in their order are nearly in order too. at is
// how far the input was read.
func (t *names) grow(at int) {
	if t.tooLarge(2 * len(t.slots)) {
		t.becomeDense(at)
		return
	}
	old, oldMemory := t.slots, t.slotMemory
	t.slots, t.slotMemory = nil, memories{}
	t.makeSlots(2 * len(old))
	for len(old) > 0 {
		part := old[:min(len(old), growStep)]
		for _, sl := range part {
			if sl.name != noSym {
				t.place(sl)
			}
		}
		drop(&oldMemory, part) // so that there are never two whole tables
		old = old[len(part):]
	}
	oldMemory.release()
}

// declare marks a name as declared if nothing has been decided about it, and gives the name that the number belongs to.
func (t *names) declare(s sym) (sym, bool) {
	if t.dense != nil {
		return t.declareDense(s)
	}
	if o := t.outputs[s]; o>>stateShift == stateAlias {
		s = sym(o)
	}
	if t.outputs[s] != 0 {
		return s, false
	}
	t.outputs[s] = stateNumber << stateShift
	return s, true
}

// decide fixes what is printed for a name in a renaming position from now on, which has not been decided: the name itself,
// even if it is declared later, or for a quoted name what is printed for the other spelling if that has a number.
func (t *names) decide(s sym) uint64 {
	o := t.outputs[s]
	if o>>stateShift == stateAlias {
		base := sym(o)
		if o = t.outputs[base]; o == 0 {
			o = t.decide(base)
		}
		if o>>stateShift > stateImage || o>>stateShift <= outputText { // the other spelling has no number
			o = 0
		}
	}
	if o == 0 {
		o = statePlain << stateShift
		if text := t.text(s); 0 < len(text) && len(text) <= outputText {
			o = textOutput(text)
		}
	}
	t.outputs[s] = o
	return o
}
