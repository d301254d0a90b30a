package results

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/table"
)

// EscapeDoc describes Escaped for readers of exports.
const EscapeDoc = `Texts are UTF-8 without control characters but tab, line feed and carriage return. Each other byte that a solver ` +
	`printed stands as \x and two hexadecimal digits, and so does a backslash (\x5c) before what looks like such an escape: ` +
	`replacing every \xHH by its byte gives what was printed.`

// Escaped returns a text in the form of exports, see EscapeDoc. Bytes that are not UTF-8, U+FFFE and U+FFFF, which XML
// does not allow, and control characters are escaped.
func Escaped(s string) string {
	if plain(s) {
		return s
	}
	var w strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if forbidden(r, n) || isEscape(s[i:]) {
			for k := range n {
				fmt.Fprintf(&w, `\x%02x`, s[i+k])
			}
		} else {
			w.WriteString(s[i : i+n])
		}
		i += n
	}
	return w.String()
}

// Unescaped is the inverse of Escaped.
func Unescaped(s string) string {
	return escape.ReplaceAllStringFunc(s, func(x string) string {
		c, _ := hex.DecodeString(x[2:])
		return string(c)
	})
}

var escape = regexp.MustCompile(`\\x[0-9a-fA-F]{2}`)

// plain reports whether a text certainly needs no escapes.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && !space(c) || c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

func space(c byte) bool { return c == '\t' || c == '\n' || c == '\r' }

// forbidden reports whether a rune of n bytes must not occur in an export.
func forbidden(r rune, n int) bool {
	return r == utf8.RuneError && n == 1 || r < ' ' && !space(byte(r)) || r == 0x7f || r == 0xfffe || r == 0xffff
}

// isEscape reports whether a text begins like an escape.
func isEscape(s string) bool {
	return len(s) >= 4 && s[0] == '\\' && s[1] == 'x' && hexDigit(s[2]) && hexDigit(s[3])
}

func hexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// escapeField escapes the texts of one field of a row.
func escapeField(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(Escaped(v.String()))
	case reflect.Slice:
		for i := range v.Len() {
			escapeField(v.Index(i))
		}
	}
}

// exportParquet writes a table in its stored form, or with escaped texts if any need escapes.
func exportParquet(w io.Writer, r io.ReaderAt, size int64, schema *Schema) error {
	clean, err := isClean(r, size, schema)
	if err != nil {
		return err
	}
	if clean {
		_, err := io.Copy(w, io.NewSectionReader(r, 0, size))
		return err
	}
	rows := reflect.MakeSlice(reflect.SliceOf(schema.row), 0, 0)
	err = Each(r, size, func(row reflect.Value) error {
		rows = reflect.Append(rows, row)
		last := rows.Index(rows.Len() - 1)
		for i := range schema.Columns {
			escapeField(schema.Columns[i].Field(last))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return schema.write(w, rows.Interface())
}

// isClean reports whether no text of a table needs escapes.
func isClean(r io.ReaderAt, size int64, schema *Schema) (bool, error) {
	var names []string
	for _, c := range schema.Columns {
		switch c.Kind {
		case table.String:
			names = append(names, c.Name)
		case table.Strings: // cannot be read as a single column
			clean := true
			err := Each(r, size, func(row reflect.Value) error {
				for i := range schema.Columns {
					text := Text(schema.Columns[i].Field(row))
					clean = clean && (plain(text) || Escaped(text) == text)
				}
				return nil
			})
			return clean, err
		}
	}
	columns, err := OpenColumns(r, size)
	if err != nil {
		return false, err
	}
	batches, err := columns.Read(names...)
	if err != nil {
		return false, err
	}
	defer batches.Close()
	for {
		b, err := batches.Next()
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("read table %s: %w", schema.Name, err)
		}
		for i := range b.Columns {
			last := ""
			for row := range b.Rows {
				text := b.Columns[i].StringAt(row)
				if text != last && !plain(text) && Escaped(text) != text {
					return false, nil
				}
				last = text
			}
		}
	}
}

// WriteEscaped writes rows as Write does, with texts in the form of exports.
func WriteEscaped[Row any](w io.Writer, rows []Row) error {
	var stored bytes.Buffer
	if err := Write(&stored, rows); err != nil {
		return err
	}
	return Export(w, bytes.NewReader(stored.Bytes()), int64(stored.Len()), Parquet)
}
