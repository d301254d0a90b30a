package results

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

// TestExportCSV compares CSV written from columns with encoding/csv's output for the same rows.
func TestExportCSV(t *testing.T) {
	texts := []string{"", "a", " a", "a ", "a,b", `a"b`, `\.`, `\a`, "a\nb", "a\r\nb", "\ta", "é", "\u00a0a", "a\u00a0",
		"\xff", "\x00", "#", "=1"}
	var rows []HistoryRow
	for i, text := range texts {
		rows = append(rows, HistoryRow{
			Identity: run.Identity{Benchmark: text, Track: texts[len(texts)-1-i]},
			Usage:    run.Usage{CPUTimeS: run.Seconds(i) * 1e-7, WallTimeS: 1e21}, Year: int64(i), Answers: -1,
		})
	}
	var stored, got, want bytes.Buffer
	if err := Write(&stored, rows); err != nil {
		t.Fatal(err)
	}
	if err := Export(&got, bytes.NewReader(stored.Bytes()), int64(stored.Len()), CSV); err != nil {
		t.Fatal(err)
	}
	w := csv.NewWriter(&want)
	err := EachWhole(bytes.NewReader(stored.Bytes()), int64(stored.Len()), func(names, row []string) {
		if want.Len() == 0 {
			w.Write(names) // writing to memory cannot fail
			w.Flush()
		}
		escaped := make([]string, len(row))
		for i, text := range row {
			escaped[i] = Escaped(text)
		}
		w.Write(escaped)
	})
	if w.Flush(); err != nil {
		t.Fatal(err)
	}
	if got.String() != want.String() {
		t.Errorf("got\n%q\nwant\n%q", strings.SplitAfter(got.String(), "\n"), strings.SplitAfter(want.String(), "\n"))
	}
}
