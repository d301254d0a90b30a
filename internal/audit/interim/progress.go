// Package interim derives progress, alarms, an early ranking and heats from the runs so far.
package interim

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/engine"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
	reportstage "github.com/smtpipe/smtpipe/internal/stages/report"
)

func Reporter(step *engine.SnapshotStep) (reportstage.Reporter, error) {
	if r, ok := step.Action.(reportstage.Reporter); ok {
		return r, nil
	}
	return nil, fmt.Errorf("%s is not a report; this is a bug in smtpipe", step.Addr)
}

// Input returns a report's input, including the pipeline and the evidence, which the stage itself does not know.
func Input(
	ctx context.Context, p *project.Project, store *cache.Store, snap *engine.Snapshot, step *engine.SnapshotStep,
) (*site.Input, error) {
	reporter, err := Reporter(step)
	if err != nil {
		return nil, err
	}
	in, err := reporter.Input(store)
	if err != nil {
		return nil, err
	}
	in.Provenance.Nodes, in.Provenance.Edges = pipelineGraph(snap)
	if in.Evidence, _, err = p.EvidenceOf(snap.Steps); err != nil {
		return nil, err
	}
	if in.Progress, err = Progress(store, snap, step); err != nil || in.Progress == nil {
		return in, err
	}
	in.Progress.Early, err = earlyRows(ctx, store, snap, step)
	return in, err
}

// pipelineGraph returns a snapshot's stages and the dependencies between them.
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

// mainArtifact returns the digest and a description of the first artifact among the outputs.
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

// maxFailures is the maximum number of failed runs listed on the pages.
const maxFailures = 20

// Progress returns the progress of a snapshot's runs by the divisions of a report, or nil if all runs are complete.
func Progress(store *cache.Store, snap *engine.Snapshot, report *engine.SnapshotStep) (*site.Progress, error) {
	reporter, knows := report.Action.(reportstage.Reporter) // false while the stage waits for its arguments
	p := &site.Progress{}
	divisions := map[[2]string]*site.DivisionProgress{}
	var made spans
	var waiting, notes []string
	complete := true
	for i := range snap.Steps {
		s := &snap.Steps[i]
		if h, ok := s.Action.(heatAction); ok {
			last, all := h.Heats()
			notes = append(notes, fmt.Sprintf("%s: heat %d of %d.", s.Addr, last, all))
		}
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
		if err := addRuns(store, art, p, &made); err != nil {
			return nil, err
		}
		for _, part := range s.Parts {
			key := [2]string{part.Track, part.Logic}
			if knows {
				key[1] = reporter.Division(part.Track, part.Logic)
			}
			d := divisions[key]
			if d == nil {
				d = &site.DivisionProgress{Track: key[0], Division: key[1]}
				divisions[key] = d
			}
			d.Done, d.Total, d.LeftS = d.Done+part.Done, d.Total+part.Total, d.LeftS+part.LeftS
		}
	}
	if complete {
		return nil, nil
	}
	p.AtOnce = made.atOnce()
	for _, d := range divisions {
		p.Divisions = append(p.Divisions, *d)
	}
	slices.SortFunc(p.Divisions, func(a, b site.DivisionProgress) int {
		return cmp.Or(strings.Compare(a.Track, b.Track), strings.Compare(a.Division, b.Division))
	})
	if len(waiting) > 0 {
		notes = append(notes, "Not begun: "+strings.Join(waiting, ", ")+".")
	}
	for _, problem := range snap.Problems {
		notes = append(notes, problem.Error()+".")
	}
	p.More, p.Note = len(waiting) > 0, strings.Join(notes, " ")
	return p, nil
}

// span is the start and end of a run in Unix time, in seconds.
type span struct{ begin, end float64 }

// spans contains the times of many runs.
type spans []span

// lately is the maximum age, in seconds, of runs used to estimate the remaining time.
const lately = 3600

// atOnce returns the average number of concurrent runs in the last hour that had any, or 0 if there are no runs.
func (all spans) atOnce() float64 {
	if len(all) == 0 {
		return 0
	}
	first, last := all[0].begin, all[0].end
	for _, s := range all {
		first, last = min(first, s.begin), max(last, s.end)
	}
	first = max(first, last-lately)
	sum := 0.0
	for _, s := range all {
		sum += max(0, s.end-max(s.begin, first))
	}
	return sum / max(last-first, 1) // start times have a resolution of one second
}

// failureColumns are the columns of runs/2 that show whether a run failed and when it was executed.
var failureColumns = []string{"problem", "signal", "ending", "exit_code", "answer_wall_time_s", "solver", "benchmark",
	"measured_at", "wall_time_s"}

// addRuns counts the runs that ended without an answer although neither a limit nor the solver itself caused this, and
// records when the runs were executed.
func addRuns(store *cache.Store, art stages.Artifact, p *site.Progress, made *spans) error {
	return artifact.EachRow(store, art, failureColumns, func(_ int64, c []table.Column, i int) {
		if at, err := time.Parse(time.RFC3339, c[7].StringAt(i)); err == nil {
			begin := float64(at.Unix())
			*made = append(*made, span{begin, begin + c[8].FloatAt(i)})
		}
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

// Alarms lists wrong answers, and benchmarks that were answered both sat and unsat, because organisers must see these
// immediately. The last line states how many are not listed.
func Alarms(verdicts iter.Seq2[results.VerdictRow, error]) (all []string, err error) {
	more := 0
	add := func(text string) {
		if len(all) < maxFailures {
			all = append(all, text)
		} else {
			more++
		}
	}
	decisive := []comp.Answer{comp.AnswerSat, comp.AnswerUnsat}
	var at string         // current track and benchmark
	var says [2]string    // first solvers that answered sat and unsat
	var disagreement bool // whether the disagreement has been reported
	for r, err := range verdicts {
		if err != nil {
			return nil, err
		}
		if here := r.Track + " " + r.Benchmark; here != at {
			at, says, disagreement = here, [2]string{}, false
		}
		if r.Verdict == string(comp.Wrong) {
			add(fmt.Sprintf("wrong: %s answers %s on %s, which has "+
				"status %s", r.Solver, r.Answer, r.Benchmark, r.Status))
		}
		if k := slices.Index(decisive, comp.Answer(r.Answer)); k >= 0 && says[k] == "" && r.Checks <= 1 {
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

// ProgressText describes the runs' progress in a few words.
func ProgressText(p *site.Progress) string {
	text := fmt.Sprintf("%d of %d runs are done", p.Done, p.Total)
	if p.More {
		text = fmt.Sprintf("%d of at least %d runs are done", p.Done, p.Total)
	}
	if p.Failed > 0 {
		text += fmt.Sprintf(", %d failed", p.Failed)
	}
	return text
}
