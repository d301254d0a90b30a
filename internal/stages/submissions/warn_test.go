package submissions

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/stages"
)

func TestWarnOfUncheckedArchives(t *testing.T) {
	entry := func(name string, a *submission.Archive) submission.Entry {
		return submission.Entry{Submission: &submission.Submission{Name: name, Final: true}, Archive: a}
	}
	entries := []submission.Entry{entry("both", &submission.Archive{SHA256: "ab", SHA512: "cd"}),
		entry("one", &submission.Archive{SHA512: "cd"}), entry("none", &submission.Archive{}), entry("cloud", nil)}
	var log bytes.Buffer
	env := stages.NewEnv(Kind)
	env.Log = slog.New(slog.NewTextHandler(&log, nil))
	(&action{}).warn(env, nil, entries)
	if !strings.Contains(log.String(), "but no SHA-256: one\"") {
		t.Errorf("got the log %q", log.String())
	}
}
