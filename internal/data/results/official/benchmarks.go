package official

import (
	"fmt"
	"io"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Entry is one benchmark of a list benchmarks-YYYY.json.
type Entry struct {
	Path      string        // as incremental/LOGIC/family/name.smt2
	Location  comp.Location // the parts of Path
	Status    comp.Status   // of a non-incremental benchmark; otherwise empty
	Asserts   int64         // of a non-incremental benchmark; otherwise -1
	CheckSats int64         // of an incremental benchmark; otherwise 1
}

// Row returns the entry as a row of benchmarks/1. isNew reports whether its family is new this year. Data that is not
// in the list is empty or 0, and the asserts of an incremental benchmark are 0.
func (e Entry) Row(isNew bool) results.BenchmarkRow {
	row := results.BenchmarkRow{
		Path:        e.Path,
		Logic:       string(e.Location.Logic),
		Family:      string(e.Location.Family),
		Name:        e.Location.Name,
		Incremental: e.Location.Incremental,
		New:         isNew,
		Status:      string(e.Status),
		Asserts:     max(e.Asserts, 0),
		CheckSats:   e.CheckSats,
	}
	if e.Location.Incremental {
		row.Status = "incremental"
	}
	return row
}

// ReadBenchmarks reads an unpacked list of benchmarks and calls fn with each, the incremental ones first, as in the
// file. An error of fn stops reading and is returned.
func ReadBenchmarks(r io.Reader, fn func(Entry) error) error {
	b := &benchmarkReader{s: newTokens(r), fn: fn}
	b.s.object(func(name []byte) {
		switch list := string(name); list {
		case "incremental", "non_incremental":
			b.list, b.index = list, 0
			b.s.array(b.entry)
		default:
			b.s.fail("unknown field %q of the list", name)
		}
	})
	if b.s.err == nil {
		b.list = ""
		b.s.atEnd()
	}
	switch {
	case b.s.err == nil:
		return nil
	case b.list == "":
		return fmt.Errorf("official list of benchmarks: %w", b.s.err)
	}
	return fmt.Errorf("official list of benchmarks, entry %d of %s: %w", b.index, b.list, b.s.err)
}

type benchmarkReader struct {
	s        *tokens
	fn       func(Entry) error
	list     string
	index    int
	location location
}

// entry consumes {file, status, asserts} or {file, check_sats}.
func (b *benchmarkReader) entry() {
	s := b.s
	e := Entry{Asserts: -1, CheckSats: 1}
	incremental := b.list == "incremental"
	var seen, twice uint8
	s.object(func(name []byte) {
		bit := b.field(&e, name)
		twice |= seen & bit
		seen |= bit
	})
	want := fileField | statusField | assertsField
	if incremental {
		want = fileField | checkSatsField
	}
	if s.err == nil && (seen != want || twice != 0) {
		s.fail("an entry of this list needs file and %s, each once", map[bool]string{true: "check_sats",
			false: "status, asserts"}[incremental])
	}
	if s.err == nil && b.location.incremental != incremental {
		s.fail("the file's field incremental contradicts the list that it is in")
	}
	if s.err != nil {
		return
	}
	b.give(&e)
}

// give passes an entry on.
func (b *benchmarkReader) give(e *Entry) {
	e.Path, e.Location = b.location.place()
	if err := b.fn(*e); err != nil {
		b.s.err = err
	}
	b.index++
}

// The fields of an entry.
const (
	fileField uint8 = 1 << iota
	checkSatsField
	statusField
	assertsField
)

// field consumes the value of a field and gives the field's bit.
func (b *benchmarkReader) field(e *Entry, name []byte) uint8 {
	switch string(name) {
	case "file":
		b.location.read(b.s)
		return fileField
	case "check_sats":
		e.CheckSats = b.s.whole(-1)
		return checkSatsField
	case "status":
		e.Status = b.s.status()
		return statusField
	case "asserts":
		e.Asserts = b.s.whole(-1)
		return assertsField
	}
	b.s.fail("unknown field %q", name)
	return 0
}

// status consumes sat, unsat or unknown.
func (s *tokens) status() comp.Status {
	status, err := comp.ParseStatus(string(s.str()))
	if err != nil {
		s.fail("%v", err)
	}
	return status
}
