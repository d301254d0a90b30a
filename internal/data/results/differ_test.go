package results_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// TestChanges covers a removed row, an added row and a changed cell.
func TestChanges(t *testing.T) {
	stored := func(text string) []byte {
		t.Helper()
		schema := results.SchemaOfCSV([]byte(text))
		if schema == nil || schema.Name != "exclusions/1" {
			t.Fatalf("the schema of %q is %v", text, schema)
		}
		var out bytes.Buffer
		if _, err := results.FromCSV(&out, bytes.NewReader([]byte(text)), schema); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	got, err := results.Changes(stored("logic,reason,count\nLIA,easy,3\nUF,easy,1\n"),
		stored("reason,logic,count\neasy,LIA,4\nkept,UF,1\n"))
	want := []results.Change{{[]string{"LIA", "easy"}, "count", "3", "4"},
		{[]string{"UF", "easy"}, "", "a row", results.NoRow}, {[]string{"UF", "kept"}, "", results.NoRow, "a row"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if s := results.SchemaOfCSV([]byte("a,b\n1,2\n")); s != nil {
		t.Errorf("columns of nobody are those of %s", s.Name)
	}
}
