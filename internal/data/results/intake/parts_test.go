package intake

import (
	"io"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
)

// TestEndlessParts checks that no reader keeps an endless value in memory, even one of several lines.
func TestEndlessParts(t *testing.T) {
	const most = 16 << 20
	for _, x := range []struct {
		name, head, part string
		read             func(io.Reader) error
	}{
		{"spaces", "<Space name=\"", "a\n", (&Mapping{}).readSpaces},
		{"cores", `{"1": [{"core": [`, "1,\n", (&Mapping{}).readCores},
		{"results", `{"results": [{"file": {"family": [`, "\"a\",\n", func(r io.Reader) error {
			return ReadResults(r, 2030, func(*results.HistoryRow) error { return nil })
		}},
		{"runs", `<result><run name="a">`, "<column title=\"a\"\nvalue=\"b\"/>\n", func(r io.Reader) error {
			_, err := benchexec.Read(r, func(*benchexec.Header, benchexec.Run) error { return nil })
			return err
		}},
	} {
		rest := strings.NewReader(x.head + strings.Repeat(x.part, 3*most/len(x.part)))
		err := x.read(rest)
		if err == nil || !strings.Contains(err.Error(), "and a part of a table has at most 16777216") {
			t.Errorf("%s: %v", x.name, err)
		}
		if rest.Len() < most {
			t.Errorf("%s: only %d bytes are left", x.name, rest.Len())
		}
	}
}
