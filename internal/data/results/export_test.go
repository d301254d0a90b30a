package results

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
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

// TestPublishParts checks that the parts of a table are the table, and that a changed row changes one part.
func TestPublishParts(t *testing.T) {
	var rows []HistoryRow
	for i := range 5 * groupLeast {
		rows = append(rows, HistoryRow{
			Identity: run.Identity{Benchmark: fmt.Sprintf("b%06d", i), Solver: "=s"}, Year: 2026,
		})
	}
	parts := func(format Format) (ids, bodies []string) {
		t.Helper()
		var stored, whole bytes.Buffer
		err := Write(&stored, rows)
		r := bytes.NewReader(stored.Bytes())
		err = errors.Join(err, PublishTable(&whole, r, r.Size(), format),
			PublishParts(r, r.Size(), format, func(id string, write func(io.Writer) error) error {
				var body bytes.Buffer
				err := write(&body)
				ids, bodies = append(ids, id), append(bodies, body.String())
				return err
			}))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(bodies, "") != whole.String() {
			t.Errorf("%d parts as %s are not the table", len(bodies), format)
		}
		return ids, bodies
	}
	ids, bodies := parts(CSV)
	asJSON, _ := parts(JSONLines)
	rows[len(rows)/2].Result = "Timeout"
	changed, after := parts(CSV)
	if len(ids) < 4 || len(changed) != len(ids) || ids[0] != "" || ids[1] == asJSON[1] {
		t.Fatalf("parts %q, as JSON %q, of the changed table %q", ids, asJSON, changed)
	}
	differ := 0
	for i := range ids {
		if (ids[i] == changed[i]) != (bodies[i] == after[i]) {
			t.Errorf("part %d: the ids are %q and %q", i, ids[i], changed[i])
		}
		if ids[i] != changed[i] {
			differ++
		}
	}
	if differ != 1 {
		t.Errorf("%d parts differ, want 1", differ)
	}
}
