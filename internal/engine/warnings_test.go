package engine

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seen collects events.
type seen []Event

func (s *seen) Observe(e Event) { *s = append(*s, e) }

func TestWarnings(t *testing.T) {
	var got seen
	redact := func(text string) string { return strings.ReplaceAll(text, "hunter2", "(sensitive)") }
	log := slog.New(warnings{addr: "stage.execute.x", observer: &got, redact: redact})
	log.Info("nobody needs this")
	log.With("solver", "z3").Warn("the machine failed; will retry the run", "error",
		errors.New("token hunter2 refused"))
	want := seen{StageWarned{Addr: "stage.execute.x", Text: "the machine failed; will retry the run (solver z3; " +
		"error token (sensitive) refused)"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
