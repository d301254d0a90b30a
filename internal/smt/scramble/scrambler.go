package scramble

import (
	"io"
	"math"
	"slices"
	"sync"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// Scrambler holds the buffers of one scrambling, for reuse by the next. Its zero value is ready. It is not safe for
// concurrent use; [Append] is.
type Scrambler struct {
	// Release, if set, is called with parts of the text that have been read. They are rarely looked at again: only for
	// names of more than sixteen bytes. Their memory may be given back if reading it again yields the same bytes, as
	// with a mapped file.
	Release func(part []byte)

	opt               Options
	reorders, renames bool
	countOnly         bool
	rejection         *Rejection
	random            generator
	names             names
	actions           *actions // nil before set-logic

	src      []byte
	window   int // end of the current part; see moveWindow
	released int // where that part begins
	pos      int // after the current token
	tok      tokenKind
	start    int  // of the current token
	name     sym  // of the current token, unless it is a parenthesis
	discard  bool // names and constants get no entries

	lastRead int  // where the official program's last piece of the input begins; see findLastRead
	lastLine bool // a comment without an end of its line was found, so no line ends follow

	tape      []word
	ops       []word // elements of open lists
	frames    []frame
	sortBases []uint32 // of each open sort or value: the start of its elements in ops

	chunk       []command
	numbers     int      // how many names had numbers before this chunk
	fresh       []sym    // the names that got the next numbers in this chunk
	permutation []uint32 // images of these
	asserts     int
	named       int // assertions that got a name smtcompK

	search  []word
	out     []byte
	buffer  []byte    // the memory of out if out is written to sink
	sink    io.Writer // destination of out when it is full; nil: everything stays in out
	sinkErr error
}

// flushSize is how much output is collected before it is written, and outSize the room for it.
const (
	flushSize = 1 << 16
	outSize   = flushSize + flushSize/4
)

// Append adds the scrambled src to dst. With a *Rejection, the output up to that point has been added. Any other error
// leaves dst unchanged.
func (s *Scrambler) Append(dst, src []byte, opt Options) ([]byte, error) {
	if err := opt.validate(); err != nil {
		return dst, err
	}
	s.begin(src, opt)
	s.out = dst
	if cap(dst)-len(dst) < len(src) { // the output is rarely longer
		s.out = slices.Grow(dst, len(src)+len(src)/8)
	}
	err := s.execute()
	s.forget()
	dst, s.out = s.out, nil
	return dst, err
}

// WriteTo writes the scrambled src to w piece by piece, so that the output is never in memory as a whole. After a
// *Rejection, the output up to that point has been written.
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

// writeError reports that output could not be written.
type writeError struct{ err error }

func (e *writeError) Error() string { return "write the scrambled benchmark: " + e.err.Error() }

func (e *writeError) Unwrap() error { return e.err }

// Count parses src and returns its number of assertions, like the official option -count-asserts, together with the
// header lines that opt requests.
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

// begin sets up the state for a new input.
func (s *Scrambler) begin(src []byte, opt Options) {
	*s = Scrambler{
		Release: s.Release, opt: opt, random: generator{uint64(opt.Seed)},
		reorders: opt.Seed > 0 && !opt.KeepOrder, renames: opt.Seed > 0 && !opt.KeepNames,
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

// bytesPerWord is the approximate number of bytes of a benchmark per word on the tape.
const bytesPerWord = 4

// forget forgets the input.
func (s *Scrambler) forget() {
	s.src = nil
	s.names.release()
}

// execute does the work on a state that begin has set up.
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

// reject ends the work at the current token. The first rejection counts. From here on the current token is the end of
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

// Append adds to dst the output of the official scrambler for src with these options. It is safe for concurrent use.
//
// For an input that the official program refuses the error is a *Rejection. The output up to that point has
// nevertheless been added to dst, and is not a benchmark. Any other error is a wrong option and leaves dst unchanged.
func Append(dst, src []byte, opt Options) ([]byte, error) {
	s := pool.Get().(*Scrambler)
	defer pool.Put(s)
	return s.Append(dst, src, opt)
}
