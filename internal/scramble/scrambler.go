package scramble

import (
	"io"
	"math"
	"sync"
	"unsafe"

	"github.com/smtpipe/smtpipe/internal/smtlib/place"
)

// Scrambler holds the buffers of one scrambling, to be used again for the next. Its zero value is ready. It is not safe
// for several goroutines at a time; [Append] is.
type Scrambler struct {
	opt        Options
	scrambling bool
	countOnly  bool
	rejection  *Rejection
	random     generator
	names      names
	actions    *actions // nil before set-logic

	src     []byte
	pos     int // behind the current token
	tok     tokenKind
	start   int  // of the current token
	name    sym  // of the current token, unless it is a parenthesis
	discard bool // constants are not kept

	ahead   int    // up to here the text has been looked at before
	touched uint64 // what was found then; of no use but that it had to be loaded
	places  *[aheadBytes]uint32
	found   *[aheadCommands * (aheadWords + aheadRoot)]word

	lastRead int  // where the official program's last piece of the input begins; see lastRead
	lastLine bool // a comment was found that no end of a line ends, so there is none in what follows

	tape      []word
	ops       []word // elements of open lists
	frames    []frame
	sortBases []uint32 // of each open sort or value, where its elements begin in ops
	tapeStep  int      // the length of the tape at which memory is given back; see closeFar

	chunk       []command
	numbers     int      // how many names have numbers since before this chunk
	fresh       []sym    // the names that got the next numbers in this chunk
	permutation []uint32 // images of these
	mark        word     // the place of the current command's first list
	asserts     int
	named       int // assertions that got a name smtcompK

	memories memories
	search   []word
	out      []byte
	sink     io.Writer // where out goes when it is full; nil keeps all in out
	sinkErr  error
}

// flushSize is how much output is collected before it is written, and outSize the room for it.
const (
	flushSize = 1 << 16
	outSize   = flushSize + flushSize/4
)

// Append adds the scrambled src to dst. A *Rejection comes together with what had been printed until then. Any other
// error leaves dst as it was.
func (s *Scrambler) Append(dst, src []byte, opt Options) ([]byte, error) {
	if err := opt.validate(); err != nil {
		return dst, err
	}
	s.begin(src, opt, false)
	s.out = dst
	if free := cap(dst) - len(dst); free < len(src) { // what is printed is rarely longer
		s.out = append(array[byte](len(dst)+len(src)+len(src)/8), dst...)
	}
	err := s.execute()
	s.release()
	dst, s.out = s.out, nil
	return dst, err
}

// WriteTo writes the scrambled src to w piece by piece, so that the output never stands in memory as a whole. After a
// *Rejection, what had been printed until then has been written. It is for an input that is scrambled alone: the memory of
// a larger one is not kept for the next.
func (s *Scrambler) WriteTo(w io.Writer, src []byte, opt Options) error {
	if err := opt.validate(); err != nil {
		return err
	}
	s.begin(src, opt, true)
	if s.out == nil {
		s.out = make([]byte, 0, outSize)
	}
	s.sink = w
	err := s.execute()
	s.flush()
	s.out, s.sink = nil, nil
	s.release()
	if s.sinkErr != nil {
		return &writeError{s.sinkErr}
	}
	return err
}

// writeError is an output that could not be written.
type writeError struct{ err error }

func (e *writeError) Error() string { return "write the scrambled benchmark: " + e.err.Error() }

func (e *writeError) Unwrap() error { return e.err }

// Count parses src and gives its number of assertions, as the official option -count-asserts does, together with the
// header lines that opt asks for.
func (s *Scrambler) Count(dst, src []byte, opt Options) ([]byte, int, error) {
	if err := opt.validate(); err != nil {
		return dst, 0, err
	}
	s.begin(src, opt, true)
	s.countOnly = true
	s.out = dst
	err := s.execute()
	s.release()
	dst, s.out = s.out, nil
	return dst, s.asserts, err
}

// begin makes the state of a new input. alone says that no other one of this size follows.
func (s *Scrambler) begin(src []byte, opt Options, alone bool) {
	*s = Scrambler{
		opt: opt, scrambling: opt.Seed > 0, random: generator{uint64(opt.Seed)},
		names: s.names, src: src,
		tape: recycle(s.tape), ops: recycle(s.ops), frames: recycle(s.frames), sortBases: recycle(s.sortBases),
		chunk: recycle(s.chunk), fresh: recycle(s.fresh), permutation: recycle(s.permutation),
		search: recycle(s.search),
		places: s.places, found: s.found,
		tapeStep: maxTape, memories: s.memories,
	}
	switch {
	case len(src) >= hugeInput:
		s.reserveAll(len(src))
	case len(src) >= onceInput && alone:
		s.carveAll(len(src))
	}
	s.names.reset(src)
	switch {
	case s.memories.pieces != nil:
	case len(src) > largeInput && cap(s.tape) < len(src)/2:
		s.tape = array[word](len(src))
	}
}

