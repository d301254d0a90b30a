package stagetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
)

// checkBad loads every bad pipeline and compares its errors with the marks in the pipeline. Errors that appear only
// when a stage executes are marked at the stage's header with "# FAILS: text".
func (s *suite) checkBad(t *testing.T) {
	for _, f := range s.archive.Files {
		name, ok := strings.CutPrefix(f.Name, "bad/")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			dir := s.folder(t, f.Data)
			if want, ok := marked(f.Data, "# FAILS: "); ok {
				s.checkFails(t, dir, want)
				return
			}
			store := openStore(t)
			p, diags := s.load(dir, store)
			if !diags.HasErrors() { // some arguments are only known after other stages have run
				_, diags, _ = run(context.Background(), p, store, 1)
			}
			compareErrors(t, f.Data, diags)
		})
	}
}

// marked returns the text after the first occurrence of a mark, and whether there is one.
func marked(src []byte, mark string) (string, bool) {
	for line := range strings.Lines(string(src)) {
		if _, text, ok := strings.Cut(line, mark); ok {
			return strings.TrimSpace(text), true
		}
	}
	return "", false
}

// checkFails requires that the execution fails with an error that contains text.
func (s *suite) checkFails(t *testing.T, dir, want string) {
	p, store := s.open(t, dir)
	r, diags, err := run(context.Background(), p, store, 1)
	switch {
	case diags.HasErrors():
		t.Errorf("unexpected diagnostics: %v", diags)
	case err == nil:
		t.Errorf("the execution succeeded, want an error with %q", want)
	case !strings.Contains(err.Error(), want):
		t.Errorf("the error is %q, want one with %q", err, want)
	case r.Failed != 1:
		t.Errorf("%d stages failed, want 1", r.Failed)
	}
}

func run(ctx context.Context, p *config.Pipeline, store *cache.Store, jobs int) (*engine.Result, hcl.Diagnostics,
	error) {
	e, err := engine.New(p, engine.Options{Store: store, Name: "test", Folder: p.Folder(), Jobs: jobs,
		Version: "0.0.0"})
	if err != nil {
		return nil, nil, err
	}
	return e.Run(ctx)
}

// compareErrors compares diagnostics with the "# ERROR: text" marks on the lines that they refer to.
func compareErrors(t *testing.T, src []byte, diags hcl.Diagnostics) {
	t.Helper()
	var want, got []string
	texts := map[int]string{}
	for i, line := range bytes.Split(src, []byte("\n")) {
		if _, text, ok := strings.Cut(string(line), "# ERROR: "); ok {
			texts[i+1] = strings.TrimSpace(text)
			want = append(want, fmt.Sprintf("line %d: %s", i+1, texts[i+1]))
		}
	}
	for _, d := range diags {
		if d.Severity != hcl.DiagError {
			continue
		}
		line, message := 0, d.Summary+": "+d.Detail
		if d.Subject != nil {
			line = d.Subject.Start.Line
		}
		if text := texts[line]; text != "" && strings.Contains(message, text) {
			message = text // as expected
		}
		got = append(got, fmt.Sprintf("line %d: %s", line, message))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}
