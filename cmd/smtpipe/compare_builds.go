package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/runner/solver"
	"github.com/smtpipe/smtpipe/internal/solvertree"
	"github.com/smtpipe/smtpipe/internal/submission"
)

// build is one of the two that are compared.
type build struct {
	name    string             // as it was given
	program string             // absolute
	args    []string           // before the benchmark
	folder  string             // to be shown in a run; empty: the system's folders have the program
	env     solver.Environment // that it is made for
	digest  cache.Digest       // of the program and its libraries, or of the archive's files
	where   string             // part of its keys: the path of a program, which may read what is beside it
}

// inside separates an archive from the program in it, as in z3.zip//bin/z3.
const inside = "//"

// findBuild finds what an argument names: a program, a program in an archive, or a submission.
func (f *compareFlags) findBuild(cmd *cobra.Command, store *cache.Store, name string) (*build, error) {
	if archive, program, ok := strings.Cut(name, inside); ok {
		return unpackBuild(cmd, store, name, archive, "", strings.Fields(program), solver.Plain)
	}
	if strings.HasSuffix(name, ".json") {
		return f.submittedBuild(cmd, store, name)
	}
	program, err := exec.LookPath(name)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		return nil, withExit(exitUsage, fmt.Errorf("%s is no program that can be executed, no submission (.json), and no "+
			"program in an archive (ARCHIVE//PROGRAM): %w", name, err))
	}
	_, digest, err := solver.ProgramClosure(program)
	b := &build{name: name, program: program, digest: cache.Digest(digest), where: program}
	folder := filepath.Dir(program)
	if !strings.HasPrefix(folder+"/", "/usr/") && !strings.HasPrefix(folder+"/", "/bin/") {
		b.folder = folder
	}
	return b, err
}

// unpackBuild finds a program in an archive, which is unpacked once into the store. digest is what the archive must
// have; empty: any.
func unpackBuild(cmd *cobra.Command, store *cache.Store, name, archive, digest string, command []string,
	env solver.Environment) (*build, error) {
	sum, _, err := store.PutFile(archive)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, withExit(exitUsage, plain(err, archive))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	if digest != "" && sum.String() != digest {
		return nil, withExit(exitUsage, fmt.Errorf("%s has the SHA-256 %s, and the submission says %s", archive, sum,
			digest))
	}
	tree, err := solvertree.Check(cmd.Context(), store, solvertree.Archive{SHA256: sum})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	entry, err := solver.FindEntry(tree.Path, command, comp.SingleQuery, env)
	if err != nil {
		return nil, withExit(exitUsage, fmt.Errorf("%s: %w", archive, err))
	}
	program := strings.TrimPrefix(entry.Argv[0], runner.SolverDir+"/")
	return &build{name: name, program: filepath.Join(tree.Path, program), args: entry.Argv[1:], folder: tree.Path,
		env: env, digest: tree.Digest, where: program}, nil
}

// submittedBuild finds the program that a submission enters in the single query track, in its archive, which lies
// beside the file under the last part of its address.
func (f *compareFlags) submittedBuild(cmd *cobra.Command, store *cache.Store, file string) (*build, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, withExit(exitUsage, plain(err, file))
	}
	s, err := submission.ParseEarlier(filepath.Base(file), data)
	if err != nil {
		return nil, withExit(exitUsage, err)
	}
	archive, command := s.Archive, s.Command
	for _, p := range s.Participations {
		for _, track := range p.Tracks {
			if track != "SingleQuery" {
				continue
			}
			if p.Archive != nil {
				archive = p.Archive
			}
			if p.Command != nil {
				command = p.Command
			}
		}
	}
	if archive == nil || command == nil {
		return nil, withExit(exitUsage, fmt.Errorf("%s has no archive and command for the single query track", file))
	}
	address, _, _ := strings.Cut(archive.URL, "?")
	beside := filepath.Join(filepath.Dir(file), path.Base(strings.TrimSuffix(address, "/content")))
	if _, err := os.Stat(beside); err != nil {
		return nil, withExit(exitUsage, fmt.Errorf("the archive of %s is not beside it: download %s to %s", file,
			archive.URL, beside))
	}
	env := solver.Plain
	if command.StarExec {
		env = solver.StarExec
	}
	words := append([]string{command.Binary}, command.Arguments...)
	return unpackBuild(cmd, store, file, beside, archive.SHA256, words, env)
}

// command is a run of the build.
func (b *build) command(benchmark string, isolation runner.Isolation, limits comp.Limits) runner.Command {
	c := runner.Command{Argv: append(append([]string{b.program}, b.args...), benchmark), HostSystem: true,
		Limits: limits, Env: b.env.Variables(limits)}
	if b.env == solver.StarExec {
		c.Dir, c.Argv = filepath.Dir(b.program), append(c.Argv, "/tmp")
	}
	if isolation == runner.Full || isolation == runner.NamespacesOnly {
		if b.folder != "" {
			c.Mounts = append(c.Mounts, runner.Mount{Source: b.folder, Target: b.folder})
		}
		c.Mounts = append(c.Mounts, runner.Mount{Source: benchmark, Target: benchmark, Warm: true})
	}
	return c
}

// repeats is the command that repeats a run of the build.
func (f *compareFlags) repeats(b *build, benchmark string) string {
	words := []string{"smtpipe", "tool", "exec", "--isolation", f.isolation, "--walltimelimit", f.wall, "--memlimit",
		f.memory, "--output", "-"}
	if b.folder != "" {
		words = append(words, "--read-only-dir", b.folder)
	}
	words = append(words, "--read-only-dir", benchmark, "--", b.program)
	words = append(append(words, b.args...), benchmark)
	for i, w := range words {
		if strings.ContainsAny(w, " '\"$&;()*?<>|\\`\t\n") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
