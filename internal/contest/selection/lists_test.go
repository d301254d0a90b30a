package selection

import (
	"io"
	"strings"
	"testing"
)

// TestUnclosedQuote checks that an unclosed quote does not swallow a long list.
func TestUnclosedQuote(t *testing.T) {
	for name, read := range map[string]func(io.Reader) error{
		"status": func(r io.Reader) error { _, err := ReadStatus(r); return err },
		"unfit":  func(r io.Reader) error { _, err := ReadUnfit(r); return err },
	} {
		header := map[string]string{"status": "benchmark,status\n", "unfit": "benchmark,reason\n"}[name]
		rest := strings.NewReader(header + `QF_BV/f/x.smt2,"` + strings.Repeat("sat\n", 8<<20))
		if err := read(rest); err == nil || !strings.Contains(err.Error(), "a quote is not closed") {
			t.Errorf("%s: %v", name, err)
		}
		if rest.Len() < 8<<20 {
			t.Errorf("%s: only %d bytes are left", name, rest.Len())
		}
	}
}
