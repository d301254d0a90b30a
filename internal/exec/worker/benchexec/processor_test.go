package benchexec

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// TestSameProcessor checks that different spellings of a processor's name match.
func TestSameProcessor(t *testing.T) {
	const declared = "Intel Xeon E3-1230 v5; 4 cores; 8 threads; 64 GB; x86_64"
	for _, tt := range []struct {
		processor, hardware string
		want                bool
	}{
		{"Intel Xeon E3-1230 v5 @ 3.40 GHz", declared, true},
		{"Intel(R) Xeon(R) CPU E3-1230 v5 @ 3.40GHz", declared, true},
		{"Intel Xeon E3-1230", declared, true}, // a shorter name also matches
		{"Intel Xeon E3-1230 v6", declared, false},
		{"Intel Xeon E3-1230 v55", declared, false},
		{"AMD EPYC 7713 64-Core Processor", declared, false},
		{"AMD EPYC 7713 64-Core Processor", "AMD EPYC 7713 64-Core; 64 cores", true},
		{"", declared, true},
		{"AMD EPYC", "", true},
		{"AMD EPYC", "the cluster of 2026", true},
	} {
		if got := sameProcessor(tt.processor, tt.hardware); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.processor, tt.hardware, got, tt.want)
		}
	}
}

// TestImageName checks that a benchmark definition names the image of its runs in a comment, even if the name is not
// allowed in an XML comment.
func TestImageName(t *testing.T) {
	about := worker.About{Solver: "x", Track: "single_query", Image: "a--b<c.tar (debian:10, sha256:12)"}
	text := newJob(t.TempDir()).benchmarkXML(&task{about: about, limits: comp.Limits{}}, "x")
	comment := ""
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if c, ok := token.(xml.Comment); ok {
			comment += string(c)
		}
	}
	if !strings.Contains(comment, "a- -b&lt;c.tar (debian:10, sha256:12)") {
		t.Errorf("the comment is %q", comment)
	}
}
