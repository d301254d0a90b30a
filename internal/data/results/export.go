package results

import (
	"bufio"
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
	defer batches.Close()
	for {
		b, err := batches.Next()
		if err == io.EOF {
			return t.end()
		}
		if err != nil {
			return fmt.Errorf("read table %s: %w", schema.Name, err)
		}
		if err := t.rows(b.Columns, b.Rows); err != nil {
			return err
		}
	}
}

// Publish writes rows in a format for unknown readers. In CSV, an apostrophe precedes a text that a spreadsheet would
// interpret as a formula; JSON is an object that contains the schema's name. Otherwise it is like Export.
func Publish[Row any](w io.Writer, rows iter.Seq2[Row, error], format Format) error {
	const atOnce = 4096
	schema := SchemaOf[Row]()
	names := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		names[i] = c.Name
	}
	var t *textWriter
	var err error
	if format != Parquet {
		if t, err = newTextWriter(w, schema, names, format, true); err != nil {
			return err
		}
	}
	var some []Row
	for r, err := range rows {
		if err != nil {
			return err
		}
		some = append(some, r)
		if t != nil && len(some) == atOnce {
			if err := writeSome(t, some); err != nil {
				return err
			}
			some = some[:0]
		}
	}
	if t == nil {
		return schema.writeEscaped(w, reflect.ValueOf(some))
	}
	if err := writeSome(t, some); err != nil {
		return err
	}
	return t.end()
}

func writeSome[Row any](t *textWriter, rows []Row) error {
	columns, err := columnsOf(SchemaOf[Row](), rows)
	if err != nil {
		return err
	}
	return t.rows(columns, len(rows))
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
	return batches.eachText(visit)
}

// EachWhole is like EachText, with all columns of a table written by Write.
func EachWhole(r io.ReaderAt, size int64, visit func(names, row []string)) error {
	columns, _, err := openOurs(r, size)
	if err != nil {
		return err
	}
	names, batches := columns.stored()
	return batches.eachText(func(row []string) { visit(names, row) })
}

func (r *BatchReader) eachText(visit func(row []string)) error {
	defer r.Close()
	row := make([]string, len(r.leaves))
	for {
		b, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := range b.Rows {
			for k := range b.Columns {
				row[k] = text(&b.Columns[k], i)
			}
			visit(row)
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
	buf    []byte
	sep    string // separator before the next JSON row

}

func newTextWriter(w io.Writer, s *Schema, names []string, format Format, public bool) (*textWriter, error) {
	t := &textWriter{w: bufio.NewWriterSize(w, 1<<16), names: names, format: format, public: public}
	switch {
	case format == CSV:
		t.buf = append(append(t.buf, strings.Join(names, ",")...), '\n')
	case format == JSON && public:
		t.buf = fmt.Appendf(t.buf, `{"schema":%q,"rows":[`, s.Name)
	case format == JSON:
		t.buf = append(t.buf, '[')
	case format != JSONLines:
		return nil, fmt.Errorf("tables cannot be written as %q", format)
	}
	return t, nil
}

// rows writes the columns' rows.
func (t *textWriter) rows(columns []table.Column, n int) error {
	for row := range n {
		if t.format == CSV {
			t.line(columns, row)
		} else {
			t.object(columns, row)
		}
		if _, err := t.w.Write(t.buf); err != nil {
			return err
		}
		t.buf = t.buf[:0]
	}
	return nil
}

func (t *textWriter) end() error {
	if t.format == JSON {
		t.buf = append(t.buf, "\n]"...)
		if t.public {
			t.buf = append(t.buf, '}')
		}
		t.buf = append(t.buf, '\n')
	}
	if _, err := t.w.Write(t.buf); err != nil {
		return err
	}
	return t.w.Flush()
}

// line appends a CSV row.
func (t *textWriter) line(columns []table.Column, row int) {
	for i := range columns {
		if i > 0 {
			t.buf = append(t.buf, ',')
		}
		switch c := &columns[i]; {
		case c.IsNull(row):
		case c.Kind() == table.Int:
			t.buf = strconv.AppendInt(t.buf, c.IntAt(row), 10)
		case c.Kind() == table.Float:
			t.buf = strconv.AppendFloat(t.buf, c.FloatAt(row), 'g', -1, 64)
		case c.Kind() == table.Bool:
			t.buf = strconv.AppendBool(t.buf, c.BoolAt(row))
		default:
			t.text(c.Text(row))
		}
	}
	t.buf = append(t.buf, '\n')
}

// text appends a text as a CSV field.
func (t *textWriter) text(s string) {
	s = Escaped(s)
	if t.public {
		s = Inert(s)
	}
	if first, _ := utf8.DecodeRuneInString(s); strings.ContainsAny(s, ",\"\r\n") || unicode.IsSpace(first) || s == `\.` {
		s = `"` + strings.ReplaceAll(s, `"`, `""`) + `"` // as encoding/csv does
	}
	t.buf = append(t.buf, s...)
}

// Inert prefixes a text with an apostrophe if a spreadsheet would interpret it as a formula.
func Inert(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r\n|", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

// object appends a row as a JSON object.
func (t *textWriter) object(columns []table.Column, row int) {
	if t.format == JSON {
		t.buf = append(t.buf, t.sep...)
		t.buf = append(t.buf, '\n')
		t.sep = ","
	}
	for i := range columns {
		t.buf = append(t.buf, "{,"[min(i, 1)], '"')
		t.buf = append(append(t.buf, t.names[i]...), `":`...)
		switch c := &columns[i]; c.Kind() {
		case table.String:
			t.buf = appendJSON(t.buf, c.StringAt(row))
		case table.Strings:
			t.buf = append(t.buf, '[')
			for k, s := range c.ListAt(row) {
				if k > 0 {
					t.buf = append(t.buf, ',')
				}
				t.buf = appendJSON(t.buf, s)
			}
			t.buf = append(t.buf, ']')
		default:
			t.buf = append(t.buf, text(c, row)...)
		}
	}
	t.buf = append(t.buf, '}')
	if t.format == JSONLines {
		t.buf = append(t.buf, '\n')
	}
}

// appendJSON appends a text. It leaves anything but plain text to encoding/json, which also escapes < > &.
func appendJSON(buf []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || strings.IndexByte(`"\<>&`, c) >= 0 {
			quoted, _ := json.Marshal(Escaped(s)) // marshalling a string cannot fail
			return append(buf, quoted...)
		}
	}
	return append(append(append(buf, '"'), s...), '"')
}
