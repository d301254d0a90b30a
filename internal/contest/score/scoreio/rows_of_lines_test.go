package scoreio

import (
	"strings"
	"testing"
)

// TestRowsOfSeveralLines checks that a CSV row continues while a quoted field is open (RFC 4180, 2.6), as with a
// solver's output in a table of verdicts.
func TestRowsOfSeveralLines(t *testing.T) {
	const rest = ",D,D,single_query,A,a,yes,sat,sat,1,1,4,1200"
	for _, test := range []struct{ name, table, err string }{
		{"a field of two lines",
			handHeader + ",stdout\nx" + rest + ",\"sat\n(model, \"\"a\"\")\n\"\ny" + rest + ",\n", ""},
		{"an empty line in a field", handHeader + ",stdout\nx" + rest + ",\"\n\n\"\n", ""},
		{"a quote in a field that is not quoted",
			handHeader + ",stdout\nx" + rest + ",a\"b\ny" + rest + ",\n",
			"line 2 (row 1): a quote is in a field that does not begin with one"},
		{"an error behind such a row",
			handHeader + ",stdout\nx" + rest + ",\"1\n2\"\nshort\n",
			"line 4 (row 2): the line has 1 fields"},
		{"never closed", handHeader + ",stdout\nx" + rest + ",\"1\n2\ny" + rest + ",\n",
			"line 2 (row 1): a quote is not closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			runs, _, err := ReadRuns(strings.NewReader(test.table), "runs", nil)
			switch {
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("got %v, want %q", err, test.err)
			case test.err == "" && err != nil:
				t.Error(err)
			case test.err == "":
				if got, want := len(runs.Tracks[0].Benchmarks), strings.Count(test.table, rest); got != want {
					t.Errorf("%d benchmarks, want %d", got, want)
				}
			}
		})
	}
}
