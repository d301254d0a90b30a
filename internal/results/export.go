package results

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/table"
)

// Format is a file format of tables.
type Format string

// The formats. Parquet is the stored form itself, except for texts that need escapes.
const (
	Parquet   Format = "parquet"
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
	JSON      Format = "json"
)

// FormatOf returns the format of a file by its name.
func FormatOf(path string) (Format, error) {
	for _, f := range []Format{Parquet, CSV, JSONLines, JSON} {
		if strings.HasSuffix(path, "."+string(f)) {
			return f, nil
		}
	}
	return "", fmt.Errorf("the name %q does not say in which format a table is to be written; end it in .csv, "+
		".jsonl, .json or .parquet", path)
}

// Export writes a stored table in a format. Numbers are written so that reading them gives the same number. Lists are
// joined by blanks in CSV, which has only the columns that the table was written with. Texts are Escaped.
func Export(w io.Writer, r io.ReaderAt, size int64, format Format) error {
	schema, _, err := SchemaIn(r, size)
	if err != nil {
		return err
	}
	if format == CSV && !slices.ContainsFunc(schema.Columns, func(c Column) bool { return c.Kind == table.Strings }) {
		return exportCSV(w, r, size, schema)
	}
	if format == Parquet {
		return exportParquet(w, r, size, schema)
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	var enc rowEncoder
	switch format {
	case CSV:
		file, err := open(r, size)
		if err != nil {
			return err
		}
		enc = &csvEncoder{w: csv.NewWriter(buffered), at: storedIn(file, schema)}
	case JSONLines:
		enc = &jsonEncoder{w: buffered}
	case JSON:
		enc = &jsonEncoder{w: buffered, array: true}
	default:
		return fmt.Errorf("tables cannot be written as %q", format)
	}
	if err := enc.begin(schema); err != nil {
		return err
	}
	if err := Each(r, size, func(v reflect.Value) error { return enc.row(schema, v) }); err != nil {
		return err
	}
	if err := enc.end(); err != nil {
		return err
	}
	return buffered.Flush()
}

// EachText calls visit with the columns of a stored table and the texts of each row, as in its CSV file. It is for
// small tables: those with lists.
func EachText(r io.ReaderAt, size int64, visit func(names, row []string)) error {
	var b bytes.Buffer
	if err := Export(&b, r, size, CSV); err != nil {
		return err
	}
	rows := csv.NewReader(&b)
	names, err := rows.Read()
	for err == nil {
		var row []string
		if row, err = rows.Read(); err == nil {
			visit(names, row)
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

// exportCSV writes a table without lists as CSV, from its columns, in a fifth of the time needed via rows.
func exportCSV(w io.Writer, r io.ReaderAt, size int64, schema *Schema) error {
	columns, err := OpenColumns(r, size)
	if err != nil {
		return err
	}
	var names []string
	for _, i := range storedIn(columns.file, schema) {
		names = append(names, schema.Columns[i].Name)
	}
	batches, err := columns.Read(names...)
	if err != nil {
		return err
	}
	defer batches.Close()
	var lines []byte
	for i, name := range names {
		lines = appendCSV(lines, i, name)
	}
	lines = append(lines, '\n')
	for {
		b, err := batches.Next()
		if err == io.EOF {
			_, err = w.Write(lines)
			return err
		}
		if err != nil {
			return fmt.Errorf("read table %s: %w", schema.Name, err)
		}
		lines = b.appendCSV(lines)
		if _, err := w.Write(lines); err != nil {
			return err
		}
		lines = lines[:0]
	}
}

// appendCSV appends the rows of a batch.
func (b *Batch) appendCSV(lines []byte) []byte {
	for row := range b.Rows {
		for i := range b.Columns {
			switch v := &b.Columns[i]; v.Kind() {
			case table.String:
				lines = appendCSV(lines, i, v.StringAt(row))
			case table.Int:
				lines = strconv.AppendInt(appendCSV(lines, i, ""), v.IntAt(row), 10)
			case table.Float:
				lines = append(appendCSV(lines, i, ""), floatText(v.FloatAt(row))...)
			default:
				lines = strconv.AppendBool(appendCSV(lines, i, ""), v.BoolAt(row))
			}
		}
		lines = append(lines, '\n')
	}
	return lines
}

// appendCSV appends field i of a line, quoted like encoding/csv.
func appendCSV(line []byte, i int, text string) []byte {
	if i > 0 {
		line = append(line, ',')
	}
	if plainCSV(text) {
		return append(line, text...)
	}
	var quoted bytes.Buffer
	w := csv.NewWriter(&quoted)
	w.Write([]string{Escaped(text)}) // to memory
	w.Flush()
	return append(line, bytes.TrimSuffix(quoted.Bytes(), []byte("\n"))...)
}

// plainCSV reports whether a field certainly needs no quotes.
func plainCSV(text string) bool {
	for i := range len(text) {
		if csvSpecial[text[i]] {
			return false
		}
	}
	return text == "" || text[0] != ' '
}

// csvSpecial marks the bytes that may need quotes somewhere in a field, or an escape. A byte that is not ASCII may
// begin a kind of space.
var csvSpecial = func() (special [256]bool) {
	for c := range special {
		special[c] = c < ' ' || c == '"' || c == '\\' || c == ',' || c >= 0x7f
	}
	return special
}()

// Each calls visit with every row of a stored table, as a struct of the schema's row type. The value is reused.
func Each(r io.ReaderAt, size int64, visit func(row reflect.Value) error) error {
	schema, _, err := SchemaIn(r, size)
	if err != nil {
		return err
	}
	f, err := open(r, size)
	if err != nil {
		return err
	}
	pr := parquet.NewReader(f, parquet.SchemaOf(reflect.New(schema.row).Interface()))
	defer pr.Close()
	row := reflect.New(schema.row)
	for {
		row.Elem().SetZero()
		err := pr.Read(row.Interface())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read table %s: %w", schema.Name, err)
		}
		if err := visit(row.Elem()); err != nil {
			return err
		}
	}
}

type rowEncoder interface {
	begin(*Schema) error
	row(*Schema, reflect.Value) error
	end() error
}

// storedIn returns the places of the schema's columns that a file has. Tables of earlier programs lack those that were
// added later.
func storedIn(f *parquet.File, s *Schema) (at []int) {
	stored := map[string]bool{}
	for _, path := range f.Schema().Columns() {
		stored[path[0]] = true
	}
	for i, c := range s.Columns {
		if stored[c.Name] {
			at = append(at, i)
		}
	}
	return at
}

type csvEncoder struct {
	w      *csv.Writer
	at     []int // places of the columns
	fields []string
}

func (c *csvEncoder) begin(s *Schema) error {
	c.fields = make([]string, len(c.at))
	for k, i := range c.at {
		c.fields[k] = s.Columns[i].Name
	}
	return c.w.Write(c.fields)
}

func (c *csvEncoder) row(s *Schema, v reflect.Value) error {
	for k, i := range c.at {
		c.fields[k] = Escaped(Text(s.Columns[i].Field(v)))
	}
	return c.w.Write(c.fields)
}

func (c *csvEncoder) end() error {
	c.w.Flush()
	return c.w.Error()
}

// Text returns one field of a row as text, in the form of CSV.
func Text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return floatText(v.Float())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	}
	return strings.Join(v.Interface().([]string), " ")
}

func floatText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// jsonValue returns a field as JSON has it: a time is in seconds, as the name of its column says.
func jsonValue(field reflect.Value) any {
	if field.Kind() == reflect.Float64 {
		return field.Float()
	}
	return field.Interface()
}

type jsonEncoder struct {
	w     *bufio.Writer
	array bool
	n     int
}

func (j *jsonEncoder) begin(*Schema) error {
	if j.array {
		_, err := j.w.WriteString("[")
		return err
	}
	return nil
}

func (j *jsonEncoder) row(s *Schema, v reflect.Value) error {
	if j.array {
		if j.n > 0 {
			j.w.WriteByte(',')
		}
		j.w.WriteByte('\n')
	}
	j.n++
	j.w.WriteByte('{')
	for i, c := range s.Columns {
		if i > 0 {
			j.w.WriteByte(',')
		}
		field := c.Field(v)
		escapeField(field)
		value, err := json.Marshal(jsonValue(field))
		if err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
		j.w.WriteString(strconv.Quote(c.Name))
		j.w.WriteByte(':')
		j.w.Write(value)
	}
	j.w.WriteByte('}')
	if !j.array {
		return j.w.WriteByte('\n')
	}
	return nil
}

func (j *jsonEncoder) end() error {
	if j.array {
		_, err := j.w.WriteString("\n]\n")
		return err
	}
	return nil
}
