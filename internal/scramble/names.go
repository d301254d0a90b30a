package scramble

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
)

// sym is an index into the table of names. Names are verbatim texts: |a| and a are different entries, joined by base.
type sym uint32

// entry is one name.
type entry struct {
	off    uint64 // where it begins in the input; not used for the words of wordList
	length uint32
	base   sym   // the entry that has the number: itself, or for a quoted name the one without bars
	number int32 // 0: none yet; -1: printed before it was declared, so none for ever
}

// An output is what is printed for a name in a renaming position: up to eight bytes as a little-endian number, 0 if it is
// not decided yet, or longOutput. Outputs have an array of their own since printing looks at nothing else.
const longOutput = 1<<64 - 1

// slot is a place of the hash table. It has enough of the name that a look-up of most names goes no further.
type slot struct {
	key  key
	name sym // noSym for an empty slot
}

// key is a name of up to shortName bytes itself, as little-endian numbers with its length in the last byte. Of a longer
// name it is a hash, and isLong with the place of the name in texts.
type key struct{ low, high uint64 }

const (
	shortName = 15
	isLong    = 0xFF << 56
)

// names interns the texts of one input. Entries below numWords are the fixed words of wordList.
type names struct {
	src     []byte
	entries []entry
	outputs []uint64 // by sym; as long as the table was when printing began
	slots   []slot   // open addressing, length a power of two
	used    int      // of slots
	shift   uint8    // 64 - log2(len(slots))
	zero    bool     // a string or a quoted symbol has a zero byte
	texts   []byte   // the long names one after the other, each behind its length; read in place of src, which is too far apart

	slotMemory memories // of slots
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
func (t *names) reset(src []byte, memory *memories) {
	t.src, t.zero = src, false
	t.outputs = recycle(t.outputs)
	t.entries = recycle(t.entries)
	t.texts = recycle(t.texts)
	switch {
	case len(src) >= hugeInput:
		most := len(src)/4 + 1<<15 // there are not many names of less than three letters
		t.entries = reserve(memory, t.entries, most)
		t.outputs = reserve(memory, t.outputs, most)
		t.texts = reserve(memory, t.texts, len(src)+len(src)/4)
	case len(src) > largeInput && cap(t.entries) < len(src)/nameBytes:
		t.entries = make([]entry, 0, len(src)/nameBytes*2) // what is not used is never touched
	}
	t.entries = append(t.entries, wordEntries...)
	t.texts = append(t.texts, wordLongTexts...)
	t.makeSlots(min(max(minSlots, 1<<bits.Len(uint(len(src)/nameBytes))), maxSlots))
	if len(t.slots) == minSlots {
		copy(t.slots, wordSlots)
		t.used = len(wordKeys) - 1
		return
	}
	t.placeWords()
}

// wordSlots is the smallest table with the fixed words in it, which most texts begin with.
var wordSlots = func() []slot {
	t := names{texts: wordLongTexts}
	t.makeSlots(minSlots)
	t.placeWords()
	return t.slots
}()

// placeWords puts the fixed words into an empty table.
func (t *names) placeWords() {
	for s, k := range wordKeys[1:] {
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
	if t.slotMemory != nil {
		t.slots = nil
		t.slotMemory.release()
	}
	t.src = nil
}

// keyMask says for a length how the sixteen bytes from the beginning of a name become its key.
type keyMask struct {
	low, high         uint64 // the bytes of the name
	hashLow, hashHigh uint64 // the bits that count for the home
	length            uint64 // in the last byte
}

var keyMasks = func() (masks [shortName + 1]keyMask) {
	for n := range masks {
		m := &masks[n]
		for i := range n {
			if i < 8 {
				m.low |= 0xFF << (8 * i)
			} else {
				m.high |= 0xFF << (8 * (i - 8))
			}
		}
		m.hashLow, m.hashHigh, m.length = m.low, m.high, uint64(n)<<56
		switch {
		case n > 8:
			m.hashHigh &^= 3 << (8 * (n - 9))
		case n > 0:
			m.hashLow &^= 3 << (8 * (n - 1))
		}
	}
	return masks
}()

// home gives the first place of a key's probe sequence. Names that differ only in the last two bits of their last
// character, as x4, x5, x6 and x7 do, have places side by side: generated benchmarks use numbered names near each other,
// and with millions of them a look-up costs what the memory costs. So low and high lack these bits, and last is that
// character.
func (t *names) home(low, high uint64, last byte) uint64 {
	h := (low ^ bits.RotateLeft64(high*0xD6E8FEB86659FD93, 31)) * 0x9E3779B97F4A7C15
	return h>>t.shift&^3 | uint64(last&3)
}

// homeOf is home for a slot that moves.
func (t *names) homeOf(k key) uint64 {
	if k.high >= isLong {
		text := t.longText(k)
		return t.home(k.low, 0, text[len(text)-1])
	}
	m := &keyMasks[k.high>>56]
	last := k.low >> (8 * (k.high>>56 - 1))
	if k.high>>56 > 8 {
		last = k.high >> (8 * (k.high>>56 - 9))
	}
	return t.home(k.low&m.hashLow, k.high&m.hashHigh, byte(last))
}

// place puts a slot into the first free place of its probe sequence.
func (t *names) place(sl slot) {
	mask := uint64(len(t.slots) - 1)
	i := t.homeOf(sl.key)
	for t.slots[i].name != noSym {
		i = (i + 1) & mask
	}
	t.slots[i] = sl
	t.used++
}

// shortKey gives the key of a text of up to shortName bytes.
func shortKey(text []byte) key {
	var b [16]byte
	copy(b[:], text)
	return key{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:]) | uint64(len(text))<<56}
}

