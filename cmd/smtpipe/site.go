package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/engine"
	site "github.com/smtpipe/smtpipe/internal/report"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/stages"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
	"github.com/smtpipe/smtpipe/internal/table"
)

// scratch opens a store over that of the project, for what is computed for a moment. remove throws it away.
func (p *project) scratch() (over *cache.Store, remove func() error, err error) {
	dir, err := p.store.TempDir()
	if err != nil {
		return nil, nil, err
	}
	over, err = p.store.Overlay(dir)
	if err != nil {
		return nil, nil, err
	}
	return over, removeAll(over.Close, dir), nil
}

// partialOptions are those of a snapshot from the runs so far: runs are judged and scored, and nothing else is computed
// from them, as it would change what is executed next.
func partialOptions(scratch *cache.Store, memo *engine.Memo) engine.SnapshotOptions {
	return engine.SnapshotOptions{
		Scratch: scratch,
		Through: []string{"validate", "score", "command"},
		For:     []string{reportstage.Kind.Name},
		Memo:    memo,
	}
}

// snapshot takes what is known now of the targets, or of everything. Errors of the pipeline are printed.
func (p *project) snapshot(
	cmd *cobra.Command, opt engine.SnapshotOptions, targets ...string,
) (*engine.Snapshot, error) {
	e, err := p.engine(engine.Options{Targets: targets})
	if err != nil {
		return nil, err
	}
	snap, diags := e.Snapshot(cmd.Context(), opt)
	if err := p.report(cmd.ErrOrStderr(), diags); err != nil {
		return nil, err
	}
	return snap, stopped(cmd.Context(), cmd.Context().Err())
}

func reporterOf(step *engine.SnapshotStep) (reportstage.Reporter, error) {
	if r, ok := step.Action.(reportstage.Reporter); ok {
		return r, nil
	}
	return nil, fmt.Errorf("%s is no report; this is a bug in smtpipe", step.Addr)
}

// siteInput is what a report is made of, with the pipeline that the stage itself does not know.
func siteInput(store *cache.Store, snap *engine.Snapshot, step *engine.SnapshotStep) (*site.Input, error) {
	reporter, err := reporterOf(step)
	if err != nil {
		return nil, err
	}
	in, err := reporter.Input(store)
	if err != nil {
		return nil, err
	}
	in.Provenance.Nodes, in.Provenance.Edges = pipelineGraph(snap)
	if in.Progress, err = progressOf(store, snap); err != nil {
		return nil, err
	}
	return in, nil
}

// pipelineGraph lists the stages of a snapshot and what they use of each other.
func pipelineGraph(snap *engine.Snapshot) ([]site.Node, []site.Edge) {
	var nodes []site.Node
	var edges []site.Edge
	for i := range snap.Steps {
		s := &snap.Steps[i]
		node := site.Node{Address: s.Addr, Kind: s.Kind.Name, Key: s.Key}
		node.Output, node.Note = mainArtifact(s)
		nodes = append(nodes, node)
		for _, from := range s.Uses {
			edges = append(edges, site.Edge{From: from, To: s.Addr})
		}
	}
	return nodes, edges
}

// mainArtifact returns the digest of the first artifact among the outputs, and what it is.
func mainArtifact(s *engine.SnapshotStep) (digest, note string) {
	if s.Begun {
		return "", fmt.Sprintf("%d of %d runs so far", s.Done, s.Total)
	}
	if !s.Complete {
		return "", ""
	}
	for _, out := range s.Kind.Outputs {
		if art, ok := stages.ArtifactOf(s.Outputs[out.Name]); ok {
			return art.Digest.String(), art.Text()
		}
	}
	return "", ""
}

// maxFailures is how many failed runs the pages name.
const maxFailures = 20

