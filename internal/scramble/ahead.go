package scramble

import (
	"math"
	"math/bits"
	"unsafe"
)

// Where the tables are larger than the caches, nearly all time is waiting for the memory, one look-up after the other,
// because what comes next often depends on what was found. So a piece of the text, or of the tape, is gone through twice:
// first only to load what will be needed, where no load depends on another one and the processor has many on their way at
// a time. The second time everything is in the caches.

const (
	aheadBytes    = 1 << 10 // of text at a time
	aheadNames    = 1 << 14 // so many names make it worth the work
	aheadCommands = 16      // at a time when they are printed
	aheadWords    = 64      // the most of one command in front of its outermost list
	aheadRoot     = 6       // and of that
	aheadTape     = 1 << 17 // the least tape, in words,
	aheadOutputs  = 1 << 16 // and the least table of outputs for which that is worth the work
)

// lookAhead loads the slots of the names that come next in the text, and says in s.ahead where that should be done again.
func (s *Scrambler) lookAhead(i int) {
	t := &s.names
	if t.used < aheadNames {
		s.ahead = i + aheadBytes // there may be more of them then
		return
	}
	end := min(i+aheadBytes, len(s.src)-wordRoom)
	if end <= i {
		s.ahead = math.MaxInt
		return
	}
	s.ahead = end
	if s.places == nil {
		s.places = new([aheadBytes]uint32)
	}
	n := t.homes(s.places, unsafe.SliceData(s.src), uint64(i), uint64(end))
	s.touched += touchAll(t.slots, s.places[:n])
}

// homes finds the homes of the names of up to shortName bytes in the text from i to end, of at most aheadBytes bytes. There are
// wordRoom bytes more. The names are found as in plainRun, and a mistake does no harm here.
func (t *names) homes(places *[aheadBytes]uint32, src *byte, i, end uint64) uint64 {
	shift, n := t.shift, uint64(0)
	for i < end {
		if charClass[*at(src, i)] < charDigit {
			i++
			continue
		}
		low, high := load64At(src, i), uint64(0)
		home := uint64(0)
		if m := stops(low) &^ 0x80; m != 0 {
			zeros := uint64(bits.TrailingZeros64(m))
			i += zeros>>3 + 1
			home = homeOfEight(low<<((71-zeros)&63), shift)
		} else {
			high = load64At(src, i+8)
			if m = stops(high); m == 0 {
				i += 16
				for i < end && charClass[*at(src, i)] >= charDigit {
					i++
				}
				continue
			}
			zeros := uint64(bits.TrailingZeros64(m))
			i += 8 + zeros>>3 + 1
			if zeros == 7 {
				home = homeOfEight(low, shift)
			} else {
				home = homeOfSixteen(low, high<<((71-zeros)&63), shift)
			}
		}
		*at(&places[0], n) = uint32(home) // every name takes a byte at least
		n++
	}
	return n
}

// touchAll loads the slots at some places and those behind, where a name is if another one is in its place. It is a loop
// so short that the processor has many loads on their way at a time.
func touchAll(slots []slot, places []uint32) (sum uint64) {
	mask := uint64(len(slots) - 1)
	for _, p := range places {
		sum += slots[uint64(p)&mask].key.low + uint64(slots[uint64(p+1)&mask].name)
	}
	return sum
}

// lookAheadCommands loads what the commands, which are printed next, have on the tape, and then the outputs of the names
// in there.
func (s *Scrambler) lookAheadCommands(commands []command) {
	const line = 16 // words that are loaded together
	var sum word
	tape := s.tape
	for _, c := range commands {
		for first, end := s.aheadPart(c); first < end; first += line {
			sum += tape[first]
		}
	}
	if outputs := s.names.outputs; len(outputs) >= aheadOutputs {
		if s.found == nil {
			s.found = new([aheadCommands * (aheadWords + aheadRoot)]word)
		}
		found, n := s.found, 0
		for _, c := range commands {
			first, end := s.aheadPart(c)
			for _, w := range tape[first:end] {
				found[n] = w & symMask
				n += int(w >> 31) // those without tagName are overwritten
			}
		}
		for _, name := range found[:n] {
			sum += word(outputs[name])
		}
	}
	s.touched += uint64(sum)
}

// aheadPart gives the part of the tape on which a command is, or the most of it that is worth looking at.
func (s *Scrambler) aheadPart(c command) (first, end int) {
	if c.kind == cmdRepeated || c.body&tagName != 0 {
		return 0, 0
	}
	first = max(int(c.begin), int(c.body)-aheadWords)
	return first, min(int(c.body)+aheadRoot, len(s.tape))
}
