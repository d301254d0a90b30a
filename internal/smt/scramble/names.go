package scramble

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
	"sync"
)

// sym is an index into the table of names. Names are verbatim: |a| and a have different entries, linked by an alias.
type sym uint32

// An output encodes the text printed for a name in a renaming position. It is a text of up to outputText bytes as a
// little-endian number, with its length in the last byte (plus imageBit). Otherwise the last byte is one of the states
// below, and the lower half is a number or a name. Zero means that the output is undecided.
const (
	outputText = 7
	imageBit   = 8 // in the last byte: the text is x and a number's image

	stateShift  = 56
	stateNumber = 0xF0 // declared; printed as its number's image once the chunk is printed
	stateImage  = 0xF1 // printed as x and this number
	statePlain  = 0xF2 // printed as in the input
	stateAlias  = 0xF3 // undecided; shares the number of this name, its other spelling
)

// key identifies a name. A name of up to shortName bytes is its own key, in little-endian numbers that end with the
// name's last byte. Up to eight bytes are in low, after zeros. For a longer name, low contains the first eight bytes
// and high the rest. For a name longer than shortName, low is a hash, and high is isLong plus the length.
type key struct{ low, high uint64 }

const (
	shortName = 16
	isLong    = 0xFF << 56 // no name ends with this byte
)

// length returns the length of the key's name in bytes.
func (k key) length() int {
	switch {
	case k.high >= isLong:
		return int(k.high &^ isLong)
	case k.high != 0:
		return 16 - bits.TrailingZeros64(k.high)/8
	}
	return 8 - bits.TrailingZeros64(k.low)/8
}

// entry is a name and its position in the input.
type entry struct {
	key   key
	start int
}

// names interns the names of one input. Entries below numWords are the fixed words of wordList.
type names struct {
	src     []byte
	entries []entry  // indexed by sym
	outputs []uint64 // indexed by sym; separate from entries, because printing uses little else
	slots   []sym    // open addressing with noSym for empty slots; the length is a power of two
	used    int      // number of used slots
	shift   uint8    // 64 - log2(len(slots))
	quotes  bool     // a quoted symbol occurred whose other spelling had not occurred before
}

// Within these limits, a table initially has a slot per nameBytes bytes of input. It grows as needed.
const (
	minSlots  = 1 << 9
	maxSlots  = 1 << 20
	nameBytes = 256
)

// reset empties the table for a new input.
func (t *names) reset(src []byte) {
	t.src, t.quotes = src, false
	t.entries = append(t.entries[:0], make([]entry, numWords)...) // the text of a fixed word is in wordList
	t.outputs = append(t.outputs[:0], make([]uint64, numWords)...)
	t.makeSlots(min(max(minSlots, 1<<bits.Len(uint(len(src)/nameBytes))), maxSlots))
	for s, k := range wordKeys[:wEmptyList] {
		t.entries[s].key = k
	}
	if len(t.slots) == minSlots {
		copy(t.slots, wordSlots())
		t.used = int(wEmptyList) - 1
		return
	}
	t.placeWords()
}

// wordSlots returns the smallest table of the fixed words, which most inputs start with.
var wordSlots = sync.OnceValue(func() []sym {
	var t names
	t.makeSlots(minSlots)
	t.placeWords()
	return t.slots
})

// placeWords adds the fixed words to an empty table.
func (t *names) placeWords() {
	for s, k := range wordKeys[1:wEmptyList] {
		t.place(k, sym(s+1))
	}
}

// makeSlots creates an empty table of the given size, a power of two.
func (t *names) makeSlots(size int) {
	t.used = 0
	t.shift = uint8(64 - bits.TrailingZeros(uint(size)))
	if cap(t.slots) < size {
		t.slots = make([]sym, size)
		return
	}
	t.slots = t.slots[:size]
	clear(t.slots)
}

// release drops the reference to the input and recycles the memory.
func (t *names) release() {
	t.src = nil
	t.entries, t.outputs, t.slots = recycle(t.entries), recycle(t.outputs), recycle(t.slots)
}

// Multipliers of the hash functions.
const (
	hashLow  = 0x9E3779B97F4A7C15
	hashHigh = 0xD6E8FEB86659FD93
)

// home returns the first slot of a key's probe sequence.
func (t *names) home(k key) uint64 {
	return (k.low ^ bits.RotateLeft64(k.high*hashHigh, 31)) * hashLow >> (t.shift & 63)
}

// place puts a name that is not in the table into the first free slot of its probe sequence.
func (t *names) place(k key, s sym) {
	mask := uint64(len(t.slots) - 1)
	i := t.home(k)
	for t.slots[i&mask] != noSym {
		i++
	}
	t.slots[i&mask] = s
	t.used++
}