// progressOf returns the progress of the runs of a snapshot, nil if they are complete.
func progressOf(store *cache.Store, snap *engine.Snapshot) (*site.Progress, error) {
	p := &site.Progress{}
	var waiting []string
	complete := true
	for i := range snap.Steps {
		s := &snap.Steps[i]
		if !s.Kind.Measured {
			continue
		}
		art, ok := stages.ArtifactOf(s.Outputs["runs"])
		complete = complete && s.Complete
		if !ok {
			waiting = append(waiting, s.Addr)
			continue
		}
		p.Done += art.Rows
		p.Total += max(s.Total, art.Rows)
		if err := addFailures(store, art, p); err != nil {
			return nil, err
		}
	}
	if complete {
		return nil, nil
	}
	var notes []string
	if len(waiting) > 0 {
		notes = append(notes, "Not begun: "+strings.Join(waiting, ", ")+".")
	}
	for _, problem := range snap.Problems {
		notes = append(notes, problem.Error()+".")
	}
	p.More, p.Note = len(waiting) > 0, strings.Join(notes, " ")
	return p, nil
}

// failureColumns are those of runs/1 that say whether a run failed.
var failureColumns = []string{"problem", "signal", "ending", "exit_code", "answer_wall_time_s", "solver", "benchmark"}

// addFailures counts the runs that ended without an answer where neither a limit nor the solver itself wanted it.
func addFailures(store *cache.Store, art stages.Artifact, p *site.Progress) error {
	return artifact.EachRow(store, art, failureColumns, func(_ int64, c []table.Column, i int) {
		what := ""
		switch {
		case c[0].StringAt(i) != "":
			what = c[0].StringAt(i)
		case c[1].IntAt(i) != 0 && c[2].StringAt(i) == "signalled":
			what = fmt.Sprintf("ended by signal %d", c[1].IntAt(i))
		case c[2].StringAt(i) == "exited" && c[3].IntAt(i) != 0 && c[4].FloatAt(i) < 0:
			what = fmt.Sprintf("exit code %d without an answer", c[3].IntAt(i))
		default:
			return
		}
		p.Failed++
		if len(p.Failures) < maxFailures {
			p.Failures = append(p.Failures, fmt.Sprintf("%s on %s: %s", c[5].StringAt(i), c[6].StringAt(i), what))
		}
	})
}

// alarms lists wrong answers, and benchmarks on which solvers say sat and unsat: what an organiser must see as it
// comes. The last line says how many more there are.
func alarms(verdicts iter.Seq2[results.VerdictRow, error]) (all []string, err error) {
	more := 0
	add := func(text string) {
		if len(all) < maxFailures {
			all = append(all, text)
		} else {
			more++
		}
	}
	var at string         // track and benchmark
	var says [2]string    // the first solver that says sat, unsat
	var disagreement bool // it is told of
	for r, err := range verdicts {
		if err != nil {
			return nil, err
		}
		if here := r.Track + " " + r.Benchmark; here != at {
			at, says, disagreement = here, [2]string{}, false
		}
		if r.Verdict == string(comp.Wrong) {
			add(fmt.Sprintf("wrong: %s says %s on %s, whose status is %s", r.Solver, r.Answer, r.Benchmark, r.Status))
		}
		if k := slices.Index([]string{"sat", "unsat"}, r.Answer); k >= 0 && says[k] == "" && r.Checks <= 1 {
			says[k] = r.Solver
		}
		if says[0] != "" && says[1] != "" && !disagreement {
			disagreement = true
			add(fmt.Sprintf("disagreement: %s says sat and %s unsat on %s", says[0], says[1], r.Benchmark))
		}
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("and %d more wrong answers and disagreements", more))
	}
	return all, nil
}

// progressText says in a few words how far the runs are.
func progressText(p *site.Progress) string {
	text := fmt.Sprintf("%d of %d runs are done", p.Done, p.Total)
	if p.More {
		text = fmt.Sprintf("%d of at least %d runs are done", p.Done, p.Total)
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}
