package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// byRules selects by a year's rules: it executes the year's own module in a pipeline written for the purpose.
func (s *selectFlags) byRules(cmd *cobra.Command) (err error) {
	folder, err := os.MkdirTemp("", "smtpipe-select-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	r, settings, err := s.prepare(cmd)
	if err != nil {
		return err
	}
	pipeline := filepath.Join(folder, "selection.hcl")
	if err := os.WriteFile(pipeline, []byte(r.Pipeline()), 0o644); err != nil {
		return err
	}
	list, err := s.ReadTables(cmd.ErrOrStderr(), r.Module, r.Kind)
	if err != nil {
		return err
	}
	flags := project.Options{Pipeline: pipeline, Store: filepath.Join(folder, "store"), Vars: settings,
		Version: version,
		Kinds:   []*stages.Kind{list.Kind()}}
	p, err := flags.Open(cmd.Context(), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	made := &preselect.Selected{List: list, Store: p.Store}
	if made.Outputs, err = s.evaluate(cmd, p, r, list); err != nil {
		return err
	}
	return s.writeSelection(cmd, made)
}

// prepare reads the rules and the options. settings are the variables' values.
func (s *selectFlags) prepare(cmd *cobra.Command) (r *preselect.Selection, settings []string, err error) {
	r = &preselect.Selection{}
	kinds, err := s.readRules(cmd, r)
	if err != nil {
		return nil, nil, err
	}
	if r.Track, r.Kind, err = kinds.Parse(kinds.Underscored(s.track)); err != nil {
		return nil, nil, exit.With(exit.Usage, err)
	}
	r.Logics = s.logics
	if tracks := r.Module.Tracks; tracks != nil && !slices.Contains(tracks, r.Track) && kinds[r.Track] == 0 {
		return nil, nil, exit.With(exit.Usage, s.noTrack(r.Track, tracks))
	}
	if err := s.setEntrants(r); err != nil {
		return nil, nil, err
	}
	if err := s.setSeed(cmd, r); err != nil {
		return nil, nil, err
	}
	values, err := s.settings(cmd, r.Module)
	for name, value := range values {
		r.Set, settings = append(r.Set, name), append(settings, name+"="+value)
	}
	slices.Sort(r.Set)
	return r, settings, err
}

func (s *selectFlags) noTrack(track string, tracks []string) error {
	return fmt.Errorf("the rules of %s have no track %s; they have %s", s.rules, track, strings.Join(tracks, ", "))
}

// readRules reads the rules and their module, and returns the tracks that the competition defines itself.
func (s *selectFlags) readRules(cmd *cobra.Command, r *preselect.Selection) (comp.Kinds, error) {
	loaded, diags := rules.Load(s.rules, "")
	var files map[string]*hcl.File
	if loaded != nil {
		files = loaded.Files
	}
	if !diags.HasErrors() {
		r.Module, diags = preselect.ReadModule(loaded)
	}
	if diags.HasErrors() {
		if err := config.WriteDiagnostics(cmd.ErrOrStderr(), diags, files, 0, false); err != nil {
			return nil, err
		}
		return nil, exit.With(exit.Usage, nil)
	}
	r.Rules, r.Year = s.rules, loaded.Year
	var err error
	if !rules.IsBuiltin(s.rules) {
		r.Rules, err = filepath.Abs(s.rules)
	}
	return loaded.Kinds, err
}

// setEntrants sets the submissions that enter the competition.
func (s *selectFlags) setEntrants(r *preselect.Selection) error {
	r.Polars = s.generator == byPolars
	switch {
	case s.competitive == "" && r.Polars:
		s.competitive = "entries"
	case s.competitive == "":
		s.competitive = "teams"
	case s.competitive != "teams" && s.competitive != "entries":
		return exit.With(exit.Usage, fmt.Errorf("unknown value %q for --competitive; it must be teams or entries",
			s.competitive))
	}
	r.Competitive = s.competitive
	for _, file := range s.submissions {
		path, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		r.Submissions = append(r.Submissions, path)
	}
	return nil
}

// decimal matches a stock index as printed, without thousands separators.
var decimal = pattern.Lazy(`^[0-9]+(\.[0-9]+)?$`)

func notDecimal(opening string) error {
	return fmt.Errorf("opening value %q of the stock index is not a decimal number such as 23412.89", opening)
}

// setSeed sets the source of the competition's seed.
func (s *selectFlags) setSeed(cmd *cobra.Command, r *preselect.Selection) error {
	given := cmd.Flags().Changed("seed")
	switch {
	case given && s.opening != "":
		return exit.With(exit.Usage, errors.New("--seed and --opening exclude each other"))
	case given && s.seed > math.MaxUint32 && s.generator != byPolars:
		return exit.With(exit.Usage, fmt.Errorf("--seed %d is out of range: srandom() takes 0 to %d", s.seed,
			math.MaxUint32))
	case given:
		r.Seed = &s.seed
	case s.opening == "" || len(s.submissions) == 0:
		return exit.With(exit.Usage, errors.New("--seed is required, or --submissions with --opening"))
	case !decimal().MatchString(s.opening):
		return exit.With(exit.Usage, notDecimal(s.opening))
	}
	r.Opening, r.Factor = s.opening, s.openingFactor
	return nil
}

// evaluate executes the pipeline and returns its outputs by name.
func (s *selectFlags) evaluate(cmd *cobra.Command, p *project.Project, r *preselect.Selection,
	list *preselect.List) (map[string]cty.Value, error) {
	outputs, err := p.Outputs(cmd.ErrOrStderr(), nil)
	if err != nil {
		return nil, err
	}
	if err := s.checkSelection(outputs, r, list); err != nil {
		return nil, err
	}
	known, _, err := p.Execute(cmd.Context(), cmd.ErrOrStderr(), engine.Options{})
	if err != nil {
		return nil, err
	}
	return p.Outputs(cmd.ErrOrStderr(), known)
}

// checkSelection checks, before anything executes, that the module selects for the track and that the list has the
// columns that the module needs.
func (s *selectFlags) checkSelection(outputs map[string]cty.Value, r *preselect.Selection, list *preselect.List) error {
	tracks := preselect.TextsOf(outputs["tracks"])
	if tracks != nil && !slices.Contains(tracks, r.Track) {
		if r.Module.Tracks != nil {
			return exit.With(exit.Usage, fmt.Errorf("with these variables the rules of %s select nothing for track %s",
				s.rules, r.Track))
		}
		return exit.With(exit.Usage, s.noTrack(r.Track, tracks))
	}
	missing := s.Missing(list, preselect.TextsOf(outputs["columns"]))
	if len(missing) == 0 {
		return nil
	}
	return exit.With(exit.Usage, fmt.Errorf("the rules of %s ask more of the benchmarks for this track than %s "+
		"says; give a table with the columns %s (for status and asserts also --status)", s.rules, s.Benchmarks,
		strings.Join(missing, ", ")))
}

// writeSelection writes the requested output.
func (s *selectFlags) writeSelection(cmd *cobra.Command, made *preselect.Selected) error {
	exclusions, err := preselect.TableOf[results.ExclusionRow](made, "exclusions")
	if err != nil {
		return err
	}
	for _, t := range []struct {
		file string
		rows func([]results.ExclusionRow) ([][]string, error)
	}{
		{s.table, made.GroupTable}, {s.exclusions, preselect.ExclusionTable}, {s.choices, made.ChoiceTable},
	} {
		if err := preselect.WriteTable(t.file, exclusions, t.rows); err != nil {
			return err
		}
	}
	names, err := made.Names()
	if err != nil {
		return err
	}
	if s.eligible != "" {
		eligible, err := made.Eligible()
		if err == nil {
			err = outfile.WriteText(s.eligible, lines(eligible))
		}
		if err != nil {
			return err
		}
	}
	eligible := int64(0)
	for _, e := range exclusions {
		if e.Reason == preselect.Kept {
			eligible += e.Count
		}
	}
	seed, _ := made.Outputs["seed"].AsBigFloat().Int64()
	fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d benchmarks are eligible, %d are selected (seed %d)\n", eligible,
		len(made.List.Paths), len(names), seed)
	return s.write(cmd, lines(names))
}
