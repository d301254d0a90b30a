package results

import (
	"bytes"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestExportOfOlderTable checks that a table written before a column was added is exported without the column.
func TestExportOfOlderTable(t *testing.T) {
	type older struct {
		Solver string   `parquet:"solver"`
		Logics []string `parquet:"logics,list"`
		Seed   int64    `parquet:"seed"`
	}
	type plain struct {
		Track string  `parquet:"track"`
		N     float64 `parquet:"n"`
	}
	for _, c := range []struct {
		schema string
		write  func(w *bytes.Buffer, meta parquet.WriterOption) error
		want   string
	}{
		{"solvers/1", func(w *bytes.Buffer, meta parquet.WriterOption) error {
			return parquet.Write(w, []older{{"A", []string{"LIA", "UF"}, 3}}, meta)
		}, "solver,logics,seed\nA,LIA UF,3\n"},
		{"scores/1", func(w *bytes.Buffer, meta parquet.WriterOption) error {
			return parquet.Write(w, []plain{{"t", -7}}, meta)
		}, "track,n\nt,-7\n"},
	} {
		var table, got bytes.Buffer
		if err := c.write(&table, parquet.KeyValueMetadata(schemaKey, c.schema)); err != nil {
			t.Fatal(err)
		}
		err := Export(&got, bytes.NewReader(table.Bytes()), int64(table.Len()), CSV)
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %q, %v, want %q", c.schema, got.String(), err, c.want)
		}
	}
}
