package smtcompsite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// number is a float on a page, in the form that the package comment describes.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return nil, fmt.Errorf("%v cannot be a number of a page", float64(n))
	}
	return []byte(n.String()), nil
}

// String returns the number in the organisers' form. It must be finite.
func (n number) String() string {
	f, err := strconv.ParseFloat(strconv.FormatFloat(float64(n), 'f', 6, 64), 64) // preserves negative zero
	if err != nil {
		return err.Error() // cannot happen: ParseFloat accepts FormatFloat's output
	}
	if a := math.Abs(f); a != 0 && (a < 1e-5 || a >= 1e16) {
		text := strconv.FormatFloat(f, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		sign := strings.TrimPrefix(exponent[:1], "+")
		return mantissa + "e" + sign + strings.TrimLeft(exponent[1:], "0")
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// pageJSON writes an object with one key per line, indented by one space, without a final newline.
func pageJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// dataJSON writes a value on one line like Python, with spaces after commas and colons and with only ASCII characters.
func dataJSON(v any) ([]byte, error) {
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	inText, escaped := false, false
	for _, r := range strings.TrimSuffix(plain.String(), "\n") {
		switch {
		case r >= 0x7F:
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		case !inText && (r == ',' || r == ':'):
			b.WriteRune(r)
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
		if r == '"' && !escaped {
			inText = !inText
		}
		escaped = r == '\\' && !escaped
	}
	return b.Bytes(), nil
}
