package results

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Format is a file format for tables.
type Format string

// The formats. Parquet is the stored form, except for texts that need escaping.
const (
	Parquet   Format = "parquet"
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
	JSON      Format = "json"
)

// FormatOf returns a file's format, according to its name.
func FormatOf(path string) (Format, error) {
	for _, f := range []Format{Parquet, CSV, JSONLines, JSON} {
		if strings.HasSuffix(path, "."+string(f)) {
			return f, nil
		}
	}
	return "", fmt.Errorf("the name %q does not say in which format a table is to be written; end it in .csv, "+
		".jsonl, .json or .parquet", path)
}

// Export writes a stored table in a format, with its stored columns. Numbers survive a round trip. CSV separates list
// elements with spaces. Texts are escaped; see Escaped.
func Export(w io.Writer, r io.ReaderAt, size int64, format Format) error {
	return export(w, r, size, format, false)
}

// PublishTable is like Publish, for a stored table.
func PublishTable(w io.Writer, r io.ReaderAt, size int64, format Format) error {
	return export(w, r, size, format, true)
}

// PublishParts is like PublishTable in CSV or as JSON lines, but part by part. It calls visit with the parts in order,
// each with a function that writes it and a text that identifies what it writes, which is empty for the header. The
// parts are the table's row groups, so tables with mostly the same rows have mostly the same parts.
func PublishParts(r io.ReaderAt, size int64, format Format,
	visit func(id string, write func(io.Writer) error) error) error {
	columns, schema, err := openOurs(r, size)
	if err != nil {
		return err
	}
	names, batches := columns.stored()
	err = visit("", func(w io.Writer) error {
		t, err := newTextWriter(w, schema, names, format, true)
		if err != nil {
			return err
		}
		return t.end()
	})
	for _, part := range batches.Split(len(batches.groups)) {
		if err != nil {
			return err
		}
		id := sha256.New()
		fmt.Fprintf(id, "%q", append(names, schema.Name, string(format)))
		if err := part.identify(id, r); err != nil {
			return err
		}
		err = visit(hex.EncodeToString(id.Sum(nil)), func(w io.Writer) error {
			t := &textWriter{w: bufio.NewWriterSize(w, 1<<16), names: names, format: format, public: true,
				cells: make([][]byte, len(names))}
			return t.all(part)
		})
	}
	return err
}

func export(w io.Writer, r io.ReaderAt, size int64, format Format, public bool) error {
	columns, schema, err := openOurs(r, size)
	if err != nil {
		return err
	}
	if format == Parquet {
		return exportParquet(w, r, size, schema)
	}
	names, batches := columns.stored()
	t, err := newTextWriter(w, schema, names, format, public)
	if err != nil {
		return err
	}
	if err := t.all(batches); err != nil {
		return fmt.Errorf("table %s: %w", schema.Name, err)
	}
	return nil
}

