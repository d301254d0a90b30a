package fanout

import (
	"context"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestDistrustedPlace checks that the executor of a stranger's pipeline, which may be any command, is never opened.
func TestDistrustedPlace(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	opened := false
	theirs := &worker.Kind{Name: "process", Open: func(context.Context, worker.Options) (worker.Executor, error) {
		opened = true
		return nil, worker.ErrWork
	}}
	env := stages.NewEnv(nil)
	env.Store, env.Distrusted = store, true
	s, err := Place{Kind: theirs}.Open(t.Context(), env, comp.Limits{Cores: 1, MemoryBytes: 100e6}, "")
	switch {
	case opened:
		t.Error("the executor was opened")
	case err != nil:
		t.Logf("this machine: %v", err) // without full isolation, nothing may be executed
	default:
		if !s.Kind.Here || s.Hello().Isolation != runner.Full {
			t.Errorf("works are executed by %s with the isolation %s", s.Kind.Name, s.Hello().Isolation)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
