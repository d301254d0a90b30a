package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
)

// Evident is an action that collects evidence about its executions that no key covers.
type Evident interface {
	// Hardware returns the profile of the machines that execute the action's runs.
	Hardware() string
	// Programs lists the programs by solver name. A solver has several programs if its participations differ.
	Programs(store *cache.Store) (map[string][]evidence.Program, error)
	// Execution describes how the runs are executed, but not the stage's address or the origin of its scripts.
	Execution(store *cache.Store) (evidence.Execution, error)
	// AskVersions asks programs for their versions and stores the answers as evidence: programs that were never asked,
	// or all programs if again is set. Programs are executed on this machine, isolated like the runs, even if the runs
	// were executed elsewhere. The error names the programs that could not be asked; all other programs were asked.
	AskVersions(ctx context.Context, store *cache.Store, again bool) error
}

// Hardware implements Evident.
func (act *action) Hardware() string { return act.place.Hardware }

// Programs implements Evident.
func (act *action) Programs(store *cache.Store) (map[string][]evidence.Program, error) {
	entrants, err := act.listEntrants(store)
	all := map[string][]evidence.Program{}
	for i := range entrants {
		e := &entrants[i]
		if p := e.evidence(); !slices.Contains(all[e.name], p) {
			all[e.name] = append(all[e.name], p)
		}
	}
	return all, err
}

// Execution implements Evident.
func (act *action) Execution(store *cache.Store) (evidence.Execution, error) {
	x := evidence.Execution{Track: act.track, Kind: act.kind.String(), Input: "argument",
		Past: act.continueAfterUnknown, Merged: act.oneStream, WallS: act.limits.WallTime.Seconds(),
		CPUS: act.limits.CPUTime.Seconds(), Memory: act.limits.MemoryBytes,
		Cores: act.limits.Cores, Output: act.limits.OutputBytes,
		Scratch: act.limits.ScratchBytes, Pids: act.limits.Processes, Hardware: act.place.Hardware}
	switch {
	case act.dialogue:
		x.Input = "dialogue"
	case act.stdin:
		x.Input = "stdin"
	}
	entrants, err := act.listEntrants(store)
	for i := range entrants {
		e := &entrants[i]
		s := evidence.Start{Solver: e.name, Participation: e.participation, Logics: e.logics, Command: e.command,
			Packed: e.inArchive(), StarExec: e.starexec}
		s.SetDigests(e.evidence())
		if e.image != nil {
			s.Image = e.image.ID.String()
		}
		x.Starts = append(x.Starts, s)
	}
	return x, err
}

func (e *entrant) evidence() evidence.Program {
	p := evidence.Program{SHA256: e.digest, Name: e.command[0]}
	if e.archive != nil {
		p.Archive = e.archive.SHA256
	}
	return p
}

// The limits for a program that is asked for its version.
const (
	versionWallTime = 5 * time.Second
	versionOutput   = 64 << 10
)

// AskVersions implements Evident.
func (act *action) AskVersions(ctx context.Context, store *cache.Store, again bool) error {
	entrants, err := act.listEntrants(store)
	if err != nil {
		return err
	}
	waiting := map[evidence.Program]*entrant{}
	for i := range entrants {
		e := &entrants[i]
		p := e.evidence()
		known, err := evidence.Find(store, p)
		if err != nil {
			return err
		}
		asks := known == nil || again || len(e.askVersion) > 0 && !slices.Equal(known.Asked, e.askVersion)
		if waiting[p] == nil && asks {
			waiting[p] = e
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	x, err := local.Open(worker.Header{Isolation: act.place.Isolation, MemoryBytes: act.limits.MemoryBytes},
		runner.Config{NoLock: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("the solvers cannot be asked for their versions on this machine: %w", err)
	}
	var group errgroup.Group
	group.SetLimit(x.Hello().Slots)
	programs := slices.SortedFunc(maps.Keys(waiting), func(a, b evidence.Program) int {
		return strings.Compare(waiting[a].name, waiting[b].name)
	})
	errs := make([]error, len(programs))
	for i, p := range programs {
		group.Go(func() error {
			e := waiting[p]
			asked, line, err := act.askVersion(ctx, store, x, e)
			if err == nil {
				err = evidence.Put(store, p, asked, line)
			}
			if err != nil { // the machine or archive is at fault, so the next command asks again
				errs[i] = fmt.Errorf("%s cannot be asked for its version: %w", e.name, err)
			}
			return nil
		})
	}
	return errors.Join(group.Wait(), errors.Join(errs...), x.Close())
}

// askVersion asks a program for its version. If the program prints none, line is empty and asked is the last command
// tried.
func (act *action) askVersion(ctx context.Context, store *cache.Store, x *local.Executor, e *entrant) (asked []string,
	line string, err error) {
	if err := unpack(ctx, store, e); err != nil {
		return nil, "", err
	}
	commands := [][]string{e.askVersion}
	if len(e.askVersion) == 0 {
		commands = [][]string{{e.command[0], "--version"}, {e.command[0], "-version"}}
	}
	for _, asked = range commands {
		cmd, err := act.versionCommand(x.Isolation(), e, asked)
		if err != nil {
			return nil, "", err
		}
		results, err := worker.Do(ctx, x, &worker.Work{ID: "version", Here: &cmd})
		if err != nil {
			return nil, "", err
		}
		rec := results[0].Record
		switch failed := results[0].Failure; {
		case failed != nil && failed.Kind == worker.FailStart:
			return asked, "", nil
		case failed != nil:
			return nil, "", failed.Err()
		case rec.Ending != comp.Exited:
			return asked, "", nil // the program will not accept another option either
		case rec.ExitCode != 0:
			continue
		}
		if line = evidence.FirstLine(rec.Stdout.Bytes()); line == "" {
			line = evidence.FirstLine(rec.Stderr.Bytes())
		}
		if line != "" {
			break
		}
	}
	return asked, line, nil
}

// versionCommand returns a solver's command with different arguments, or the command of another program in its archive.
func (act *action) versionCommand(level runner.Isolation, e *entrant, argv []string) (cmd runner.Command, err error) {
	lim := act.limits
	lim.WallTime, lim.CPUTime, lim.OutputBytes, lim.Cores = versionWallTime, 0, versionOutput, 1
	if e.inArchive() {
		entry, err := solver.FindEntry(e.folder, argv, comp.SingleQuery, e.environment())
		if err != nil {
			return cmd, err
		}
		cmd = entry.Command(e.folder, "", lim, e.environment())
		cmd.Argv = cmd.Argv[:len(entry.Argv)]
	} else {
		cmd = e.image.Program(e.inImage(), cmp.Or(e.program, argv[0]), argv[1:]...)
		cmd.Limits = lim
	}
	return cmd, e.image.Apply(&cmd, level)
}
