package results

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// WriteSeq is like Write, for rows produced one after another in primary key order. It rejects any other order. next
// returns the next row; ok is false after the last one. Only one row group is in memory.
func WriteSeq[Row any](w io.Writer, next func() (row Row, ok bool, err error)) (rows int64, err error) {
	g, err := WriteGroups[Row](w)
	if err != nil {
		return 0, err
	}
	begins := cutRows[Row](g.schema)
	var group []Row
	for {
		row, ok, err := next()
		if err != nil {
			return g.rows, err
		}
		if !ok {
			break
		}
		if begins(&row) {
			if err := g.Rows(group); err != nil {
				return g.rows, err
			}
			group = make([]Row, 0, len(group))
		}
		group = append(group, row)
	}
	if err := g.Rows(group); err != nil {
		return g.rows, err
	}
	return g.End()
}

// writeRows writes n rows with the Parquet library. The rows have the row type, or a struct type with its fields in
// column order.
func writeRows(w io.Writer, schema *Schema, n int, row func(i int) any) error {
	pw := parquet.NewWriter(w, schema.Parquet(),
		parquet.Compression(codec),
		parquet.CreatedBy("smtpipe", "1", ""),
		parquet.KeyValueMetadata(schemaKey, schema.Name),
		parquet.DataPageStatistics(false),
	)
	for i := range n {
		if err := pw.Write(row(i)); err != nil {
			return fmt.Errorf("write table %s: %w", schema.Name, err)
		}
	}
	if err := pw.Close(); err != nil {
		return fmt.Errorf("write table %s: %w", schema.Name, err)
	}
	return nil
}
