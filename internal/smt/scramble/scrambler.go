package scramble

import (
	"io"
	"math"
	"slices"
	"sync"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// Scrambler scrambles benchmarks and reuses its buffers. Its zero value is ready to use. Unlike [Append], it is not
// safe for concurrent use.
type Scrambler struct {
	// Release, if set, is called with parts of the text that have been read. The scrambler accesses them again only for
	// names longer than sixteen bytes, which are rare. Their memory may be released if reading it again yields the same
	// bytes, as with a mapped file.
	Release func(part []byte)

	opt               Options
	reorders, renames bool
	countOnly         bool
	rejection         *Rejection
	random            generator
	names             names
	actions           *actions // nil before set-logic

	src      []byte
	window   int // end of the current window; see moveWindow
	released int // start of the current window
	pos      int // position after the current token
	tok      tokenKind
	start    int  // start of the current token
	name     sym  // name of the current token, unless it is a parenthesis
	discard  bool // do not create entries for names and constants

	lastRead int  // start of the official program's last piece of the input; see findLastRead
	lastLine bool // a comment without a line end was found, so there are no more line ends

	tape      []word
	ops       []word // elements of open lists
	frames    []frame
	sortBases []uint32 // start of the elements in ops, for each open sort or value

	chunk       []command
	numbers     int      // number of names with numbers before this chunk
	fresh       []sym    // names that were assigned numbers in this chunk, in order
	permutation []uint32 // images of their numbers
	asserts     int
	named       int // number of assertions named smtcompK

	search  []word
	out     []byte
	buffer  []byte    // reused memory for out when writing to sink
	sink    io.Writer // destination for out when it is full, or nil if everything stays in out
	sinkErr error
}

// flushSize is the amount of output collected before it is written; outSize is the size of the buffer.
const (
	flushSize = 1 << 16
	outSize   = flushSize + flushSize/4
)

// Append appends the scrambled src to dst. If the error is a *Rejection, the output before it has been appended. Any
// other error leaves dst unchanged.
func (s *Scrambler) Append(dst, src []byte, opt Options) ([]byte, error) {
	if err := opt.validate(); err != nil {
		return dst, err
	}
	s.begin(src, opt)
	s.out = dst
	if cap(dst)-len(dst) < len(src) { // the output is rarely longer than src
		s.out = slices.Grow(dst, len(src)+len(src)/8)
	}
	err := s.execute()
	s.forget()
	dst, s.out = s.out, nil
	return dst, err
}

// WriteTo writes the scrambled src to w in chunks, so the output is never in memory as a whole. If the error is a
// *Rejection, the output before it has been written.
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

// Count parses src and returns its number of assertions, like the official option -count-asserts. It appends the header
// lines that opt requests to dst.
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

// begin initialises the state for a new input.
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
		s.tape = make([]word, 0, n) // slices.Grow would write to all of the memory
	}
	s.names.reset(src)
}

// bytesPerWord is the approximate number of benchmark bytes per word of tape.
const bytesPerWord = 4

// forget drops references to the input.
func (s *Scrambler) forget() {
	s.src = nil
	s.names.release()
}

// execute scrambles the input that begin has set up.
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

// recycle returns an empty slice with the same memory, or nil if the memory is very large.
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

// reject ends the work at the current token. Only the first rejection counts. The current token becomes the end of the
// input, so every loop ends.
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

// flushFull writes the output to the sink, if there is one, once there is enough of it.
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

// Append appends to dst the official scrambler's output for src with the given options. It is safe for concurrent use.
//
// If the official program rejects the input, the error is a *Rejection. The output before it has then been appended to
// dst, but is not a benchmark. Any other error reports an invalid option and leaves dst unchanged.
func Append(dst, src []byte, opt Options) ([]byte, error) {
	s := pool.Get().(*Scrambler)
	defer pool.Put(s)
	return s.Append(dst, src, opt)
}
