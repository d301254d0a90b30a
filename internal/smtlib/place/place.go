// Package place tells where in a text something stands. It stands apart from package smtlib, which has the same names, for the
// scrambler: see cmd/smtpipe/scrambling.
package place

import (
	"bytes"
	"strconv"
	"unsafe"
)

// Position is a place in a text. Line and Column count from 1; a column is one byte. Offset counts bytes from 0.
type Position struct {
	Offset, Line, Column int
}

// String gives "line 3, column 7".
func (p Position) String() string {
	return "line " + strconv.Itoa(p.Line) + ", column " + strconv.Itoa(p.Column)
}

// At counts the lines of src up to offset. It takes time linear in offset.
func At(src string, offset int) Position {
	offset = min(max(offset, 0), len(src))
	before := unsafe.Slice(unsafe.StringData(src), offset) // package strings is initialised late
	return Position{
		Offset: offset,
		Line:   1 + bytes.Count(before, []byte{'\n'}),
		Column: offset - bytes.LastIndexByte(before, '\n'),
	}
}