// Publish writes rows in a format for unknown readers. In CSV, an apostrophe precedes a text that a spreadsheet would
// interpret as a formula; JSON is an object that contains the schema's name. Otherwise it is like Export.
func Publish[Row any](w io.Writer, rows iter.Seq2[Row, error], format Format) error {
	const atOnce = 4096
	schema := SchemaOf[Row]()
	if format == Parquet {
		all := schema.sink()
		for r, err := range rows {
			if err != nil {
				return err
			}
			schema.addEscaped(all, reflect.ValueOf(&r).Elem())
		}
		_, err := all.write(w)
		return err
	}
	names := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		names[i] = c.Name
	}
	t, err := newTextWriter(w, schema, names, format, true)
	if err != nil {
		return err
	}
	var some []Row
	for r, err := range rows {
		if err != nil {
			return err
		}
		if some = append(some, r); len(some) == atOnce {
			if err := writeSome(t, some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	if err := writeSome(t, some); err != nil {
		return err
	}
	return t.end()
}

func writeSome[Row any](t *textWriter, rows []Row) error {
	return t.rows(columnsOf(SchemaOf[Row](), rows), len(rows))
}

// EachText calls visit with each row of a stored table: the texts of selected columns, formatted as in CSV but
// unescaped. They are valid until visit returns.
func EachText(r io.ReaderAt, size int64, names []string, visit func(row []string)) error {
	columns, err := OpenColumns(r, size)
	if err != nil {
		return err
	}
	batches, err := columns.Read(names...)
	if err != nil {
		return err
	}
	for row, err := range batches.texts() {
		if err != nil {
			return err
		}
		visit(row)
	}
	return nil
}

// EachWhole is like EachText, with all columns of a table written by Write.
func EachWhole(r io.ReaderAt, size int64, visit func(names, row []string)) error {
	columns, _, err := openOurs(r, size)
	if err != nil {
		return err
	}
	names, batches := columns.stored()
	for row, err := range batches.texts() {
		if err != nil {
			return err
		}
		visit(names, row)
	}
	return nil
}

// texts iterates over the rows that are left to read, as texts that are valid until the next row.
func (r *BatchReader) texts() iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		row := make([]string, len(r.leaves))
		for b, err := range r.All() {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range b.Rows {
				for k := range b.Columns {
					if c := &b.Columns[k]; i == 0 || !c.Alike(i, i-1) {
						row[k] = text(c, i)
					}
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

// text formats a value as in CSV.
func text(c *table.Column, i int) string {
	if c.Kind() == table.Float && !c.IsNull(i) {
		return floatText(c.FloatAt(i))
	}
	return c.Text(i)
}

// Text returns a row's field as text, formatted as in CSV.
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

// textWriter writes columns as rows of CSV or JSON.
type textWriter struct {
	w      *bufio.Writer
	names  []string
	format Format
	public bool
	cells  [][]byte // each column's part of the last row
	sep    string   // separator before the next JSON row
}

func newTextWriter(w io.Writer, s *Schema, names []string, format Format, public bool) (*textWriter, error) {
	t := &textWriter{w: bufio.NewWriterSize(w, 1<<16), names: names, format: format, public: public,
		cells: make([][]byte, len(names))}
	begin := ""
	switch {
	case format == CSV:
		begin = strings.Join(names, ",") + "\n"
	case format == JSON && public:
		begin = fmt.Sprintf(`{"schema":%q,"rows":[`, s.Name)
	case format == JSON:
		begin = "["
	case format != JSONLines:
		return nil, fmt.Errorf("tables cannot be written as %q", format)
	}
	_, err := t.w.WriteString(begin)
	return t, err
}

// all writes the rows that a reader has not read yet, and the end.
func (t *textWriter) all(batches *BatchReader) error {
	for b, err := range batches.All() {
		if err != nil {
			return fmt.Errorf("read: %w", err)
		}
		if err := t.rows(b.Columns, b.Rows); err != nil {
			return err
		}
	}
	return t.end()
}

// rows writes the columns' rows.
func (t *textWriter) rows(columns []table.Column, n int) error {
	cell, end := t.field, "\n"
	switch t.format {
	case JSONLines:
		cell, end = t.member, "}\n"
	case JSON:
		cell, end = t.member, "}"
	}
	for row := range n {
		if t.format == JSON {
			t.w.WriteString(t.sep + "\n")
			t.sep = ","
		}
		for i := range columns {
			if c := &columns[i]; row == 0 || !c.Alike(row, row-1) {
				t.cells[i] = cell(t.cells[i][:0], i, c, row)
			}
			t.w.Write(t.cells[i])
		}
		if _, err := t.w.WriteString(end); err != nil { // also reports earlier errors
			return err
		}
	}
	return nil
}

func (t *textWriter) end() error {
	if t.format == JSON {
		t.w.WriteString("\n]")
		if t.public {
			t.w.WriteString("}")
		}
		t.w.WriteString("\n")
	}
	return t.w.Flush()
}

// field appends a column's part of a CSV row.
func (t *textWriter) field(buf []byte, i int, c *table.Column, row int) []byte {
	if i > 0 {
		buf = append(buf, ',')
	}
	switch {
	case c.IsNull(row):
		return buf
	case c.Kind() == table.String || c.Kind() == table.Strings:
		return t.text(buf, c.Text(row))
	}
	return appendValue(buf, c, row)
}

// appendValue appends a number or a boolean as in CSV.
func appendValue(buf []byte, c *table.Column, row int) []byte {
	switch c.Kind() {
	case table.Int:
		return strconv.AppendInt(buf, c.IntAt(row), 10)
	case table.Float:
		return strconv.AppendFloat(buf, c.FloatAt(row), 'g', -1, 64)
	}
	return strconv.AppendBool(buf, c.BoolAt(row))
}

// text appends a text as a CSV field.
func (t *textWriter) text(buf []byte, s string) []byte {
	if t.public {
		s = Inert(s)
	}
	if !strings.HasPrefix(s, " ") && consistsOf(s, &plainInCSV) {
		return append(buf, s...)
	}
	s = Escaped(s)
	if first, _ := utf8.DecodeRuneInString(s); strings.ContainsAny(s, ",\"\r\n") || unicode.IsSpace(first) || s == `\.` {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"` // as encoding/csv does
	}
	return append(buf, s...)
}

// Inert prefixes a text with an apostrophe if a spreadsheet would interpret it as a formula.
func Inert(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r\n|", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

// member appends a column's part of a JSON object.
func (t *textWriter) member(buf []byte, i int, c *table.Column, row int) []byte {
	buf = append(buf, "{,"[min(i, 1)], '"')
	buf = append(append(buf, t.names[i]...), `":`...)
	switch {
	case c.Kind() == table.String:
		return appendJSON(buf, c.StringAt(row))
	case c.Kind() == table.Strings:
		buf = append(buf, '[')
		for k, s := range c.ListAt(row) {
			if k > 0 {
				buf = append(buf, ',')
			}
			buf = appendJSON(buf, s)
		}
		return append(buf, ']')
	case c.IsNull(row):
		return buf
	}
	return appendValue(buf, c, row)
}

// appendJSON appends a text. It leaves anything but plain text to encoding/json, which also escapes < > &.
func appendJSON(buf []byte, s string) []byte {
	if consistsOf(s, &plainInJSON) {
		return append(append(append(buf, '"'), s...), '"')
	}
	quoted, _ := json.Marshal(Escaped(s)) // marshalling a string cannot fail
	return append(buf, quoted...)
}

// The bytes that texts contain as they are, except a leading space in CSV.
var (
	plainInCSV  = printableBut(`,"\`)
	plainInJSON = printableBut(`"\<>&`)
)

// printableBut returns the set of printable ASCII characters without some of them.
func printableBut(these string) (set [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		set[c] = strings.IndexByte(these, c) < 0
	}
	return set
}

// consistsOf reports whether a text has only bytes of a set.
func consistsOf(s string, set *[256]bool) bool {
	for i := range len(s) {
		if !set[s[i]] {
			return false
		}
	}
	return true
}
