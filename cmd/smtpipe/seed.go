package main

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
)

func newSeedCommand() *cobra.Command {
	flags := projectFlags{project.Options{Reads: true}}
	var record string
	cmd := &cobra.Command{
		Use:   "seed [STAGE]",
		Short: "Show how the competition's seed is computed, and record it",
		Long: `Shows the competition's seed as a sum: the number of each entrant that counts, the modulus, and the part of the opening value
of the stock index that is added. STAGE is the stage "submissions", if there are several; its attribute opening gives the opening value.

With --record FILE the numbers are written to a file for the pipeline's folder, to be published and committed when the entrants are
final. The attribute drawn of the stage names it. From then on, a change that would alter the seed is an error that says who changed.

` + exit.Help,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := flags.open(cmd)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, p.Close()) }()
			return showSeed(cmd, p, strings.Join(args, ""), record)
		},
	}
	flags.register(cmd.Flags())
	addressCompletion{most: 1}.register(cmd, &flags)
	cmd.Flags().StringVar(&record, "record", "", "file to write the record of the seed to")
	return cmd
}

// showSeed shows a pipeline's seed and writes the seed's record.
func showSeed(cmd *cobra.Command, p *project.Project, addr, record string) error {
	drawing, err := p.Drawing(addr)
	if err != nil {
		return err
	}
	now, opening, drawn, err := drawing.Draw(cmd.Context())
	if err != nil {
		return err
	}
	if drawn != nil {
		if err := drawn.Changes(now); err != nil {
			return exit.With(exit.Differs, fmt.Errorf("the seed %d is drawn already, and would be another one:\n%w",
				drawn.Seed, err))
		}
	}
	if opening == nil && record != "" {
		return exit.With(exit.Usage, errors.New("the stage has no opening, the number that is added to those of the "+
			"entrants, such as opening = floor(100 * var.nyse_opening)"))
	}
	d, err := submission.Draw(now, max(0, value(opening)))
	if err != nil {
		return err
	}
	if err := writeSeed(cmd, d, opening != nil); err != nil || record == "" {
		return err
	}
	var text bytes.Buffer
	if err := d.Write(&text); err != nil {
		return err
	}
	if outfile.HoldsOther(record, text.Bytes()) {
		return fmt.Errorf("%s is the record of another seed; remove it to draw again", record)
	}
	return outfile.Write(record, text.Bytes(), 0o644)
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// writeSeed prints how the seed is computed.
func writeSeed(cmd *cobra.Command, d *submission.Drawn, opened bool) error {
	var b strings.Builder
	sum := int64(0)
	for _, n := range d.Numbers {
		fmt.Fprintf(&b, "%20d  %s (%s)\n", n.Value, words.OneLine(n.Solver), words.OneLine(n.File))
		sum += n.Value % submission.SeedModulus
	}
	fmt.Fprintf(&b, "%20d  the sum modulo %d\n", sum%submission.SeedModulus, submission.SeedModulus)
	if opened {
		fmt.Fprintf(&b, "%20d  of the opening value of the stock index\n%20d  the seed\n", d.Opening, d.Seed)
	} else {
		b.WriteString("The stage has no opening, so there is no seed yet.\n")
	}
	_, err := fmt.Fprint(inert{cmd.OutOrStdout()}, b.String())
	return err
}
