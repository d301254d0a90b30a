package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// csvReader reads CSV with a header.
type csvReader struct {
	*limits.CSV
	names []string // column names in the header
}

// newCSV reads a header. It returns io.EOF if there is none.
func newCSV(r io.Reader) (*csvReader, error) {
	c := &csvReader{CSV: limits.Table.CSV(r)}
	header, err := c.Read()
	if err != nil {
		return nil, err
	}
	for _, name := range header {
		c.names = append(c.names, strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
	}
	c.ReuseRecord = true
	return c, nil
}

// next reads a row. An error in a single row is a comp.LineError, after which reading can continue.
func (c *csvReader) next() (record []string, err error) {
	record, err = c.Read()
	bad, ok := errors.AsType[*csv.ParseError](err)
	switch {
	case !ok:
		return record, err
	case bad.Err == csv.ErrFieldCount:
		err = fmt.Errorf("the line has %d fields, but the header names %d columns", len(record), len(c.names))
	case bad.Err == csv.ErrQuote:
		err = errors.New("a quote is not closed or is followed by text")
	default:
		err = errors.New("a quote is in a field that does not begin with one")
	}
	return nil, &comp.LineError{Line: bad.StartLine, Err: err}
}

// CSVColumns reads selected columns of CSV with a header, in batches of rows. All values are texts.
type CSVColumns struct {
	*csvReader
	fields []int // indexes of the columns to read
	rows   int64
	err    error // error of the row after the last batch
}

// OpenCSV reads the header of CSV. It returns io.EOF if there is none.
func OpenCSV(r io.Reader) (*CSVColumns, error) {
	in, err := newCSV(r)
	return &CSVColumns{csvReader: in}, err
}

// Names returns the column names.
func (c *CSVColumns) Names() []string { return slices.Clone(c.names) }

// Choose sets the columns that Next reads.
func (c *CSVColumns) Choose(names ...string) {
	c.fields = nil
	for _, name := range names {
		c.fields = append(c.fields, slices.Index(c.names, name))
	}
}

// Next returns the next batch, or io.EOF after the last one. After a comp.LineError, it continues with the next row.
func (c *CSVColumns) Next() (*Batch, error) {
	b := &Batch{First: c.rows}
	texts := make([][]string, len(c.fields))
	for i := range texts {
		texts[i] = make([]string, 0, batchRows)
	}
	for c.err == nil && b.Rows < batchRows {
		var record []string
		if record, c.err = c.next(); c.err == nil {
			line, _ := c.FieldPos(0)
			b.Lines = append(b.Lines, line)
			b.Rows++
			for i, k := range c.fields {
				texts[i] = append(texts[i], record[k])
			}
		}
	}
	if b.Rows == 0 {
		err := c.err
		if _, one := errors.AsType[*comp.LineError](err); one {
			c.err = nil
		}
		return nil, err
	}
	for _, column := range texts {
		b.Columns = append(b.Columns, table.StringsOf(column))
	}
	c.rows += int64(b.Rows)
	return b, nil
}

// Close does nothing, because the caller closes the input.
func (c *CSVColumns) Close() error { return nil }

// FromCSV reads rows of a schema from CSV with a header and writes them to w as a stored table. It returns the number
// of rows. Every column in the header must belong to the schema. Missing columns are empty, 0 or false, except that the
// primary key must be present. Errors name the line and the column.
func FromCSV(w io.Writer, r io.Reader, schema *Schema) (int64, error) {
	cr, err := newCSV(r)
	if err == io.EOF {
		return 0, fmt.Errorf("the file is empty; the first line must name the columns")
	}
	if err != nil {
		return 0, err
	}
	fields, err := headerFields(schema, cr.names)
	if err != nil {
		return 0, err
	}
	rows, row := schema.sink(), reflect.New(schema.row).Elem()
	for {
		record, err := cr.next()
		if err == io.EOF {
			return rows.write(w)
		}
		if err != nil {
			return 0, err
		}
		row.SetZero()
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
		rows.add(row)
	}
}

// headerFields returns the field for each column in a header.
func headerFields(schema *Schema, header []string) ([]int, error) {
	fields := make([]int, len(header))
	seen := map[string]bool{}
	for i, name := range header {
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
			return nil, fmt.Errorf("column %q is missing; it is part of the key of %s", c.Name, schema.Name)
		}
	}
	return fields, nil
}

// ParseBool parses a table's boolean.
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