// reserveAll makes room for the longest arrays that an input of n bytes can lead to.
func (s *Scrambler) reserveAll(n int) {
	m := &s.memories
	s.names.reserve(m, n)
	s.tape = reserve(m, s.tape, n)
	s.ops = reserve(m, s.ops, n+2*plainRoom)
	s.frames = reserve(m, s.frames, n/2+2*plainRoom)
	s.sortBases = reserve(m, s.sortBases, n)
	s.chunk = reserve(m, s.chunk, n/6)
	s.fresh = reserve(m, s.fresh, n/4)
	s.permutation = reserve(m, s.permutation, n/4)
	s.search = s.ops // no list is open when assertions are looked through
	s.tapeStep = tapeStep
}

// Buffer gives an empty buffer for an input of size bytes, which WriteTo gets next, in memory that has room for its arrays
// too. That memory is never given back.
func (s *Scrambler) Buffer(size int) []byte {
	if size >= onceInput && size < hugeInput {
		m := memories{}
		m.cut(carvedSize[byte](size) + carvedAll(size))
		s.memories.rest = m.rest // and not the pieces, which would be given back
		if buffer := carve[byte](&s.memories, nil, size); buffer != nil {
			return buffer
		}
	}
	return make([]byte, 0, size)
}

// carvedAll is the memory that carveAll and the output take for an input of n bytes.
func carvedAll(n int) int {
	few, many := n/64+2*plainRoom, n/32
	return namesSize(n) + 2*carvedSize[uint32](many) + carvedSize[word](few) + carvedSize[frame](few) + carvedSize[command](many) +
		carvedSize[byte](outSize) + carvedSize[word](n)
}

// carveAll takes the arrays of an input of n bytes from one piece of memory: with room for what most inputs make of them,
// and for the longest in the tape, which is the last.
func (s *Scrambler) carveAll(n int) {
	few, many := n/64+2*plainRoom, n/32
	m := &s.memories
	if len(m.rest) < carvedAll(n) {
		m.cut(carvedAll(n))
	}
	s.names.carve(m, n)
	s.fresh = carve(m, s.fresh, many)
	s.permutation = carve(m, s.permutation, many)
	s.ops = carve(m, s.ops, few)
	s.frames = carve(m, s.frames, few)
	s.chunk = carve(m, s.chunk, many)
	s.out = carve(m, s.out, outSize)
	s.tape = carve(m, s.tape, n)
}

// release gives back what begin reserved.
func (s *Scrambler) release() {
	s.src = nil
	s.names.release()
	if s.memories.pieces == nil {
		return
	}
	s.tape, s.ops, s.frames, s.chunk, s.fresh, s.permutation = nil, nil, nil, nil, nil, nil
	s.sortBases, s.search = nil, nil
	s.names.forget()
	s.memories.release()
}

// execute does the work on a state that begin made.
func (s *Scrambler) execute() error {
	if s.opt.StatusHeader && !s.countOnly {
		s.out = AppendStatusHeader(s.out, s.src)
	}
	s.printHeader()
	s.commands()
	if s.rejection != nil {
		return s.rejection
	}
	return nil
}

// largeInput is the size from which a tape is made at once that cannot be too small. Memory that it does not use is
// never touched and so costs nothing.
const largeInput = 64 << 10

// recycle empties a slice and forgets it if it is very large.
func recycle[T any](s []T) []T {
	var zero T
	const keep = 16 << 20
	if uintptr(cap(s))*unsafe.Sizeof(zero) > keep {
		return nil
	}
	return s[:0]
}

// syntax rejects the input at the current token.
func (s *Scrambler) syntax(expected string) {
	s.reject(msgSyntax, "expected "+expected)
}

// reject ends the work at the current token; the first rejection counts. From here on the current token is the end of
// the input, so that every loop ends and nobody reads the token again, as plainTerms does.
func (s *Scrambler) reject(message, detail string) {
	if s.rejection == nil {
		s.rejection = &Rejection{
			Message:  message,
			Exit:     1,
			Position: place.At(unsafe.String(unsafe.SliceData(s.src), len(s.src)), s.start),
			Detail:   detail,
		}
	}
	s.tok, s.start, s.pos, s.name = tokEOF, len(s.src), math.MaxInt, noSym
}

// flushFull writes the output if there is a lot of it and somewhere to write to.
func (s *Scrambler) flushFull() {
	if len(s.out) >= flushSize && s.sink != nil {
		s.flush()
	}
}

func (s *Scrambler) flush() {
	if s.sinkErr == nil {
		_, s.sinkErr = s.sink.Write(s.out)
	}
	s.out = s.out[:0]
}

var pool = sync.Pool{New: func() any { return new(Scrambler) }}

// Append adds to dst what the official scrambler prints for src with these options. Many goroutines may call it at once.
//
// An input that the official program refuses gives a *Rejection; what had been printed until then has been added to dst
// all the same, and is not a benchmark. Any other error is a wrong option and leaves dst as it was.
func Append(dst, src []byte, opt Options) ([]byte, error) {
	s := pool.Get().(*Scrambler)
	defer pool.Put(s)
	return s.Append(dst, src, opt)
}
