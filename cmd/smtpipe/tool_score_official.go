package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// scoreOfficial implements score --official.
func (s *scoreFlags) scoreOfficial(cmd *cobra.Command) error {
	in, err := s.input(cmd, "")
	if err != nil {
		return err
	}
	o, rs := in.official, in.rules
	if s.compare && o.Published == nil {
		return fmt.Errorf("%s has no published.json to compare with", s.official)
	}
	readings := s.readings
	if len(readings) == 0 {
		readings = []string{"published"}
	}
	rd, err := in.readings(cmd, readings)
	if err != nil {
		return err
	}
	if s.changes {
		return s.writeChanges(cmd, rs, o.Runs, rd)
	}
	if s.explain != "" {
		return s.explainCell(cmd, rs, o.Runs, rd)
	}
	res, err := score.Compute(cmd.Context(), rs, o.Runs, rd)
	if err != nil {
		return ruleError(cmd.ErrOrStderr(), rs, err)
	}
	switch {
	case s.compare && s.output == "" && s.format == "" && !s.chooses():
	case s.formatOf(cmd) != "json" || s.chooses():
		if err := s.write(cmd, in, res); err != nil {
			return err
		}
	default:
		doc, err := o.TablesJSON(res)
		if err != nil {
			return err
		}
		if err := writeScore(cmd, s.output, doc); err != nil {
			return err
		}
	}
	if !s.compare {
		return nil
	}
	unexpected, err := o.WriteComparison(cmd.OutOrStdout(), res)
	if err == nil && unexpected > 0 {
		return exit.With(exit.Differs, nil)
	}
	return err
}

// writeChanges lists the differences from the literal rules.
func (s *scoreFlags) writeChanges(cmd *cobra.Command, rs *score.RuleSet, runs *score.Runs, rd score.Readings) error {
	changes, err := score.Attribute(cmd.Context(), rs, runs, score.Readings{}, rd)
	if err != nil {
		return ruleError(cmd.ErrOrStderr(), rs, err)
	}
	winners := 0
	var out bytes.Buffer
	for _, c := range changes {
		fmt.Fprintln(&out, c)
		if c.Column == "winners" {
			winners++
		}
	}
	if err := writeScore(cmd, s.output, out.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d figures change, %d of them winners\n", len(changes), winners)
	return nil
}
