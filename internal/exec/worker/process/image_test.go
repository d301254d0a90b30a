package process

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/exec/image/imagetest"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/workertest"
)

// TestRootElsewhere checks that a worker that lacks an image's tree receives the tree, including links that lead out of
// it, and makes it the run's root.
func TestRootElsewhere(t *testing.T) {
	h := workertest.Header(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can hide the tree from the worker")
	}
	dir, temp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	imagetest.World(t, dir, imagetest.Musl, "dash")
	for _, name := range []string{"home/solver", "var/tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/usr/bin/dash", filepath.Join(dir, "shell")); err != nil {
		t.Fatal(err)
	}
	digest, err := worker.Fingerprint(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = workertest.Program(t) // lets this test's binary act as a worker
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x, err := join(t.Context(), []string{"unshare", "--mount", "sh", "-c", `mount -t tmpfs none "$1" && exec "$2"`, "sh", dir,
		self}, h, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, root := range []bool{false, true} {
		c := workertest.Shell("")
		c.HostSystem, c.Argv = false, []string{"/shell", "-c", "echo sat"}
		c.Mounts = []runner.Mount{{Source: dir, Target: runner.ImageRoot}}
		w := workertest.MustWork(t, fmt.Sprint("root ", root), c, nil)
		w.Verify = []worker.Digest{{Path: dir, SHA256: digest, Tree: true, Root: root}}
		r, err := one(t.Context(), x.execute, w)
		switch {
		case err != nil:
			t.Error(err)
		case root && (r.Record == nil || string(r.Record.Stdout.Head) != "sat\n"):
			t.Errorf("%+v %+v", r.Record, r.Failure)
		case !root && r.Failure == nil:
			t.Error("a solver's tree may have links that lead out of it")
		case !root && !strings.Contains(r.Failure.Text, "leads out"):
			t.Errorf("%+v", r.Failure)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}
