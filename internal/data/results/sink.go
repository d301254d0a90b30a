package results

import (
	"io"
	"reflect"
)

// rowSink collects rows of a schema's row type, in any order, and writes them as a table.
type rowSink interface {
	// add adds a copy of a row, which must be addressable.
	add(row reflect.Value)
	// write writes the table and returns its number of rows. The sink must not be used again.
	write(w io.Writer) (int64, error)
}

// newSink returns a sink without rows.
func newSink[Row any](schema *Schema) rowSink {
	if schema.lists() {
		return &rowSlice[Row]{}
	}
	return newBuilder[Row](schema)
}

// rowSlice collects rows that contain lists.
type rowSlice[Row any] struct{ rows []Row }

func (s *rowSlice[Row]) add(row reflect.Value) {
	s.rows = append(s.rows, *row.Addr().Interface().(*Row))
}

func (s *rowSlice[Row]) write(w io.Writer) (int64, error) {
	return int64(len(s.rows)), Write(w, s.rows)
}

func (b *Builder[Row]) add(row reflect.Value) { b.Append(row.Addr().Interface().(*Row)) }

func (b *Builder[Row]) write(w io.Writer) (int64, error) {
	t, err := b.Table()
	if err != nil {
		return 0, err
	}
	return int64(t.Len()), t.Write(w)
}

// readOnly is the sink of a schema whose tables are only read.
type readOnly struct{ err error }

func (readOnly) add(reflect.Value) {}

func (r readOnly) write(io.Writer) (int64, error) { return 0, r.err }
