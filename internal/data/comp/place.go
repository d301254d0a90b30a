package comp

import "fmt"

// LineError is an error in a line of text.
type LineError struct {
	Line   int    // line number, starting at 1
	Column int    // byte in the line, starting at 1; 0 if unknown
	Where  string // description of the position within the line, such as "column seed"; may be empty
	Err    error
}

func (e *LineError) Error() string {
	place := fmt.Sprint("line ", e.Line)
	if e.Column > 0 {
		place += fmt.Sprint(", column ", e.Column)
	}
	if e.Where != "" {
		place += ", " + e.Where
	}
	return place + ": " + e.Err.Error()
}

// Unwrap returns the underlying error.
func (e *LineError) Unwrap() error { return e.Err }

// ByteError is an error at a byte offset in a text.
type ByteError struct {
	Offset int64
	Err    error
}

func (e *ByteError) Error() string { return fmt.Sprintf("byte %d: %v", e.Offset, e.Err) }

// Unwrap returns the underlying error.
func (e *ByteError) Unwrap() error { return e.Err }
