package results

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// foreign is a table as other programs write it, with nulls, decimals, dictionaries and a list.
type foreign struct {
	Name   string   `parquet:"name,dict"`
	Plain  string   `parquet:"plain"`
	Maybe  *string  `parquet:"maybe,optional,dict"`
	Count  int32    `parquet:"count"`
	Often  *int64   `parquet:"often,optional"`
	Time   float64  `parquet:"time"`
	Short  float32  `parquet:"short"`
	Money  int64    `parquet:"money,decimal(3:18)"`
	Yes    bool     `parquet:"yes"`
	Others []string `parquet:"others,list"`
}

func TestColumns(t *testing.T) {
	const rows = 3*batchRows + 17
	word := "x"
	var buf bytes.Buffer
	w := parquet.NewGenericWriter[foreign](&buf, parquet.MaxRowsPerRowGroup(batchRows+1000),
		parquet.PageBufferSize(5000))
	for i := range rows {
		row := foreign{Name: fmt.Sprint("n", i%3), Plain: fmt.Sprint("p", i), Count: int32(i), Time: float64(i) / 8,
			Short: 0.1, Money: -1234567, Yes: i%2 == 0}
		if i%5 == 0 {
			n := int64(i)
			row.Maybe, row.Often = &word, &n
		}
		if _, err := w.Write([]foreign{row}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := OpenColumns(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"name", "plain", "maybe", "count", "often", "time", "short", "money", "yes"},
		c.Names()); diff != "" {
		t.Errorf("names: -want +got\n%s", diff)
	}
	r, err := c.Read("yes", "plain", "name", "maybe", "count", "often", "time", "short", "money")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		b, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if b.First != int64(n) {
			t.Fatalf("a batch begins at row %d, want %d", b.First, n)
		}
		for i := range b.Rows {
			var got []string
			for j := range b.Columns {
				got = append(got, b.Columns[j].Text(i))
			}
			maybe, often := "", ""
			if n%5 == 0 {
				maybe, often = "x", fmt.Sprint(n)
			}
			// 0.1 is the shortest form of its float32; -1234567 with three decimal places is -1234.567.
			want := []string{fmt.Sprint(n%2 == 0), fmt.Sprint("p", n), fmt.Sprint("n", n%3), maybe, fmt.Sprint(n),
				often,
				strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", float64(n)/8), "0"), "."), "0.1", "-1234.567"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("row %d: -want +got\n%s", n, diff)
			}
			n++
		}
	}
	if n != rows {
		t.Errorf("%d rows were read, want %d", n, rows)
	}
	for _, name := range []string{"others", "nothing"} {
		if _, err := c.Read(name); err == nil || !strings.Contains(err.Error(), `no plain column "`+name+`"`) {
			t.Errorf("column %s: %v", name, err)
		}
	}
}

// TestColumnsOfDamagedFiles checks that reading a truncated or changed file does not panic.
func TestColumnsOfDamagedFiles(t *testing.T) {
	var buf bytes.Buffer
	rows := make([]VerdictRow, 2000)
	for i := range rows {
		rows[i] = VerdictRow{
			Identity: run.Identity{Track: "single_query", Benchmark: fmt.Sprintf("b%05d", i),
				Solver: fmt.Sprint("s", i%7)},
			Measured: run.Measured{Usage: run.Usage{WallTimeS: run.Seconds(i)}},
		}
	}
	if err := Write(&buf, rows); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < buf.Len(); at += 97 {
		for _, damaged := range [][]byte{buf.Bytes()[:at], append(append(append([]byte(nil), buf.Bytes()[:at]...), 0xff,
			0x7f), buf.Bytes()[at+1:]...)} {
			read(damaged) // any result is fine
		}
	}
	if n, err := read(buf.Bytes()); n != len(rows) || err != nil {
		t.Errorf("the whole file gives %d rows and %v", n, err)
	}
}

func read(file []byte) (rows int, err error) {
	c, err := OpenColumns(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return 0, err
	}
	r, err := c.Read(c.Names()...)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		rows += b.Rows
	}
}
