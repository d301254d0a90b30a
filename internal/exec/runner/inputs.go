package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// environment returns a command's whole environment, sorted: a fixed base with the given folders, the driver's
// variables named in PassEnv, and Env. The command inherits nothing else from the driver.
func (c *Command) environment(home, temporary string) []string {
	set := map[string]string{
		"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home, "TMPDIR": temporary,
		"USER": "solver", "LOGNAME": "solver", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC",
	}
	for _, name := range c.PassEnv {
		if v, ok := os.LookupEnv(name); ok {
			set[name] = v
		}
	}
	for _, kv := range c.Env {
		name, value, _ := strings.Cut(kv, "=")
		set[name] = value
	}
	env := make([]string, 0, len(set))
	for name, value := range set {
		env = append(env, name+"="+value)
	}
	slices.Sort(env) // the command can see the order
	return env
}

// readInputs reads input files and warm mounts, which puts them into the page cache at the driver's expense. It copies
// inputs that the command's user could not read. Without a private root, it writes all inputs to their target paths.
func (e *execution) readInputs(ctx context.Context) error {
	private := e.host.isolation.Private()
	home, temporary := HomeDir, "/tmp"
	if !private {
		if err := e.stage(); err != nil {
			return err
		}
		home, temporary = e.staging, e.staging
	}
	e.env = e.cmd.environment(home, temporary)
	e.cmd.Inputs = slices.Clone(e.cmd.Inputs) // leave the caller's slice unchanged
	for i := range e.cmd.Inputs {
		in := &e.cmd.Inputs[i]
		if err := e.readInput(ctx, in, i, private); err != nil {
			return fmt.Errorf("input %s: %w", in.Target, err)
		}
	}
	if e.cmd.StdinFile != "" {
		if err := warmFile(ctx, e.cmd.StdinFile); err != nil {
			return fmt.Errorf("read %s: %w", e.cmd.StdinFile, err)
		}
	}
	for _, m := range e.cmd.Mounts {
		if !m.Warm {
			continue
		}
		if err := e.host.warmTree(ctx, m.Source); err != nil {
			return fmt.Errorf("read %s: %w", m.Source, err)
		}
	}
	return nil
}

// inlineBytes is the largest content to send to init directly. Larger content goes through a file.
const inlineBytes = 64 << 10

func (e *execution) readInput(ctx context.Context, in *Input, i int, private bool) error {
	if !private && in.Target != in.Source {
		return fmt.Errorf("a run without namespaces sees files only where they are on the host, not at another path; " +
			"give the path of the host in the command line")
	}
	if in.Source == "" {
		if len(in.Content) <= inlineBytes {
			return nil
		}
		return e.stageInput(in, i, strings.NewReader(string(in.Content)))
	}
	f, info, err := openRegular(in.Source)
	if err != nil {
		return err
	}
	defer f.Close()
	r := boundedReader(ctx, f, info)
	if private && info.Mode().Perm()&0o004 == 0 {
		return e.stageInput(in, i, r)
	}
	return readThrough(r)
}

// stage creates this run's folder on the host.
func (e *execution) stage() error {
	if e.staging != "" {
		return nil
	}
	dir, err := e.slot.takeStage(e.host)
	if err != nil {
		return err
	}
	e.staging = dir
	return nil
}

// stageInput copies an input to a file that every user can read.
func (e *execution) stageInput(in *Input, i int, r io.Reader) error {
	if err := e.stage(); err != nil {
		return err
	}
	p := filepath.Join(e.staging, fmt.Sprintf("input-%d", i))
	f, err := os.OpenFile(p, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if err != nil {
		return err
	}
	in.Source = p
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Chmod(cmp.Or(in.Mode.Perm(), 0o444)), f.Close()) // regardless of the umask
}
