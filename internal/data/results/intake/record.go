package intake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// setter sets a row's field from text.
type setter[Row any] func(row *Row, text string) error

// rowColumns returns a setter for each column of a schema's row type. part returns the part of a Row that has this
// type.
func rowColumns[Row any](schema *results.Schema, part func(*Row) reflect.Value) map[string]setter[Row] {
	set := map[string]setter[Row]{}
	for _, c := range schema.Columns {
		set[c.Name] = func(row *Row, text string) error { return c.Set(part(row), text) }
	}
	return set
}

// readCSV reads a table with a header whose columns are keys of set, in any order, and calls fn with each row. Each row
// starts as a copy of fresh. columns are the names in the header.
func readCSV[Row any](r io.Reader, fresh Row, set map[string]setter[Row], fn func(*Row) error) (columns []string,
	err error) {
	in := limits.Table.CSV(r)
	in.ReuseRecord = true
	header, err := in.Read()
	if err != nil {
		return nil, err
	}
	setters := make([]setter[Row], len(header))
	for i, name := range header {
		name = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))
		if setters[i] = set[name]; setters[i] == nil {
			return nil, unknownColumn(name, set)
		}
		if slices.Contains(columns, name) {
			return nil, fmt.Errorf("the column %q occurs twice", name)
		}
		columns = append(columns, name)
	}
	last := make([]string, len(header))
	for {
		record, err := in.Read()
		if err == io.EOF {
			return columns, nil
		}
		if err != nil {
			return nil, err
		}
		row := fresh
		for i, text := range record {
			if text = strings.TrimSpace(text); text != last[i] {
				last[i] = strings.Clone(text) // the record's texts share one memory block
			}
			if err := setters[i](&row, last[i]); err != nil {
				line, _ := in.FieldPos(i)
				return nil, &comp.LineError{Line: line, Where: "column " + columns[i], Err: err}
			}
		}
		if err := fn(&row); err != nil {
			line, _ := in.FieldPos(0)
			return nil, &comp.LineError{Line: line, Err: err}
		}
	}
}

// readJSONLines is like readCSV for a file with one object per line, whose fields are keys of set. columns are the
// names that occur.
func readJSONLines[Row any](r io.Reader, fresh Row, set map[string]setter[Row], fn func(*Row) error) (columns []string,
	err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 16<<20)
	seen := map[string]bool{}
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		decoder := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		decoder.UseNumber()
		var fields map[string]any
		err := decoder.Decode(&fields)
		if _, end := decoder.Token(); err == nil && end != io.EOF {
			err = errors.New("the line continues after the end of its object")
		}
		if err != nil {
			return nil, &comp.LineError{Line: n, Err: err}
		}
		row := fresh
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			put := set[name]
			if put == nil {
				return nil, &comp.LineError{Line: n, Err: unknownColumn(name, set)}
			}
			text, err := textOf(fields[name])
			if err == nil {
				err = put(&row, text)
			}
			if err != nil {
				return nil, &comp.LineError{Line: n, Where: "field " + name, Err: err}
			}
			seen[name] = true
		}
		if err := fn(&row); err != nil {
			return nil, &comp.LineError{Line: n, Err: err}
		}
	}
	return slices.Sorted(maps.Keys(seen)), lines.Err()
}

// textOf returns a JSON value as it would be written in CSV.
func textOf(value any) (string, error) {
	switch v := value.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case json.Number:
		return v.String(), nil
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			text, err := textOf(e)
			if err != nil {
				return "", err
			}
			parts[i] = text
		}
		return strings.Join(parts, " "), nil
	}
	return "", fmt.Errorf("an object cannot be a value here")
}

func unknownColumn[Row any](name string, set map[string]setter[Row]) error {
	return fmt.Errorf("unknown column %.100q; the columns are %s", name,
		strings.Join(slices.Sorted(maps.Keys(set)), ", "))
}