// longHash hashes a text of more than eight bytes, all but the last two bits; see home.
func longHash(text []byte) uint64 {
	const m = 0xD6E8FEB86659FD93
	h := (binary.LittleEndian.Uint64(text) ^ uint64(len(text))) * m
	for rest := text[8:]; len(rest) > 8; rest = rest[8:] {
		h = (bits.RotateLeft64(h, 29) ^ binary.LittleEndian.Uint64(rest)) * m
	}
	end := binary.LittleEndian.Uint64(text[len(text)-8:])
	h = (bits.RotateLeft64(h, 29) ^ end&^(3<<56)) * m
	return h ^ h>>32
}

// longText gives the text of a long key.
func (t *names) longText(k key) []byte {
	at := k.high &^ isLong
	n := uint64(binary.LittleEndian.Uint32(t.texts[at:]))
	return t.texts[at+4 : at+4+n]
}

// intern gives the entry of src[start:end], a new one if the text is new. Most names are short and stand in the first
// place of their probe sequence.
func (t *names) intern(start, end int) sym {
	n := uint(end - start)
	if n > shortName || start+16 > len(t.src) {
		return t.internSlowly(start, end)
	}
	m := &keyMasks[n]
	low := binary.LittleEndian.Uint64(t.src[start:])
	if n <= 8 { // as below with high = 0, which most names have
		sl := &t.slots[t.home(low&m.hashLow, 0, t.src[end-1])]
		if sl.key.low == low&m.low && sl.key.high == m.length {
			return sl.name
		}
		return t.internSlowly(start, end)
	}
	high := binary.LittleEndian.Uint64(t.src[start+8:])
	sl := &t.slots[t.home(low&m.hashLow, high&m.hashHigh, t.src[end-1])]
	if sl.key.low == low&m.low && sl.key.high == high&m.high|m.length {
		return sl.name
	}
	return t.internSlowly(start, end)
}

func (t *names) internSlowly(start, end int) sym {
	if end-start > shortName {
		return t.internLong(start, end)
	}
	return t.probe(shortKey(t.src[start:end]), start, end)
}

// probe looks for a short name along its probe sequence.
func (t *names) probe(k key, start, end int) sym {
	mask := uint64(len(t.slots) - 1)
	for i := t.homeOf(k); ; i = (i + 1) & mask {
		sl := &t.slots[i]
		if sl.name == noSym {
			*sl = slot{k, sym(len(t.entries))}
			return t.addInterned(start, end)
		}
		if sl.key == k {
			return sl.name
		}
	}
}

func (t *names) internLong(start, end int) sym {
	text := t.src[start:end]
	hash := longHash(text)
	mask := uint64(len(t.slots) - 1)
	for i := t.home(hash, 0, text[len(text)-1]); ; i = (i + 1) & mask {
		sl := &t.slots[i]
		if sl.name == noSym {
			*sl = slot{key{hash, isLong | uint64(len(t.texts))}, sym(len(t.entries))}
			t.texts = append(binary.LittleEndian.AppendUint32(t.texts, uint32(len(text))), text...)
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
	e := &t.entries[s]
	return t.src[e.off : e.off+uint64(e.length)]
}

// add makes an entry that is not in the table: of a constant that is used once.
func (t *names) add(start, end int) sym {
	s := sym(len(t.entries))
	if c := t.src[start]; c == '"' || c == '|' {
		t.zero = t.zero || bytes.IndexByte(t.src[start:end], 0) >= 0
	}
	t.entries = append(t.entries, entry{off: uint64(start), length: uint32(end - start), base: s})
	return s
}

// addInterned makes the entry of a new name, whose slot has been filled.
func (t *names) addInterned(start, end int) sym {
	s := t.add(start, end)
	t.used++
	if t.used*4 > len(t.slots)*3 {
		t.grow()
	}
	if t.src[start] == '|' && end > start+1 && simpleSymbol(t.src[start+1:end-1]) {
		if base := t.intern(start+1, end-1); base > lastReserved {
			t.entries[s].base = base
		}
	}
	return s
}

// constant gives the entry of a literal. Long ones are rarely used twice and get an entry each time.
func (t *names) constant(start, end int) sym {
	if end-start > shortName {
		return t.add(start, end)
	}
	return t.intern(start, end)
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

// grow doubles the table. The homes of the old slots in their order are nearly in order too.
func (t *names) grow() {
	old, oldMemory := t.slots, t.slotMemory
	t.slots, t.slotMemory = nil, nil
	t.makeSlots(2 * len(old))
	for _, sl := range old {
		if sl.name != noSym {
			t.place(sl)
		}
	}
	oldMemory.release()
}

// prepareOutputs makes outputs as long as the table is.
func (t *names) prepareOutputs() {
	t.outputs = append(t.outputs, make([]uint64, len(t.entries)-len(t.outputs))...)
}

// decide fixes what is printed for a name in a renaming position from now on: the image of its number, or the name itself
// if it has no number, even if it is declared later.
func (t *names) decide(s sym, permutation []int32) uint64 {
	base := &t.entries[t.entries[s].base]
	var digits [12]byte
	text := t.text(s)
	if base.number > 0 {
		text = strconv.AppendInt(append(digits[:0], 'x'), int64(permutation[base.number]), 10)
	} else {
		base.number = -1
	}
	t.outputs[s] = longOutput
	if 0 < len(text) && len(text) <= 8 {
		t.outputs[s] = shortKey(text).low
	}
	return t.outputs[s]
}
