// Package artifact reads and writes the tables and trees that stages pass to each other.
package artifact

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/ahead"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// WriteTable stores rows, with their schema, as a table. It sorts the rows in place.
func WriteTable[Row any](store *cache.Store, rows []Row) (Ref, error) {
	digest, size, err := store.Write(func(w io.Writer) error { return results.Write(w, rows) })
	if err != nil {
		return Ref{}, err
	}
	return Ref{Schema: results.SchemaOf[Row]().Name, Digest: digest, Rows: int64(len(rows)), SizeBytes: size}, nil
}

// WriteTableGroups stores a table that the function write produces row group by row group.
func WriteTableGroups[Row any](store *cache.Store, write func(*results.GroupWriter[Row]) error) (Ref, error) {
	var rows int64
	digest, size, err := store.Write(func(w io.Writer) error {
		g, err := results.WriteGroups[Row](w)
		if err != nil {
			return err
		}
		if err := write(g); err != nil {
			return err
		}
		rows, err = g.End()
		return err
	})
	if err != nil {
		return Ref{}, err
	}
	return Ref{Schema: results.SchemaOf[Row]().Name, Digest: digest, Rows: rows, SizeBytes: size}, nil
}

// OpenTableGroups opens the row groups of a stored table after checking it against its digest.
func OpenTableGroups[Row any](store *cache.Store, d cache.Digest) (*results.Groups, *cache.Blob, error) {
	if err := store.Verify(d); err != nil {
		return nil, nil, err
	}
	b, err := store.OpenBlob(d)
	if err != nil {
		return nil, nil, err
	}
	g, err := results.OpenGroups[Row](b, b.Size)
	if err != nil {
		b.Close()
		return nil, nil, err
	}
	return g, b, nil
}

// OpenTable opens a stored table for reading single columns and rows.
func OpenTable[Row any](store *cache.Store, art Ref) (*results.Table[Row], error) {
	b, err := bytesOf[Row](store, art)
	if err != nil {
		return nil, err
	}
	return results.Open[Row](bytes.NewReader(b), int64(len(b)))
}

// bytesOf reads a stored table's file if the table has the rows' schema.
func bytesOf[Row any](store *cache.Store, art Ref) ([]byte, error) {
	if want := results.SchemaOf[Row](); !want.Reads(art.Schema) {
		return nil, fmt.Errorf("a table of %s was given, want %s", art.Schema, want.Name)
	}
	return store.ReadBytes(art.Digest)
}

// ReadTable reads a table's rows from the store.
func ReadTable[Row any](store *cache.Store, art Ref) ([]Row, error) {
	b, err := bytesOf[Row](store, art)
	if err != nil {
		return nil, err
	}
	return results.Read[Row](bytes.NewReader(b), int64(len(b)))
}

// Rows iterates over a table's rows, which are read ahead; see results.Rows.
func Rows[Row any](store *cache.Store, art Ref) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		b, err := bytesOf[Row](store, art)
		if err != nil {
			var none Row
			yield(none, err)
			return
		}
		ahead.Rows(results.Rows[Row](bytes.NewReader(b), int64(len(b))))(yield)
	}
}

// Select returns the rows of a table of runs or verdicts whose track, benchmark and solver choose accepts, without
// reading the other rows.
func Select[Row any](store *cache.Store, art Ref, choose func(track, benchmark, solver string) bool) ([]Row, error) {
	b, err := bytesOf[Row](store, art)
	if err != nil {
		return nil, err
	}
	return results.Select[Row](bytes.NewReader(b), int64(len(b)), []string{"track", "benchmark", "solver"},
		func(texts []string) bool { return choose(texts[0], texts[1], texts[2]) })
}

// EachRow calls visit for every row of a table, with the given columns and the row's index i in them. The table need
// not have been written by smtpipe. Texts are valid only during the call.
func EachRow(store *cache.Store, art Ref, names []string, visit func(row int64, columns []table.Column, i int)) error {
	b, err := store.ReadBytes(art.Digest)
	if err != nil {
		return err
	}
	columns, err := results.OpenColumns(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	rows, err := columns.Read(names...)
	if err != nil {
		return err
	}
	for b, err := range rows.All() {
		if err != nil {
			return err
		}
		for i := range b.Rows {
			visit(b.First+int64(i), b.Columns, i)
		}
	}
	return nil
}

// CountGroups counts a table's rows by the values of a column. It returns nil if the column does not exist or cannot be
// read.
func CountGroups(store *cache.Store, art Ref, column string) map[string]int64 {
	var groups table.Dictionary
	var counts []int64
	err := EachRow(store, art, []string{column}, func(_ int64, columns []table.Column, i int) {
		k := groups.Code(columns[0].Text(i))
		if int(k) == len(counts) {
			counts = append(counts, 0)
		}
		counts[k]++
	})
	if err != nil {
		return nil
	}
	all := make(map[string]int64, len(counts))
	for k, n := range counts {
		all[groups.Words[k]] = n
	}
	return all
}

// ExportTable writes a stored table in a format, with escaped texts; see results.Escaped.
func ExportTable(w io.Writer, store *cache.Store, art Ref, format results.Format) error {
	data, err := store.ReadBytes(art.Digest)
	if err != nil {
		return err
	}
	return results.Export(w, bytes.NewReader(data), int64(len(data)), format)
}

// ImportCSV reads a table with a schema from CSV and stores it.
func ImportCSV(store *cache.Store, r io.Reader, schema *results.Schema) (Ref, error) {
	var rows int64
	digest, size, err := store.Write(func(w io.Writer) (err error) {
		rows, err = results.FromCSV(w, r, schema)
		return err
	})
	if err != nil {
		return Ref{}, err
	}
	return Ref{Schema: schema.Name, Digest: digest, Rows: rows, SizeBytes: size}, nil
}

// EmptyTable stores a table with a schema, such as runs/2, and without rows.
func EmptyTable(store *cache.Store, name string) (Ref, error) {
	schema, err := results.SchemaByName(name)
	if err != nil {
		return Ref{}, err
	}
	header := make([]string, len(schema.Columns))
	for i, c := range schema.Columns {
		header[i] = c.Name
	}
	return ImportCSV(store, strings.NewReader(strings.Join(header, ",")+"\n"), schema)
}
