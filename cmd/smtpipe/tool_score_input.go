package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
)

// scoreInput is the input for scoring: runs, the rule set, and the practice behind the year's published tables.
type scoreInput struct {
	rules     *score.RuleSet
	others    func() []score.Reading // readings that only other rule sets have; nil if there are none
	runs      *score.Runs
	published func() (score.Readings, error)
	official  *scoreio.Official // nil for a table of runs
}

// input reads the official folder, or the table of runs, at path.
func (s *scoreFlags) input(cmd *cobra.Command, path string) (*scoreInput, error) {
	if s.official != "" {
		o, err := scoreio.ReadOfficial(s.official, rules.PublishedOf)
		if err != nil {
			return nil, err
		}
		for _, w := range o.Warnings() {
			fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s\n", w)
		}
		rs, rd, err := o.Practice()
		return &scoreInput{rs, rules.Readings, o.Runs, func() (score.Readings, error) { return rd, nil }, o}, err
	}
	rs, of, err := findScoring(cmd.ErrOrStderr(), s.rules)
	if err != nil {
		return nil, err
	}
	var others func() []score.Reading
	if of != nil && of.Name == rs.Name {
		others = rules.Readings
	}
	runs, warnings, err := s.read(cmd, rs, path)
	if err == nil {
		warnings = append(warnings, scoreio.BaseWarnings(rs, runs)...)
	}
	for _, w := range warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s\n", w)
	}
	published := func() (score.Readings, error) { return rules.PublishedReadingsOf(rs, of, runs) }
	return &scoreInput{rs, others, runs, published, nil}, err
}

// readings parses the values of --reading, and adds notes about readings that the rule set does not use.
func (in *scoreInput) readings(cmd *cobra.Command, list []string) (score.Readings, error) {
	rd, notes, err := rules.ParseReadings(in.rules, list, in.published)
	for _, n := range notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "Warning: %s\n", n)
	}
	if err != nil {
		return rd, exit.With(exit.Usage, err)
	}
	return rd, nil
}

func (s *scoreFlags) read(cmd *cobra.Command, rs *score.RuleSet, path string) (*score.Runs, []string, error) {
	divide := scoreio.DivideBy(rs.Divisions, nil, rs.Kinds)
	if path == "-" {
		return scoreio.ReadRuns(cmd.InOrStdin(), "standard input", divide)
	}
	return scoreio.ReadRunsFile(path, divide)
}
