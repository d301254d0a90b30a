package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/execute"
)

// askVersions asks the programs of measured stages for their versions. It does so after the runs, because it must not
// disturb them. If a program cannot be asked, the runs do not fail.
func (p *project) askVersions(cmd *cobra.Command, steps []engine.SnapshotStep, again bool) error {
	if p.evidence != nil {
		return nil
	}
	for i := range steps {
		programs, ok := steps[i].Action.(execute.Evident)
		if !ok || !steps[i].Complete {
			continue
		}
		err := programs.AskVersions(cmd.Context(), p.store, again)
		if cmd.Context().Err() != nil {
			return exit.Stopped(cmd.Context(), cmd.Context().Err())
		}
		if err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "Note: %s: %v\n", steps[i].Addr, err)
		}
	}
	return nil
}

// evidenceOf collects the evidence about the runs that no key covers, from the store or from the frozen folder that the
// measurements come from. versions has the answers by solver name.
func (p *project) evidenceOf(steps []engine.SnapshotStep) (doc *evidence.Document, versions solverVersions, err error) {
	frozen := &evidence.Document{}
	if p.evidence != nil {
		frozen, err = evidence.ReadFile(p.evidence.Path(evidence.Name))
		if errors.Is(err, fs.ErrNotExist) { // of an earlier version
			frozen, err = &evidence.Document{}, nil
		}
		if err != nil {
			return nil, nil, err
		}
	}
	doc, versions = &evidence.Document{}, solverVersions{}
	doc.Add()
	for i := range steps {
		action, ok := steps[i].Action.(execute.Evident)
		if !ok {
			continue
		}
		if len(steps[i].Waits) == 0 {
			x, err := action.Execution(p.store)
			if err != nil {
				return nil, nil, err
			}
			x.Stage, x.Scramble = steps[i].Addr, scrambling(steps, &steps[i])
			doc.Executions = append(doc.Executions, x)
		}
		machine := frozen.Machine(action.Hardware())
		if machine == nil && p.evidence == nil {
			found, err := evidence.FindMachine(p.store, action.Hardware())
			if err != nil {
				return nil, nil, err
			}
			machine = &found
		}
		if machine != nil {
			doc.AddMachine(*machine)
		}
		nodes := frozen.Stage(steps[i].Addr)
		if p.evidence == nil {
			if nodes, err = evidence.FindNodes(p.store, steps[i].Addr); err != nil {
				return nil, nil, err
			}
		}
		if len(nodes) > 0 {
			doc.Stages = append(doc.Stages, evidence.Stage{Address: steps[i].Addr, Nodes: nodes})
		}
		programs, err := action.Programs(p.store)
		if err != nil {
			return nil, nil, err
		}
		for _, solver := range slices.Sorted(maps.Keys(programs)) {
			for _, program := range programs[solver] {
				v := frozen.Find(program)
				if v == nil && p.evidence == nil {
					v, err = evidence.Find(p.store, program)
				}
				if err != nil {
					return nil, nil, err
				}
				if v == nil {
					continue
				}
				doc.Add(*v)
				versions[solver] = append(versions[solver], *v)
			}
		}
	}
	return doc, versions, nil
}

// scrambling returns how a step's scripts were made. It returns nil if no stage "scramble" made them or the seed is
// sensitive.
func scrambling(steps []engine.SnapshotStep, step *engine.SnapshotStep) *evidence.Scrambling {
	scripts, _ := step.Args.Artifact("scripts")
	for i := range steps {
		s := &steps[i]
		made, ok := stages.ArtifactOf(s.Outputs["scripts"])
		if !ok || made.Digest != scripts.Digest || s.Kind.Name != "scramble" || s.Args.IsSensitive("seed") {
			continue
		}
		kinds, err := s.Args.Kinds()
		if err == nil {
			if _, kind, err := kinds.Parse(s.Args.String("track")); err == nil {
				return &evidence.Scrambling{Seed: s.Args.Int("seed"), Track: kind.String()}
			}
		}
	}
	return nil
}

// evidenceNow returns the evidence about one stage or all. It does not report the pipeline's diagnostics, because the
// command has done so.
func (p *project) evidenceNow(ctx context.Context, only string) (*evidence.Document, solverVersions, error) {
	e, err := p.engine(engine.Options{})
	if err != nil {
		return nil, nil, err
	}
	snap, _ := e.Snapshot(ctx, engine.SnapshotOptions{})
	others := func(s engine.SnapshotStep) bool { return only != "" && s.Addr != only }
	return p.evidenceOf(slices.DeleteFunc(snap.Steps, others))
}

// machineLines returns a line for each state of each machine.
func machineLines(doc *evidence.Document) string {
	var b strings.Builder
	for m := range doc.Machines {
		for i := range doc.Machines[m].States {
			fmt.Fprintf(&b, "%s: %s\n", doc.Machines[m].Hardware, doc.Machines[m].Text(i))
		}
	}
	return b.String()
}

// solverVersions holds the answers of the solvers' programs, by solver name.
type solverVersions map[string][]evidence.Version

// lines returns a line for each solver with answers. Keys and tables do not contain them.
func (v solverVersions) lines(solvers []string) string {
	var b strings.Builder
	slices.Sort(solvers)
	for _, s := range slices.Compact(solvers) {
		if text := evidence.Text(v[s]); text != "" {
			fmt.Fprintf(&b, "%s: %s\n", s, text)
		}
	}
	return b.String()
}
