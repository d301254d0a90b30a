package execute

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// unpack ensures that a solver's archive and image are unpacked as they were when their digests were computed.
func unpack(ctx context.Context, store *cache.Store, e *entrant) error {
	if e.image != nil {
		if err := e.image.Unpack(ctx, store); err != nil {
			return err
		}
	}
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

// prepare determines how a solver is started. If it returns an error, the submission is at fault.
func (f *execution) prepare(e *entrant) error {
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

// work returns the Work for an item.
func (f *execution) work(item int) (*worker.Work, error) {
	p := f.pairs[item]
	e := &f.entrants[p.solver]
	cmd, err := f.command(e)
	if err != nil {
		return nil, err
	}
	w, err := worker.FromCommand(f.items.Key(item).String(), &cmd, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", worker.ErrWork, err)
	}
	script, err := f.site.File(fanout.ScriptPath, f.digests[p.script])
	if err != nil {
		return nil, err
	}
	// Some solvers inspect the file extension.
	if ext := path.Ext(f.scripts[p.script].Benchmark); f.language != nil && ext != "" {
		script.Target = strings.TrimSuffix(fanout.ScriptPath, path.Ext(fanout.ScriptPath)) + ext
		for i, word := range w.Command {
			if word == fanout.ScriptPath {
				w.Command[i] = script.Target
			}
		}
	}
	if f.dialogue || f.stdin {
		script.Target = ""
		w.Stdin = &script
	} else {
		w.Inputs = []worker.File{script}
	}
	if f.dialogue {
		w.Dialogue = &worker.Dialogue{ContinueAfterUnknown: f.continueAfterUnknown}
	}
	w.About = f.about(p)
	if program := cmp.Or(e.folder, e.program); program != "" {
		w.Verify, err = f.site.Verify(program)
	}
	if e.image != nil && !f.site.Kind.Here {
		w.Verify = append(slices.Clone(w.Verify), e.image.Verify())
	}
	return w, err
}

// command returns a solver's command without the script.
func (f *execution) command(e *entrant) (cmd runner.Command, err error) {
	if e.entry != nil {
		cmd = e.entry.Command(e.folder, fanout.ScriptPath, f.limits, e.environment())
		if f.stdin {
			cmd.Argv = cmd.Argv[:len(e.entry.Argv)]
		}
	} else {
		cmd = e.image.Program(e.inImage(), cmp.Or(e.program, e.command[0]), e.command[1:]...)
		cmd.Limits = f.limits
		if !f.dialogue && !f.stdin {
			cmd.Argv = append(cmd.Argv, fanout.ScriptPath)
		}
	}
	if i := slices.Index(cmd.Argv, stages.BenchmarkWord); i > 0 && cmd.Argv[len(cmd.Argv)-1] == fanout.ScriptPath {
		cmd.Argv[i], cmd.Argv = fanout.ScriptPath, cmd.Argv[:len(cmd.Argv)-1]
	}
	const proof = "proof" // a file in the working folder
	for i, word := range cmd.Argv {
		if word == stages.ProofWord {
			if cmd.Dir != "" {
				return cmd, fmt.Errorf("%s is not for solvers in the layout of StarExec, which are executed in their own "+
					"folder", stages.ProofWord)
			}
			cmd.Argv[i], cmd.Attach = proof, proof
		}
	}
	err = e.image.Apply(&cmd, f.site.Hello().Isolation)
	cmd.TimestampLines, cmd.OneStream = 1, f.oneStream
	return cmd, err
}

// scriptRanks orders the scripts by digest, which reveals nothing about the benchmarks.
func (f *execution) scriptRanks() []int {
	order := make([]int, len(f.scripts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(f.digests[a][:], f.digests[b][:]) })
	ranks := make([]int, len(order))
	for rank, i := range order {
		ranks[i] = rank
	}
	return ranks
}

// about describes a run for its worker.
func (f *execution) about(p pair) *worker.About {
	s, e := &f.scripts[p.script], &f.entrants[p.solver]
	a := &worker.About{
		Benchmark: s.Benchmark, Logic: s.Logic, Family: s.Family, Number: int(p.script), Script: f.ranks[p.script],
		Solver: e.name, Participation: int(e.participation), Track: f.kind.String(),
	}
	if e.image != nil {
		a.Image = e.image.String()
	}
	if !f.dialogue {
		a.Status = s.Status
	}
	return a
}
