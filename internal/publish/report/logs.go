package report

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// writeLogs writes the outputs of wrong answers and then of runs ended by a signal, up to the budget. It records the
// written outputs, because pages link only to these.
func (s *site) writeLogs(ctx context.Context) error {
	in := s.m.in
	if in.Log == nil || in.LogBytes <= 0 {
		return nil
	}
	left := in.LogBytes
	for _, digest := range s.m.notable() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		body, err := in.Log(digest)
		if err != nil {
			return fmt.Errorf("output %s of a run: %w", digest, err)
		}
		if int64(len(body)) > left {
			continue
		}
		left -= int64(len(body))
		s.m.logs[digest] = true
		err = writeFile(s.dst, LogName(digest), func(w io.Writer) error { _, err := w.Write(body); return err })
		if err != nil {
			return err
		}
	}
	return nil
}

// LogName returns a site's file name for the output with a digest.
func LogName(digest string) string { return "logs/" + plain(digest) + ".txt" }

// notable returns the digests of outputs that readers want to see, without duplicates and in a fixed order.
func (m *model) notable() []string {
	var wrong, crashed []string
	for _, t := range m.tracks {
		for _, d := range t.divisions {
			if d.runs != nil {
				wrong, crashed = append(wrong, d.runs.Wrong...), append(crashed, d.runs.Crashed...)
			}
		}
	}
	return distinct(append(wrong, crashed...))
}

// distinct removes empty and repeated digests.
func distinct(digests []string) []string {
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(digests, func(digest string) bool {
		old := seen[digest]
		seen[digest] = true
		return old
	})
}

// notable returns the digests of the outputs of wrong answers and of crashed runs.
func (t *runTable) notable() (wrong, crashed []string) {
	for i := range t.detail {
		stdout, stderr := t.texts.list[t.detail[i].StdoutSHA], t.texts.list[t.detail[i].StderrSHA]
		switch {
		case t.verdicts.list[t.verdict[i]] == string(comp.Wrong):
			wrong = append(wrong, stdout, stderr)
		case t.endings.list[t.ending[i]] == string(comp.Signalled):
			crashed = append(crashed, stderr, stdout)
		}
	}
	return distinct(wrong), distinct(crashed)
}
