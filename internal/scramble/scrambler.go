package scramble

import (
	"io"
	"math"
	"slices"
	"sync"

	"github.com/smtpipe/smtpipe/internal/smtlib"
)

// Scrambler holds the buffers of one scrambling, to be used again for the next. Its zero value is ready. It is not safe
// for several goroutines at a time; [Append] is.
type Scrambler struct {
	// Release, if set, is called with parts of the text that have been read and are rarely looked at again: only for
	// names of more than sixteen bytes. Their memory may be given back if it comes again with the same bytes, as that
	// of a mapped file does.
	Release func(part []byte)

	opt        Options
	scrambling bool
	countOnly  bool
	rejection  *Rejection
	random     generator
	names      names
	actions    *actions // nil before set-logic

	src      []byte
	window   int // end of the part that is read now; see moveWindow
	released int // where that part begins
	pos      int // behind the current token
	tok      tokenKind
	start    int  // of the current token
	name     sym  // of the current token, unless it is a parenthesis
	discard  bool // names and constants get no entries

	lastRead int  // where the official program's last piece of the input begins; see findLastRead
	lastLine bool // a comment was found that no end of a line ends, so there is none in what follows

	tape      []word
	ops       []word // elements of open lists
	frames    []frame
	sortBases []uint32 // of each open sort or value, where its elements begin in ops

	chunk       []command
	numbers     int      // how many names have numbers since before this chunk
	fresh       []sym    // the names that got the next numbers in this chunk
	permutation []uint32 // images of these
	asserts     int
	named       int // assertions that got a name smtcompK

	search  []word
	out     []byte
	buffer  []byte    // for out, if it is written
	sink    io.Writer // where out goes when it is full; nil keeps all in out
	sinkErr error
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
	s.begin(src, opt)
	s.out = dst
	if cap(dst)-len(dst) < len(src) { // what is printed is rarely longer
		s.out = slices.Grow(dst, len(src)+len(src)/8)
	}
	err := s.execute()
	s.forget()
	dst, s.out = s.out, nil
	return dst, err
}

// WriteTo writes the scrambled src to w piece by piece, so that the output never stands in memory as a whole. After a
// *Rejection, what had been printed until then has been written.
func (s *Scrambler) WriteTo(w io.Writer, src []byte, opt Options) error {
	if err := opt.validate(); err != nil {
		return err
	}
	s.begin(src, opt)
	s.out, s.sink = slices.Grow(s.buffer, outSize), w
	err := s.execute()
	s.flush()
	s.buffer, s.out, s.sink = recycle(s.out), nil, nil
	s.forget()
	if s.sinkErr != nil {
		return &writeError{s.sinkErr}
	}
	return err
}

// writeError is an output that could not be written.
type writeError struct{ err error }

func (e *writeError) Error() string { return "write the scrambled benchmark: " + e.err.Error() }

func (e *writeError) Unwrap() error { return e.err }

// Count parses src and returns its number of assertions, as the official option -count-asserts does, together with the
// header lines that opt asks for.
func (s *Scrambler) Count(dst, src []byte, opt Options) ([]byte, int, error) {
	if err := opt.validate(); err != nil {
		return dst, 0, err
	}
	s.begin(src, opt)
	s.countOnly = true
	s.out = dst
	err := s.execute()
	s.forget()
	dst, s.out = s.out, nil
	return dst, s.asserts, err
}

// begin makes the state of a new input.
func (s *Scrambler) begin(src []byte, opt Options) {
	*s = Scrambler{
		Release: s.Release, opt: opt, scrambling: opt.Seed > 0, random: generator{uint64(opt.Seed)},
		names: s.names, src: src,
		tape: recycle(s.tape), ops: recycle(s.ops), frames: recycle(s.frames), sortBases: recycle(s.sortBases),
		chunk: recycle(s.chunk), fresh: recycle(s.fresh), permutation: recycle(s.permutation),
		search: recycle(s.search), buffer: s.buffer,
	}
	if n := len(src) / bytesPerWord; cap(s.tape) < n {
		s.tape = make([]word, 0, n) // slices.Grow would write to all of it
	}
	s.names.reset(src)
}

// bytesPerWord is how many bytes of a benchmark lead to a word on the tape, about.
const bytesPerWord = 4

// forget forgets the input.
func (s *Scrambler) forget() {
	s.src = nil
	s.names.release()
}

// execute does the work on a state that begin made.
func (s *Scrambler) execute() error {
	if s.opt.StatusHeader && !s.countOnly {
		s.printStatuses()
	}
	s.printHeader()
	s.commands()
	if s.rejection != nil {
		return s.rejection
	}
	return nil
}

// recycle empties a slice and forgets it if it is very large.
func recycle[T any](s []T) []T {
	const keep = 1 << 21
	if cap(s) > keep {
		return nil
	}
	return s[:0]
}

// syntax rejects the input at the current token.
func (s *Scrambler) syntax(expected string) {
	s.reject(msgSyntax, "expected "+expected)
}

// reject ends the work at the current token; the first rejection counts. From here on the current token is the end of
// the input, so that every loop ends.
func (s *Scrambler) reject(message, detail string) {
	if s.rejection == nil {
		s.rejection = &Rejection{
			Message:  message,
			Exit:     1,
			Position: smtlib.PositionAt(s.src, s.start),
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

// Append adds to dst what the official scrambler prints for src with these options. Many goroutines may call it at
// once.
//
// For an input that the official program refuses the error is a *Rejection; what had been printed until then has been
// added to dst all the same, and is not a benchmark. Any other error is a wrong option and leaves dst as it was.
func Append(dst, src []byte, opt Options) ([]byte, error) {
	s := pool.Get().(*Scrambler)
	defer pool.Put(s)
	return s.Append(dst, src, opt)
}
