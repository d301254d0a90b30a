package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/rehearse"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// rehearsal executes a pipeline's rehearsal.
type rehearsal struct {
	cmd      *cobra.Command
	p        *project.Project
	jobs     int
	observer engine.Observer
	r        *rehearse.Rehearsal
	earlier  []results.HistoryRow
}

// manyLogics is the number of logics above which a few logics are tried first.
const manyLogics = 8

// perform performs the rehearsal. If there are many logics, it first tries a few of them. An entrant that reaches the
// wall time limit in all of these runs is not tried in the other logics, because each run of a hanging entrant could
// take an hour. The same applies to a slow entrant, unless it is named.
func (s *rehearsal) perform(sets map[rehearse.Part]rehearse.Set) (entries []rehearse.Entry,
	known []rehearse.Finding, err error) {
	few, err := s.few(sets)
	if err != nil {
		return nil, nil, err
	}
	s.r.Skip = map[rehearse.Entrant]bool{}
	if s.r.Sets = few; len(few) > 0 {
		first, found, _, _ := s.once() // failures in these parts are reported with all parts
		for _, e := range first {
			const least, patience = 3, 1 // number of runs, and seconds
			hangs := e.Runs >= least && e.TimedOut == e.Runs
			slow := e.MeanWallS > patience && !hangs && !slices.Contains(s.r.Only, e.Solver)
			if hangs || slow {
				s.r.Skip[e.Entrant] = true
				entries = append(entries, e)
			}
			if slow {
				known = append(known, rehearse.Finding{Entrant: e.Entrant, What: fmt.Sprintf("takes %.1f s for a "+
					"benchmark of a few lines, so the other logics were not tried; "+
					"\"smtpipe rehearse %s\" tries them all", e.MeanWallS, e.Solver)})
			}
		}
		for _, x := range found {
			if !s.r.Skip[x.Entrant] {
				continue
			}
			if x.Bad {
				x.What += "; the other logics were not tried"
			}
			known = append(known, x)
		}
	}
	s.r.Sets = sets
	more, findings, diags, err := s.once()
	err = s.p.ReportFailures(s.cmd.ErrOrStderr(), err)
	if reported := s.p.Report(s.cmd.ErrOrStderr(), diags); reported != nil && err == nil {
		err = reported
	}
	return rehearse.Sorted(append(entries, more...)), append(known, findings...), err
}

// few replaces each set that has many logics with three of them.
func (s *rehearsal) few(sets map[rehearse.Part]rehearse.Set) (map[rehearse.Part]rehearse.Set, error) {
	few := map[rehearse.Part]rehearse.Set{}
	for part, set := range sets {
		logics, err := set.Logics(s.p.Store)
		if n := len(logics); err == nil && n > manyLogics {
			few[part], err = set.Few(s.p.Store, []string{logics[n/6], logics[n/2], logics[n*5/6]})
		}
		if err != nil {
			return nil, err
		}
	}
	return few, nil
}

// once executes the rehearsal and summarises its verdicts.
func (s *rehearsal) once() (entries []rehearse.Entry, findings []rehearse.Finding, diags hcl.Diagnostics,
	err error) {
	p := s.p
	e, err := engine.New(s.r, engine.Options{Store: p.Store, Name: p.Path + " (rehearsal)", Folder: p.Pipeline.Folder(),
		Version: version, Redact: p.Pipeline.Redact, Jobs: s.jobs, Observer: s.observer, KeepGoing: true,
		Kinds: all.Kinds()})
	if err != nil {
		return nil, nil, nil, err
	}
	result, diags, err := e.Run(s.cmd.Context())
	if result == nil || s.cmd.Context().Err() != nil {
		return nil, nil, diags, err
	}
	var verdicts []results.VerdictRow
	var runs []results.RunRow
	errs := []error{err}
	for _, addr := range sortedKeys(result.Known) {
		if art, ok := stages.ArtifactOf(result.Known[addr]["verdicts"]); ok {
			rows, err := artifact.ReadTable[results.VerdictRow](p.Store, art)
			verdicts, errs = append(verdicts, rows...), append(errs, err)
		}
		if art, ok := stages.ArtifactOf(result.Known[addr]["runs"]); ok {
			rows, err := artifact.ReadTable[results.RunRow](p.Store, art)
			runs, errs = append(runs, rows...), append(errs, err)
		}
	}
	entries, findings = rehearse.Judge(verdicts, runs, s.earlier, p.EndOf)
	said := map[string]bool{}
	absent := e.Absent()
	for _, addr := range sortedKeys(absent) {
		for _, a := range absent[addr] {
			if text := a.Entrant + a.Reason; !said[text] {
				said[text] = true
				findings = append(findings, rehearse.Finding{Entrant: rehearse.Entrant{Solver: a.Entrant},
					What: "cannot take part: " + a.Reason, Bad: true})
			}
		}
	}
	return entries, findings, diags, errors.Join(errs...)
}
