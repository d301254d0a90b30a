package engine

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// warnings is a log handler that passes an instance's warnings to the observer, each as one sentence. It drops lower
// levels.
type warnings struct {
	addr     string
	observer Observer
	redact   func(string) string // nil if nothing is secret
	attrs    []slog.Attr
}

// Enabled implements slog.Handler.
func (w warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements slog.Handler.
func (w warnings) Handle(_ context.Context, r slog.Record) error {
	var about []string
	add := func(a slog.Attr) bool {
		about = append(about, fmt.Sprintf("%s %v", a.Key, a.Value.Resolve()))
		return true
	}
	for _, a := range w.attrs {
		add(a)
	}
	r.Attrs(add)
	text := r.Message
	if len(about) > 0 {
		text += " (" + strings.Join(about, "; ") + ")"
	}
	if w.redact != nil {
		text = w.redact(text)
	}
	w.observer.Observe(StageWarned{Addr: w.addr, Text: text})
	return nil
}

// WithAttrs implements slog.Handler.
func (w warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	w.attrs = append(w.attrs[:len(w.attrs):len(w.attrs)], attrs...)
	return w
}

// WithGroup implements slog.Handler. Groups are ignored.
func (w warnings) WithGroup(string) slog.Handler { return w }
