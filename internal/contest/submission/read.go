package submission

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Parse parses a submission file. file is its name in messages. If there are problems, it returns a nil submission and
// an error of type Problems with all of them. The names of tracks, divisions and logics depend on the year; Expand
// checks them.
func Parse(file string, data []byte) (*Submission, error) { return whole(parse(file, data, false)) }

// ParseEarlier is like Parse but also accepts the files of 2024 and 2025: a participation can name a repository with a
// cloud image instead of archive and command, and a derived solver can have any name.
func ParseEarlier(file string, data []byte) (*Submission, error) {
	return whole(parse(file, data, true))
}

// Read is like Parse but also returns the readable part of a file with problems, for further checks. It returns nil if
// nothing is readable, for example because the file is not JSON.
func Read(file string, data []byte) (*Submission, Problems) { return parse(file, data, false) }

func whole(s *Submission, problems Problems) (*Submission, error) {
	if len(problems) > 0 {
		return nil, problems
	}
	return s, nil
}

// parse parses the JSON, validates it against the schema, and then makes the checks that a schema cannot express.
func parse(name string, data []byte, earlier bool) (*Submission, Problems) {
	f := &file{places: places{file: name, lines: linesOf(data), offsets: map[string]int{"": 0}}, data: data,
		failed: map[string]bool{}}
	root, err := f.tree()
	if err != nil {
		return nil, Problems{f.syntax(err)}
	}
	if err := f.check(root, earlier); err != nil {
		return nil, Problems{f.at("", err.Error())}
	}
	var s *Submission
	if _, ok := root.(map[string]any); ok {
		s = value{f: f, v: root}.submission()
		s.Warnings, s.slips, s.places = f.warnings, f.slips, f.places
	}
	f.problems.Sort()
	return s, f.problems
}

// file is a submission file being read.
type file struct {
	places
	data                      []byte
	problems, warnings, slips Problems
	failed                    map[string]bool // pointers with a problem
}

// report records a problem with a value, unless one is already recorded: later checks rely on earlier ones.
func (f *file) report(pointer, format string, args ...any) {
	if !f.failed[pointer] {
		f.failed[pointer] = true
		f.problems = append(f.problems, f.at(pointer, fmt.Sprintf(format, args...)))
	}
}

// warn records a warning about a value that is allowed but probably a mistake.
func (f *file) warn(pointer, format string, args ...any) {
	f.warnings = append(f.warnings, f.at(pointer, fmt.Sprintf(format, args...)))
}

// tree parses the file's only value.
func (f *file) tree() (any, error) {
	if err := limits.Submission.CheckJSON(f.data, f.file); err != nil {
		return nil, err
	}
	for _, magic := range []string{"PK\x03\x04", "\x1f\x8b", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd"} {
		if strings.HasPrefix(string(f.data), magic) {
			return nil, errors.New("not JSON but an archive; a submission is a JSON file, which names the archive")
		}
	}
	if strings.HasPrefix(string(f.data), "\ufeff") {
		return nil, errors.New("not JSON: the file begins with a byte order mark; save it as UTF-8 without a byte " +
			"order mark")
	}
	d := jsontext.NewDecoder(strings.NewReader(string(f.data)), jsontext.AllowDuplicateNames(true))
	root, err := f.value(d)
	if err != nil {
		return nil, err
	}
	end := d.InputOffset()
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, &jsontext.SyntacticError{ByteOffset: end, Err: errMore}
	}
	return root, nil
}

var (
	errMore = errors.New("there is text after the end of the submission")
	errEnd  = errors.New("the file ends too early")
)

// syntax returns the problem of a file that cannot be parsed.
func (f *file) syntax(err error) Problem {
	bad, ok := errors.AsType[*jsontext.SyntacticError](err)
	if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		bad, ok = &jsontext.SyntacticError{ByteOffset: int64(len(f.data)), Err: errEnd}, true
	}
	if !ok {
		return f.at("", err.Error())
	}
	at, text := int(bad.ByteOffset), "not JSON: "+bad.Err.Error()
	switch {
	case errors.Is(err, errMore):
		for text = errMore.Error(); at < len(f.data) && strings.IndexByte(" \t\r\n", f.data[at]) >= 0; at++ {
		}
	case strings.Contains(text, "UTF-8"):
		text += "; save the file as UTF-8"
	case strings.Contains(text, "surrogate"):
		text = `not JSON: an escape such as \ud83d is half of a character; write the character itself`
	case strings.Contains(text, "',' at start"):
		text = "not JSON: a value must follow this comma"
	}
	line, column := f.lines.position(min(at, len(f.data)))
	return Problem{File: f.file, Line: line, Column: column, Text: text}
}

// value parses a value: nil, bool, string, json.Number for a 64-bit integer, float64 for other numbers, []any or
// map[string]any.
func (f *file) value(d *jsontext.Decoder) (any, error) {
	switch d.PeekKind() {
	case '{':
		return f.object(d)
	case '[':
		if _, err := d.ReadToken(); err != nil {
			return nil, err
		}
		f.offsets[string(d.StackPointer())] = int(d.InputOffset()) - 1
		items := []any{}
		for d.PeekKind() != ']' {
			v, err := f.value(d)
			if err != nil {
				return nil, err
			}
			items = append(items, v)
		}
		_, err := d.ReadToken()
		return items, err
	}
	raw, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	f.offsets[string(d.StackPointer())] = int(d.InputOffset()) - len(raw)
	switch raw.Kind() {
	case 't', 'f':
		return raw.Kind() == 't', nil
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		return string(text), err
	case '0':
		return number(string(raw)), nil
	}
	return nil, nil
}

func (f *file) object(d *jsontext.Decoder) (any, error) {
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	f.offsets[string(d.StackPointer())] = int(d.InputOffset()) - 1
	fields := map[string]any{}
	for d.PeekKind() != '}' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name, pointer := token.String(), string(d.StackPointer())
		v, err := f.value(d)
		if err != nil {
			return nil, err
		}
		if _, twice := fields[name]; twice {
			f.report(pointer, "the field %q occurs twice", name)
		}
		fields[name] = v
	}
	_, err := d.ReadToken()
	return fields, err
}

// number returns 64-bit integers as such: 42, or 42.0 and 4.2e1 below 2^53. It replaces any other number with 0.5,
// which is not an integer either, because computing with a number like 1e999999 takes too long.
func number(text string) any {
	if strings.ContainsAny(text, ".eE") {
		n, err := strconv.ParseFloat(text, 64)
		vanished := n == 0 && strings.ContainsAny(text, "123456789")
		if err != nil || n != math.Trunc(n) || math.Abs(n) >= 1<<53 || vanished {
			return 0.5
		}
		text = strconv.FormatInt(int64(n), 10)
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return 0.5
	}
	return json.Number(text)
}

// describe describes a value for an error message.
func (f *file) describe(pointer string, v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case string:
		return fmt.Sprintf("the string %.60q", v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	raw := string(f.data[f.offsets[pointer]:])
	if end := strings.IndexAny(raw, ",]} \t\r\n"); end >= 0 {
		raw = raw[:end]
	}
	return fmt.Sprintf("the number %.60s", raw)
}
