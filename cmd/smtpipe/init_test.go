package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// TestInitComesEarly checks that the first process of a run takes over before packages are initialised, which would
// take longer than all its other work. An additional import in internal/exec/runner/initproc may delay it; see that
// package's comment.
func TestInitComesEarly(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Args = []string{initproc.Name} // the process ends immediately without a socket
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	out, _ := cmd.CombinedOutput()
	var before []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "init" {
			before = append(before, f[1])
		}
	}
	if len(before) == 0 {
		t.Fatalf("no package is initialised before it: %s", out)
	}
	for _, late := range []string{
		"reflect", "encoding/gob", "golang.org/x/sys/unix",
		"net/http", "gonum.org/v1/plot", "github.com/parquet-go/parquet-go", "github.com/hashicorp/hcl/v2",
		"github.com/smtpipe/smtpipe/internal/data/results", "github.com/smtpipe/smtpipe/internal/lang/config",
	} {
		if slices.Contains(before, late) {
			t.Errorf("%s is initialised before it", late)
		}
	}
	if len(before) > 30 {
		t.Errorf("%d packages are initialised before it: %s", len(before), before)
	}
}
