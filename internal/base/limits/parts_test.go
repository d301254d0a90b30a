package limits_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// TestCSV checks that a row may have several lines, but that an unclosed quote does not swallow a long table.
func TestCSV(t *testing.T) {
	l := limits.Of{What: "a test", Bytes: 1 << 30, Line: 1 << 20}
	rows := strings.Repeat("a,\"b\nc\"\n", 1<<19)
	in := l.CSV(strings.NewReader(rows))
	n := 0
	for ; ; n++ {
		row, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil || !slices.Equal(row, []string{"a", "b\nc"}) {
			t.Fatalf("row %d: %q, %v", n, row, err)
		}
	}
	if n != 1<<19 {
		t.Errorf("read %d rows, want %d", n, 1<<19)
	}
	for _, lazy := range []bool{false, true} {
		rest := strings.NewReader("a,\"b\n" + strings.Repeat("a,b\n", 1<<20))
		in := l.CSV(rest)
		in.LazyQuotes = lazy
		if _, err := in.Read(); err == nil || err.Error() != "a quote is not closed" {
			t.Errorf("an unclosed quote: %v", err)
		}
		if rest.Len() < 2<<20 {
			t.Errorf("only %d bytes are left after an unclosed quote", rest.Len())
		}
	}
}