// keyOf returns the key of a nonempty text.
func keyOf(text []byte) key {
	if len(text) > shortName {
		return key{longHash(text), isLong | uint64(len(text))}
	}
	var b [16]byte
	if len(text) <= 8 {
		copy(b[8-len(text):], text)
	} else {
		copy(b[:8], text)
		copy(b[24-len(text):], text[8:])
	}
	return key{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
}

// longHash hashes a text of more than eight bytes.
func longHash(text []byte) uint64 {
	h := binary.LittleEndian.Uint64(text[len(text)-8:])
	for ; len(text) > 8; text = text[8:] {
		h = (bits.RotateLeft64(h, 29) ^ binary.LittleEndian.Uint64(text)) * hashHigh
	}
	return h ^ h>>32
}

// intern returns the entry of src[start:end], and creates it if the text is new.
func (t *names) intern(start, end int) sym {
	text := t.src[start:end]
	k := keyOf(text)
	if s := t.find(k, text); s != noSym {
		return s
	}
	return t.insert(k, start)
}

// find returns the name with the given key and text, or noSym. It compares the text only if the name is long.
func (t *names) find(k key, text []byte) sym {
	mask := uint64(len(t.slots) - 1)
	for i := t.home(k); ; i++ {
		s := t.slots[i&mask]
		if s == noSym || t.entries[s].key == k && (k.high < isLong || bytes.Equal(t.text(s), text)) {
			return s
		}
	}
}

// text returns the text of an entry.
func (t *names) text(s sym) []byte {
	if s < numWords {
		return []byte(wordList[s])
	}
	e := &t.entries[s]
	return t.src[e.start : e.start+e.key.length()]
}

// add creates an entry outside the hash table.
func (t *names) add(k key, start int) sym {
	t.entries = append(t.entries, entry{k, start})
	t.outputs = append(t.outputs, 0)
	return sym(len(t.entries) - 1)
}

// insert creates the entry of a new name. If its other spelling, with or without bars, is already in the table, the new
// entry becomes an alias.
func (t *names) insert(k key, start int) sym {
	s := t.add(k, start)
	if t.place(k, s); t.used*4 > len(t.slots)*3 {
		t.grow()
	}
	if other := t.otherSpelling(t.src[start : start+k.length()]); other > lastReserved {
		t.outputs[s] = stateAlias<<stateShift | uint64(other)
	}
	return s
}

// otherSpelling returns the entry of a name's other spelling, or noSym if there is none.
func (t *names) otherSpelling(text []byte) sym {
	if n := len(text); text[0] == '|' && n > 2 && isSimple(text[1:n-1]) {
		t.quotes = true
		return t.find(keyOf(text[1:n-1]), text[1:n-1])
	}
	if t.quotes && isSimple(text) {
		quoted := slices.Concat([]byte("|"), text, []byte("|"))
		return t.find(keyOf(quoted), quoted)
	}
	return noSym
}

// grow doubles the table.
func (t *names) grow() {
	old := t.slots
	t.slots = nil
	t.makeSlots(2 * len(old))
	for _, s := range old {
		if s != noSym {
			t.place(t.entries[s].key, s)
		}
	}
}

// constant returns the entry of a literal. Long literals rarely recur, so each occurrence gets a new entry.
func (t *names) constant(start, end int) sym {
	if end-start > shortName {
		return t.add(key{0, isLong | uint64(end-start)}, start)
	}
	return t.intern(start, end)
}

// isSimple reports whether a text is a symbol without bars. A constant is not: |12| and 12 are different names.
func isSimple(text []byte) bool {
	if scanWord(text, 0) != len(text) {
		return false
	}
	if charClass[text[0]] == charSymbol {
		return true
	}
	kind, _ := scanNumber(text, 0)
	return kind == tokSymbol
}

// declare marks a name as declared if its output is undecided. It returns the name that owns the number, and whether it
// was marked.
func (t *names) declare(s sym) (sym, bool) {
	if o := t.outputs[s]; o>>stateShift == stateAlias {
		s = sym(o)
	}
	if t.outputs[s] != 0 {
		return s, false
	}
	t.outputs[s] = stateNumber << stateShift
	return s, true
}

// decide fixes the output of an undecided name in a renaming position from now on. The output is the name itself, even
// if it is declared later, or the output of its other spelling if that has a number.
func (t *names) decide(s sym) uint64 {
	o := t.outputs[s]
	if o>>stateShift == stateAlias {
		base := sym(o)
		if o = t.outputs[base]; o == 0 {
			o = t.decide(base)
		}
		if !isImage(o) {
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
