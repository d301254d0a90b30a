package results_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// TestChanges covers a removed row, an added row and a changed cell.
func TestChanges(t *testing.T) {
	stored := func(text string) []byte {
		t.Helper()
		schema, err := results.SchemaOfCSV([]byte(text))
		if err != nil || schema.Name != "exclusions/1" {
			t.Fatalf("the schema of %q is %v: %v", text, schema, err)
		}
		var out bytes.Buffer
		if _, err := results.FromCSV(&out, bytes.NewReader([]byte(text)), schema); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	got, err := results.Changes(stored("logic,reason,count\nLIA,easy,3\nUF,easy,1\n"),
		stored("reason,logic,count\neasy,LIA,4\nkept,UF,1\n"))
	want := []diff.Difference{
		{What: "LIA/easy/count", From: "3", To: "4", Key: []string{"LIA", "easy"}, Column: "count"},
		{What: "UF/easy", From: "a row", To: "nothing", Key: []string{"UF", "easy"}},
		{What: "UF/kept", From: "nothing", To: "a row", Key: []string{"UF", "kept"}},
	}
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	for text, want := range map[string]string{
		"a,b\n1,2\n": "its first line does not have the key columns of any table (docs/stages/tables.md)",
		"logic,reason,number,why\nLIA,easy,1,x\n": "its key columns are those of exclusions/1, which has no column " +
			"number, why (docs/stages/tables.md)",
		"\n": "its first line does not name columns",
	} {
		if s, err := results.SchemaOfCSV([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v, want %s", text, s, err, want)
		}
	}
}
