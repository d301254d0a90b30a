package scoreio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// object is a JSON object that preserves the order of its members.
type object []member

type member struct {
	key   string
	value any
}

// add appends a member.
func (o *object) add(key string, value any) { *o = append(*o, member{key, value}) }

// because returns the object with the reason why there is no winner, if there is one.
func (o object) because(noWinner string) object {
	if noWinner != "" {
		o.add("no_winner", noWinner)
	}
	return o
}

// MarshalJSON writes the members in order.
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

// marshal writes strings without HTML escapes, and numbers unchanged.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// indented returns a JSON document indented by one space per level, with a final newline.
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

// seconds returns a number of seconds as an exact decimal.
func seconds(s score.Sum) json.Number { return json.Number(s.String()) }

// float returns a float64, or null if it is not finite.
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
