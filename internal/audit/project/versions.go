package project

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/execute"
)

// AskVersions asks the programs of measured stages for their versions. It must be called after the runs, because it
// would disturb them. A program that cannot be asked does not make the runs fail.
func (p *Project) AskVersions(ctx context.Context, stderr io.Writer, steps []engine.SnapshotStep, again bool) error {
	if p.Evidence != nil {
		return nil
	}
	for i := range steps {
		programs, ok := steps[i].Action.(execute.Evident)
		if !ok || !steps[i].Complete {
			continue
		}
		err := programs.AskVersions(ctx, p.Store, again)
		if ctx.Err() != nil {
			return exit.Stopped(ctx, ctx.Err())
		}
		if err != nil {
			fmt.Fprintf(stderr, "Note: %s: %v\n", steps[i].Addr, err)
		}
	}
	return nil
}

// EvidenceOf collects the evidence about runs that no key covers, from the store or from the frozen folder that
// provides the measurements. versions contains the answers by solver name.
func (p *Project) EvidenceOf(steps []engine.SnapshotStep) (doc *evidence.Document, versions solverVersions, err error) {
	frozen := &evidence.Document{}
	if p.Evidence != nil {
		frozen, err = evidence.ReadFile(p.Evidence.Path(evidence.Name))
		if errors.Is(err, fs.ErrNotExist) { // folders of earlier versions have no evidence
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
			x, err := action.Execution(p.Store)
			if err != nil {
				return nil, nil, err
			}
			x.Stage, x.Scramble = steps[i].Addr, scrambling(steps, &steps[i])
			doc.Executions = append(doc.Executions, x)
		}
		machine := frozen.Machine(action.Hardware())
		if machine == nil && p.Evidence == nil {
			found, err := evidence.FindMachine(p.Store, action.Hardware())
			if err != nil {
				return nil, nil, err
			}
			machine = &found
		}
		if machine != nil {
			doc.AddMachine(*machine)
		}
		nodes := frozen.Stage(steps[i].Addr)
		if p.Evidence == nil {
			if nodes, err = evidence.FindNodes(p.Store, steps[i].Addr); err != nil {
				return nil, nil, err
			}
		}
		if len(nodes) > 0 {
			doc.Stages = append(doc.Stages, evidence.Stage{Address: steps[i].Addr, Nodes: nodes})
		}
		programs, err := action.Programs(p.Store)
		if err != nil {
			return nil, nil, err
		}
		for _, solver := range slices.Sorted(maps.Keys(programs)) {
			for _, program := range programs[solver] {
				v := frozen.Find(program)
				if v == nil && p.Evidence == nil {
					v, err = evidence.Find(p.Store, program)
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

// scrambling describes how a step's scripts were produced. It returns nil if no stage "scramble" produced them or if
// the seed is sensitive.
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

// evidenceNow returns the evidence about one stage or all stages. It does not report the pipeline's diagnostics, which
// the command has already reported.
func (p *Project) evidenceNow(ctx context.Context, only string) (*evidence.Document, solverVersions, error) {
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return nil, nil, err
	}
	snap, _ := e.Snapshot(ctx, engine.SnapshotOptions{})
	others := func(s engine.SnapshotStep) bool { return only != "" && s.Addr != only }
	return p.EvidenceOf(slices.DeleteFunc(snap.Steps, others))
}

// machineLines returns one line per state of each machine.
func machineLines(doc *evidence.Document) string {
	var b strings.Builder
	for m := range doc.Machines {
		for i := range doc.Machines[m].States {
			fmt.Fprintf(&b, "%s: %s\n", doc.Machines[m].Hardware, doc.Machines[m].Text(i))
		}
	}
	return b.String()
}

// solverVersions contains the version answers of the solvers' programs, by solver name.
type solverVersions map[string][]evidence.Version

// lines returns one line per solver with answers. Neither keys nor tables contain these answers.
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

// ExplainVersions prints the versions of a measured stage's solvers, or of one solver in any stage.
func (p *Project) ExplainVersions(ctx context.Context, w io.Writer, addr, solver string) error {
	if solver != "" {
		addr = ""
	}
	doc, versions, err := p.evidenceNow(ctx, addr)
	if err != nil {
		return err
	}
	solvers := []string{solver}
	if solver == "" {
		solvers = slices.Collect(maps.Keys(versions))
	}
	lines := versions.lines(solvers)
	if solver == "" {
		lines += machineLines(doc)
	}
	if lines != "" {
		_, err = fmt.Fprintf(w, "evidence, which is part of no key\n  %s\n",
			strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", "\n  "))
	}
	return err
}

// WriteComponents prints a list on one line, as "name[3] a, b, c", and other components as name and value.
func WriteComponents(w io.Writer, components []cache.Component) error {
	var lines []cache.Component
	list := "" // name of the list whose items are being joined
	for _, c := range components {
		c.Value = strings.ReplaceAll(strings.TrimRight(c.Value, "\n"), "\n", "\\n")
		name, item, _ := strings.Cut(c.Name, "[")
		last := len(lines) - 1
		switch {
		case item == "0]" && last >= 0 && lines[last].Name == name+".count":
			list = name
			lines[last] = cache.Component{Name: name + "[" + lines[last].Value + "]", Value: c.Value}
		case list != "" && name == list && strings.HasSuffix(item, "]"):
			lines[last].Value += ", " + c.Value
		default:
			list = ""
			lines = append(lines, c)
		}
	}
	width := 0
	for _, c := range lines {
		width = max(width, len(c.Name))
	}
	for _, c := range lines {
		if _, err := fmt.Fprintf(w, "  %-*s  %s\n", width, c.Name, c.Value); err != nil {
			return err
		}
	}
	return nil
}
