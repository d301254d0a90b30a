package results_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

func TestEscaped(t *testing.T) {
	tests := map[string]string{
		"":                        "",
		"sat\n\tx\r\n":            "sat\n\tx\r\n",
		"é ∀ 𝔹":                   "é ∀ 𝔹",
		"a\x00b":                  `a\x00b`,
		"\xff\xfe":                `\xff\xfe`,
		"\xe2\x82":                `\xe2\x82`, // the first bytes of €
		"\x1b[31m\x7f":            `\x1b[31m\x7f`,
		"\uffff\ufffe":            `\xef\xbf\xbf\xef\xbf\xbe`,
		"\ufffd":                  "\ufffd", // printed as such, so it stays unchanged
		`C:\new \xg1 \x`:          `C:\new \xg1 \x`,
		`\x41`:                    `\x5cx41`,
		`\\x41`:                   `\\x5cx41`,
		"\\\x00":                  `\\x00`,
		"\xed\xa0\x80 surrogates": `\xed\xa0\x80 surrogates`,
	}
	for in, want := range tests {
		if got := results.Escaped(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzEscaped(f *testing.F) {
	f.Add("\x00\\x00\xff")
	f.Add(`\x5cx41\\`)
	f.Fuzz(func(t *testing.T, s string) {
		e := results.Escaped(s)
		if !utf8.ValidString(e) || strings.ContainsAny(e, "\x00\x1b\x7f") {
			t.Errorf("%q became %q", s, e)
		}
		if back := results.Unescaped(e); back != s {
			t.Errorf("%q became %q, and that %q", s, e, back)
		}
	})
}

// TestPublishTable checks that publishing a stored table produces the same file as publishing its rows.
func TestPublishTable(t *testing.T) {
	rows := []results.VerdictRow{{Identity: run.Identity{Track: "single_query", Benchmark: "a.smt2", Solver: "=1+1"},
		Judged:   run.Judged{Reason: " a \"b\", \xff", Details: `\x41`},
		Measured: run.Measured{Stdout: "@\n\x00é"}}}
	rows[0].WallTimeS = 0.1
	var stored bytes.Buffer
	if err := results.Write(&stored, slices.Clone(rows)); err != nil {
		t.Fatal(err)
	}
	for _, format := range []results.Format{results.CSV, results.JSON, results.JSONLines, results.Parquet} {
		var want, got bytes.Buffer
		all := func(yield func(results.VerdictRow, error) bool) { yield(rows[0], nil) }
		if err := results.Publish(&want, all, format); err != nil {
			t.Fatal(err)
		}
		in := bytes.NewReader(stored.Bytes())
		if err := results.PublishTable(&got, in, in.Size(), format); err != nil {
			t.Fatal(err)
		}
		inert := format != results.CSV || strings.Contains(got.String(), "'=1+1")
		if !bytes.Equal(got.Bytes(), want.Bytes()) || !inert {
			t.Errorf("%s: the table is\n%s\nand its rows are\n%s", format, &got, &want)
		}
	}
}

// TestExportHostile exports output from a solver that attacks programs that read tables.
func TestExportHostile(t *testing.T) {
	const printed = "sat\x00\xff\x1b]0;x\x07,\"\n"
	const want = `sat\x00\xff\x1b]0;x\x07,"` + "\n"
	rows := []results.VerdictRow{
		{
			Identity: run.Identity{Track: "single_query", Benchmark: "a.smt2", Solver: "s"},
			Measured: run.Measured{Stdout: "sat\n"},
		},
		{
			Identity: run.Identity{Track: "single_query", Benchmark: "b.smt2", Solver: "s"},
			Judged:   run.Judged{Reason: "it said \xff", Details: `\x41`}, Measured: run.Measured{Stdout: printed},
		},
	}
	var stored bytes.Buffer
	if err := results.Write(&stored, slices.Clone(rows)); err != nil {
		t.Fatal(err)
	}
	in := bytes.NewReader(stored.Bytes())
	export := func(format results.Format) []byte {
		var out bytes.Buffer
		if err := results.Export(&out, in, in.Size(), format); err != nil {
			t.Fatal(err)
		}
		if format != results.Parquet && (!utf8.Valid(out.Bytes()) || bytes.IndexByte(out.Bytes(), 0) >= 0) {
			t.Errorf("%s: %q", format, out.Bytes())
		}
		return out.Bytes()
	}
	lines, err := csv.NewReader(bytes.NewReader(export(results.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(column string) string { return lines[2][slices.Index(lines[0], column)] }
	if at("stdout") != want || at("reason") != `it said \xff` || at("details") != `\x5cx41` {
		t.Errorf("CSV has %q", lines[2])
	}
	var objects []results.VerdictRow
	var generic []map[string]any
	if err := json.Unmarshal(export(results.JSON), &generic); err != nil || generic[1]["stdout"] != want {
		t.Errorf("JSON has %q, %v", generic, err)
	}
	export(results.JSONLines)
	out := export(results.Parquet)
	if objects, err = results.Read[results.VerdictRow](bytes.NewReader(out), int64(len(out))); err != nil {
		t.Fatal(err)
	}
	if objects[0].Stdout != "sat\n" || objects[1].Stdout != want || objects[1].Details != `\x5cx41` {
		t.Errorf("Parquet has %+v", objects)
	}
	kept, err := results.Read[results.VerdictRow](in, in.Size())
	if err != nil || kept[1].Stdout != printed {
		t.Errorf("the stored table has %+v, %v", kept, err)
	}
	var plain bytes.Buffer
	if err := results.Write(&plain, rows[:1]); err != nil {
		t.Fatal(err)
	}
	in = bytes.NewReader(plain.Bytes())
	if !bytes.Equal(export(results.Parquet), plain.Bytes()) {
		t.Error("a table with nothing to escape is not exported as it is stored")
	}
}

// TestExportHostileLists covers lists, whose columns cannot be read separately.
func TestExportHostileLists(t *testing.T) {
	var stored, out bytes.Buffer
	row := results.SolverRow{Solver: "s\x00", Track: "t", Command: []string{"run", "\xff"}, Authors: []string{"a b"}}
	if err := results.Write(&stored, []results.SolverRow{row}); err != nil {
		t.Fatal(err)
	}
	if err := results.Export(&out, bytes.NewReader(stored.Bytes()), int64(stored.Len()), results.Parquet); err != nil {
		t.Fatal(err)
	}
	got, err := results.Read[results.SolverRow](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || got[0].Solver != `s\x00` || got[0].Command[1] != `\xff` {
		t.Errorf("%+v, %v", got, err)
	}
}
