package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/contest/whatif"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// finishedFlags select finished runs: a pipeline's, those in a folder of official results, or a table's.
type finishedFlags struct {
	project  projectFlags
	official []string
	runs     string
	against  string
}

func (w *finishedFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	w.project.register(f)
	addressCompletion{most: 1}.register(cmd, &w.project)
	f.StringArrayVar(&w.official, "official", nil, "folder of official results; may be repeated")
	f.StringVar(&w.runs, "runs", "", "table of verdicts or runs")
	f.StringVar(&w.against, "against", "", "with --runs: rules that produced the current winners")
}

// load calls add with runs and the rules by which they are currently scored.
func (w *finishedFlags) load(cmd *cobra.Command, args []string,
	add func(name string, r whatif.Rules, runs *score.Runs) error) error {
	if (w.runs == "") != (w.against == "") {
		return exit.With(exit.Usage, errors.New("--runs and --against belong together: a table does not say by which rules "+
			"its winners won"))
	}
	if len(args)+len(w.official) == 0 && w.runs == "" {
		return exit.With(exit.Usage, errors.New("name a stage that scores, --official DIR, or --runs FILE with --against "+
			"RULES"))
	}
	for _, dir := range w.official {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: reading\n", dir)
		o, err := scoreio.ReadOfficial(dir, rules.PublishedOf)
		if err != nil {
			return err
		}
		rs, rd, err := o.Practice()
		if err != nil {
			return err
		}
		name := strconv.Itoa(o.Year) + ", as published"
		if err := add(filepath.Base(filepath.Clean(dir)), whatif.Rules{Name: name, Set: rs, Readings: rd},
			o.Runs); err != nil {
			return err
		}
	}
	if w.runs != "" {
		s := scoreFlags{rules: w.against}
		in, err := s.input(cmd, w.runs)
		if err != nil {
			return err
		}
		if err := add(filepath.Base(w.runs), whatif.Rules{Name: w.against, Set: in.rules}, in.runs); err != nil {
			return err
		}
	}
	if len(args) == 0 {
		return nil
	}
	return w.loadStages(cmd, args, add)
}

func (w *finishedFlags) loadStages(cmd *cobra.Command, args []string,
	add func(string, whatif.Rules, *score.Runs) error) (err error) {
	p, err := w.project.open(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return err
	}
	for _, address := range args {
		in, err := e.Executed(address)
		if err != nil {
			return project.MeantStage(e, err)
		}
		s, ok := in.Action.(project.Scorer)
		if !ok {
			return exit.With(exit.Usage, fmt.Errorf("%s is a stage %q; name one that scores", address,
				in.Kind.Name))
		}
		runs, readings, err := s.Load(p.Store, nil)
		if err != nil {
			return err
		}
		r := whatif.Rules{Name: s.RuleSet().Name, Set: s.RuleSet(), Readings: readings}
		if err := add(address, r, runs); err != nil {
			return err
		}
	}
	return nil
}
