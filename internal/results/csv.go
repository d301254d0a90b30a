package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/limits"
)

// FromCSV reads rows of a schema from CSV with a header and writes them to w as a stored table. It returns the number
// of rows. Every column of the header must be one of the schema. Missing columns are empty, 0 or false, but those of
// the primary key must be present. Errors name line and column.
func FromCSV(w io.Writer, r io.Reader, schema *Schema) (int64, error) {
	cr := csv.NewReader(limits.Table.Reader(r))
	cr.ReuseRecord = true
	header, err := cr.Read()
	if err == io.EOF {
		return 0, fmt.Errorf("the file is empty; the first line must name the columns")
	}
	if err != nil {
		return 0, err
	}
	fields, err := headerFields(schema, header)
	if err != nil {
		return 0, err
	}
	rows := reflect.MakeSlice(reflect.SliceOf(schema.row), 0, 0)
	for {
		record, err := cr.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
		row := reflect.New(schema.row).Elem()
		for i, text := range record {
			c := &schema.Columns[fields[i]]
			err := c.Set(row, text)
			if f := c.Field(row); err == nil && f.Kind() == reflect.Float64 &&
				(math.IsNaN(f.Float()) || math.IsInf(f.Float(), 0)) {
				err = fmt.Errorf("%q is not a finite number", text)
			}
			if err != nil {
				line, column := cr.FieldPos(i)
				return 0, &comp.LineError{Line: line, Where: fmt.Sprintf("column %d (%s)", column,
					c.Name), Err: err}
			}
		}
		rows = reflect.Append(rows, row)
	}
	return int64(rows.Len()), schema.write(w, rows.Interface())
}

// headerFields returns the field of each column of a header.
func headerFields(schema *Schema, header []string) ([]int, error) {
	fields := make([]int, len(header))
	seen := map[string]bool{}
	for i, name := range header {
		name = strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))
		fields[i] = -1
		for f, c := range schema.Columns {
			if c.Name == name {
				fields[i] = f
			}
		}
		switch {
		case fields[i] < 0:
			return nil, fmt.Errorf("the table %s has no column %.100q", schema.Name, name)
		case seen[name]:
			return nil, fmt.Errorf("the column %.100q occurs twice", name)
		}
		seen[name] = true
	}
	for _, c := range schema.Columns {
		if c.Key && !seen[c.Name] {
			return nil, fmt.Errorf("the column %q is missing, which is part of the key of %s", c.Name, schema.Name)
		}
	}
	return fields, nil
}

// ParseBool returns a truth value of a table.
func ParseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "yes", "1":
		return true, nil
	case "false", "no", "0", "":
		return false, nil
	}
	return false, fmt.Errorf("%q is neither true nor false", text)
}

func setField(f reflect.Value, text string) error {
	if text == "" {
		return nil
	}
	switch f.Kind() {
	case reflect.String:
		f.SetString(text)
	case reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		f.SetInt(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		f.SetFloat(x)
	case reflect.Bool:
		b, err := ParseBool(text)
		if err != nil {
			return err
		}
		f.SetBool(b)
	default:
		f.Set(reflect.ValueOf(strings.Fields(text)))
	}
	return nil
}
