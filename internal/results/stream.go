package results

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/smtpipe/smtpipe/internal/results/encode"
)

// streamRows is how many rows go into a table at a time. The Parquet library looks after every 64th row whether a page
// is full, so that this multiple of it makes no difference to the bytes.
const streamRows = 8192

// WriteSeq writes a table as Write does, of rows that come one by one in the order of the primary key; it is an error
// if they do not. next gives the next row; ok is false after the last. Only a few thousand rows are in memory at a
// time.
func WriteSeq[Row any](w io.Writer, next func() (row Row, ok bool, err error)) (rows int64, err error) {
	schema := SchemaOf[Row]()
	order := keyOrder[Row](schema)
	begins := cutRows[Row](schema)
	pw := newWriter[Row](w, schema)
	batch := make([]Row, 0, streamRows)
	var last Row
	flush := func() error {
		if _, err := pw.Write(batch); err != nil {
			return fmt.Errorf("write table %s: %w", schema.Name, err)
		}
		rows += int64(len(batch))
		clear(batch)
		batch = batch[:0]
		return nil
	}
	for {
		row, ok, err := next()
		if err != nil {
			return rows, err
		}
		if !ok {
			break
		}
		if rows+int64(len(batch)) > 0 {
			switch c := order(&last, &row); {
			case c == 0:
				return rows, fmt.Errorf("table %s has two rows with the key %s", schema.Name, keyText(schema, row))
			case c > 0:
				return rows, fmt.Errorf("the row of table %s with the key %s comes too late; this is a bug in smtpipe",
					schema.Name, keyText(schema, row))
			}
		}
		last = row
		if begins(&row) {
			if err := flush(); err != nil {
				return rows, err
			}
			if err := pw.Flush(); err != nil {
				return rows, fmt.Errorf("write table %s: %w", schema.Name, err)
			}
		}
		if batch = append(batch, row); len(batch) == streamRows {
			if err := flush(); err != nil {
				return rows, err
			}
		}
	}
	if err := flush(); err != nil {
		return rows, err
	}
	if err := pw.Close(); err != nil {
		return rows, fmt.Errorf("write table %s: %w", schema.Name, err)
	}
	return rows, nil
}

// newWriter is what tables are written with row by row.
func newWriter[Row any](w io.Writer, schema *Schema) *parquet.GenericWriter[Row] {
	return parquet.NewGenericWriter[Row](w,
		parquet.Compression(encode.Codec),
		parquet.CreatedBy("smtpipe", "1", ""),
		parquet.KeyValueMetadata(schemaKey, schema.Name),
		parquet.DataPageStatistics(false),
		parquet.MaxRowsPerRowGroup(1<<20),
	)
}
