package execute

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/runner/solver"
	"github.com/smtpipe/smtpipe/internal/solvertree"
	"github.com/smtpipe/smtpipe/internal/worker"
)

// scriptPath is where a run sees its script. It reveals nothing about the benchmark.
const scriptPath = runner.InputDir + "/benchmark.smt2"

// systemFolders are those of the machine that every run sees.
var systemFolders = []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/opt/"}

// unpack makes sure that the archive of a solver is unpacked as it was when its digest was computed.
func unpack(ctx context.Context, store *cache.Store, e *entrant) error {
	if e.archive == nil {
		return nil
	}
	tree, err := solvertree.Check(ctx, store, *e.archive)
	if err != nil {
		return err
	}
	if e.digest != (cache.Digest{}) && tree.Digest != e.digest {
		return fmt.Errorf("it has the tree sha256:%s, which was sha256:%s before; remove the folder %s", tree.Digest,
			e.digest, tree.Path)
	}
	e.folder = tree.Path
	return nil
}

// prepare finds how a solver is started. An error is the fault of the submission.
func (f *fanout) prepare(e *entrant) error {
	if !e.inArchive() {
		e.ready = true
		return nil
	}
	kind := f.kind
	if f.dialogue {
		kind = comp.Incremental
	}
	entry, err := solver.FindEntry(e.folder, e.command, kind, e.environment())
	if err != nil {
		return err
	}
	e.entry, e.ready = entry, true
	return nil
}

func (e *entrant) environment() solver.Environment {
	if e.starexec {
		return solver.StarExec
	}
	return solver.Plain
}

// work returns the work of an item. Another machine's script is read when it is sent.
func (f *fanout) work(item int) (*worker.Work, error) {
	p := f.pairs[item]
	e, digest := &f.entrants[p.solver], f.digests[p.script]
	script := worker.File{SHA256: digest.String()}
	if f.executor.Here {
		var err error
		if script.Content, err = f.env.Store.ReadBytes(digest); err != nil {
			return nil, err
		}
	} else {
		script.Source = func() (io.ReadCloser, int64, error) { return openBlob(f.env.Store, digest) }
	}
	cmd := f.command(e)
	w, err := worker.FromCommand(f.items.Key(item).String(), &cmd, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", worker.ErrWork, err)
	}
	if f.dialogue || f.stdin {
		w.Stdin = &script
	} else {
		script.Target = scriptPath
		w.Inputs = []worker.File{script}
	}
	if f.dialogue {
		w.Dialogue = &worker.Dialogue{ContinueAfterUnknown: f.continueAfterUnknown}
	}
	w.About = f.about(p)
	if !f.executor.Here {
		w.Verify, err = f.site.verify(cmp.Or(e.folder, e.program))
	}
	return w, err
}

// command returns the command of a solver, without its script.
func (f *fanout) command(e *entrant) runner.Command {
	var cmd runner.Command
	if e.entry != nil {
		cmd = e.entry.Command(e.folder, scriptPath, f.limits, e.environment())
		if f.stdin {
			cmd.Argv = cmd.Argv[:len(e.entry.Argv)]
		}
	} else {
		cmd = installed(e)
		cmd.Limits = f.limits
		if !f.dialogue && !f.stdin {
			cmd.Argv = append(cmd.Argv, scriptPath)
		}
	}
	if i := f.site.Hello().Isolation; i != runner.Full && i != runner.NamespacesOnly {
		seenOnHost(&cmd)
	}
	cmd.TimestampLines, cmd.OneStream = 1, f.oneStream
	return cmd
}

// installed returns the command of a program of this machine. If the program is outside the folders that every run
// sees, it alone is added to them.
func installed(e *entrant) runner.Command {
	cmd := runner.Command{Argv: append([]string{e.program}, e.command[1:]...), HostSystem: true}
	for _, folder := range systemFolders {
		if strings.HasPrefix(e.program, folder) {
			return cmd
		}
	}
	cmd.Argv[0] = runner.SolverDir + "/" + filepath.Base(e.program)
	cmd.Mounts = []runner.Mount{{Source: e.program, Target: cmd.Argv[0], Warm: true}}
	return cmd
}

// seenOnHost changes the paths of a command to those of the host, for runs without namespaces.
func seenOnHost(cmd *runner.Command) {
	paths := []*string{&cmd.Dir}
	for i := range cmd.Argv {
		paths = append(paths, &cmd.Argv[i]) // a shell has programs as arguments
	}
	for _, m := range cmd.Mounts {
		for _, p := range paths {
			if rest, ok := strings.CutPrefix(*p, m.Target); ok && (rest == "" || rest[0] == '/') {
				*p = m.Source + rest
			}
		}
	}
	cmd.Mounts = nil
}
