package lsp

import (
	"bytes"
	"net/url"
	"path/filepath"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

// offsetOf returns the byte offset of a position whose column counts UTF-16 code units. A position beyond the end of a
// line or of the text is moved to that end.
func offsetOf(src []byte, pos position) int {
	at := 0
	for range pos.Line {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	for units := uint32(0); at < len(src) && src[at] != '\n' && units < pos.Character; {
		r, size := utf8.DecodeRune(src[at:])
		units += unitsOf(r)
		if units > pos.Character {
			break // inside a character
		}
		at += size
	}
	return at
}

// unitsOf returns the number of UTF-16 code units in a character.
func unitsOf(r rune) uint32 {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// positionOf returns the position of a byte offset.
func positionOf(src []byte, offset int) position {
	offset = min(max(offset, 0), len(src))
	var pos position
	start := bytes.LastIndexByte(src[:offset], '\n') + 1
	pos.Line = uint32(bytes.Count(src[:start], []byte{'\n'}))
	for at := start; at < offset; {
		r, size := utf8.DecodeRune(src[at:])
		pos.Character += unitsOf(r)
		at += size
	}
	return pos
}

// span is a range of bytes in a text.
type span struct{ start, end int }

func rangeOf(src []byte, s span) textRange {
	return textRange{Start: positionOf(src, s.start), End: positionOf(src, s.end)}
}

func spanOf(r hcl.Range) span { return span{r.Start.Byte, r.End.Byte} }

// pathOf returns the path of a file URI, or "" if the URI does not refer to a file on disk.
func pathOf(uri docURI) string {
	u, err := url.Parse(string(uri))
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	return filepath.Clean(u.Path)
}

func uriOf(path string) docURI {
	return docURI((&url.URL{Scheme: "file", Path: path}).String())
}
