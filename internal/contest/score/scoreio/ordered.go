package scoreio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	key   string
	value any
}

// add appends a member.
func (o *object) add(key string, value any) { *o = append(*o, member{key, value}) }

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(m.key)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		val, err := marshal(m.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.key, err)
		}
		b.Write(val)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal writes strings without the escapes of HTML, and numbers as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// indented returns a document of JSON with one space of indentation and a final line break.
func indented(v any) ([]byte, error) {
	raw, err := marshal(v)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// seconds returns an exact decimal number.
func seconds(s score.Sum) json.Number { return json.Number(s.String()) }

// float returns a float64, or null when it has no value.
func float(f *float64) any {
	if f == nil || math.IsNaN(*f) || math.IsInf(*f, 0) {
		return nil
	}
	return json.Number(strconv.FormatFloat(*f, 'g', -1, 64))
}

// list returns an empty list instead of nil.
func list[V any](v []V) []V {
	if v == nil {
		return []V{}
	}
	return v
}
