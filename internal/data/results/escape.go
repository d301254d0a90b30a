package results

import (
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// EscapeDoc describes Escaped to readers of exports.
const EscapeDoc = `Texts are UTF-8 without control characters except tab, line feed and carriage return. Any other byte that a solver ` +
	`printed becomes \x and two hexadecimal digits, as does a backslash (\x5c) before text that resembles such an escape: ` +
	`replacing every \xHH with its byte restores the original output.`

// Escaped returns a text in the form that exports use; see EscapeDoc. It escapes bytes that are not UTF-8, control
// characters, and U+FFFE and U+FFFF, which XML forbids.
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
	return escape().ReplaceAllStringFunc(s, func(x string) string {
		c, _ := hex.DecodeString(x[2:])
		return string(c)
	})
}

var escape = pattern.Lazy(`\\x[0-9a-fA-F]{2}`)

// plain reports whether a text certainly needs no escaping. It may return false for such a text.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && !space(c) || c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

func space(c byte) bool { return c == '\t' || c == '\n' || c == '\r' }

// forbidden reports whether an export must not contain a rune of n bytes.
func forbidden(r rune, n int) bool {
	return r == utf8.RuneError && n == 1 || r < ' ' && !space(byte(r)) || r == 0x7f || r == 0xfffe || r == 0xffff
}

// isEscape reports whether a text begins with something that looks like an escape.
func isEscape(s string) bool {
	return len(s) >= 4 && s[0] == '\\' && s[1] == 'x' && hexDigit(s[2]) && hexDigit(s[3])
}

func hexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// escapeField escapes the texts in one field of a row.
func escapeField(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(Escaped(v.String()))
	case reflect.Slice:
		escaped := slices.Clone(v.Interface().([]string))
		for i, text := range escaped {
			escaped[i] = Escaped(text)
		}
		v.Set(reflect.ValueOf(escaped))
	}
}

// exportParquet writes a table in its stored form, or with escaped texts if any text needs escaping.
func exportParquet(w io.Writer, r io.ReaderAt, size int64, schema *Schema) error {
	columns, _, err := openOurs(r, size)
	if err != nil {
		return err
	}
	_, texts := columns.stored(table.String, table.Strings)
	clean, err := texts.clean()
	if err != nil {
		return fmt.Errorf("read table %s: %w", schema.Name, err)
	}
	if clean {
		_, err := io.Copy(w, io.NewSectionReader(r, 0, size))
		return err
	}
	rows, escaped := schema.sink(), reflect.New(schema.row).Elem()
	err = Each(r, size, func(row reflect.Value) error {
		escaped.Set(row)
		schema.addEscaped(rows, escaped)
		return nil
	})
	if err == nil {
		_, err = rows.write(w)
	}
	return err
}

// clean reports whether no text that is left to read needs escaping. It may return false if none does.
func (r *BatchReader) clean() (bool, error) {
	for b, err := range r.All() {
		if err != nil {
			return false, err
		}
		for i := range b.Columns {
			last := ""
			for text := range b.Columns[i].Texts() {
				if text != last && !plain(text) && Escaped(text) != text {
					return false, nil
				}
				last = text
			}
		}
	}
	return true, nil
}

// addEscaped escapes a row's texts and adds the row.
func (s *Schema) addEscaped(rows rowSink, row reflect.Value) {
	for k := range s.Columns {
		escapeField(s.Columns[k].Field(row))
	}
	rows.add(row)
}
