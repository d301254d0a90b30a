package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
)

func TestReport(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "s/packs/1.seg", Err: syscall.ENOSPC}
	tests := []struct {
		name string
		err  error
		want string
	}{
		{"nothing", nil, ""},
		{"reported already", exit.ErrReported, ""},
		{"plain", errors.New("no such stage"), "Error: no such stage\n"},
		{"full disk, told once", errors.Join(fmt.Errorf("stage.index.l: %w", full), full, errors.Join(full, nil)),
			"Error: stage.index.l: write s/packs/1.seg: no space left on device\n" +
				"There is no space left. Free some and run again: finished work is kept. (docs/start/faq.md)\n"},
		{"read-only", &fs.PathError{Op: "open", Path: "s/lock/a", Err: syscall.EROFS},
			"Error: open s/lock/a: read-only file system\n" +
				"The file system cannot be written. Mount it for writing, or name another store with --store.\n"},
		{"no permission", exit.With(exit.Error, &fs.PathError{Op: "mkdir", Path: "s", Err: syscall.EACCES}),
			"Error: mkdir s: permission denied\n" +
				"Run as a user with permission, change the permissions, or name another store with --store.\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got bytes.Buffer
			report(&got, tt.err)
			if got.String() != tt.want {
				t.Errorf("got %q, want %q", got.String(), tt.want)
			}
		})
	}
}

// TestMakers checks that each name on the command line makes the command of that name, and no other.
func TestMakers(t *testing.T) {
	var all []string
	for _, group := range groups {
		for _, m := range group.makers {
			all = append(all, m.name)
			root := newRootCommand(m.name, "--help")
			if made := root.Commands(); len(made) != 1 || made[0].Name() != m.name {
				t.Errorf("%s makes %v", m.name, made)
			}
		}
	}
	for _, args := range [][]string{nil, {"--help"}, {"help", "run"}, {"rnu"}, {"__complete", "ru"}} {
		var made []string
		for _, cmd := range newRootCommand(args...).Commands() {
			made = append(made, cmd.Name())
		}
		if diff := cmp.Diff(append(slices.Clone(all), "completion"), made); diff != "" {
			t.Errorf("%q (-want +got):\n%s", args, diff)
		}
	}
}

func TestNaN(t *testing.T) {
	for _, args := range [][]string{
		{"design", "--certainty", "nan", "--official", "none"},
		{"compare", "--history", "none", "--store", "none", "--core-hours=NaN"},
	} {
		var stderr strings.Builder
		code := run(args, strings.NewReader(""), io.Discard, &stderr)
		if code != exit.Usage || !strings.Contains(stderr.String(), "is not a number") {
			t.Errorf("%q: exit code %d, %s", args, code, stderr.String())
		}
	}
}

func TestHelpHasExitCodes(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if n := strings.Count(cmd.Long, "Exit codes: "); n != 1 {
			t.Errorf("the help of %q lists the exit codes %d times", cmd.CommandPath(), n)
		}
		for _, c := range cmd.Commands() {
			check(c)
		}
	}
	root := newRootCommand()
	check(root)
	if c, _, err := root.Find([]string{"completion", "bash"}); err != nil || c.Name() != "bash" {
		t.Errorf("completion bash is %v, %v", c, err)
	}
}
