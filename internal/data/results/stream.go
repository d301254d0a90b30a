package results

import (
	"fmt"
	"io"
	"iter"

	"github.com/parquet-go/parquet-go"
)

// WriteSeq is like Write, for rows in primary key order. It rejects any other order. Only one row group is in memory.
func WriteSeq[Row any](w io.Writer, rows iter.Seq2[Row, error]) error {
	g, err := WriteGroups[Row](w)
	if err != nil {
		return err
	}
	begins := cutRows[Row](g.schema)
	var group []Row
	for row, err := range rows {
		if err != nil {
			return err
		}
		group = append(group, row)
		if n := len(group) - 1; begins(&group[n]) {
			if err := g.Rows(group[:n]); err != nil {
				return err
			}
			group = []Row{row}
		}
	}
	if err := g.Rows(group); err != nil {
		return err
	}
	_, err = g.End()
	return err
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
