package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/design"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/whatif"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/ui"
)

// designFlags are the flags of "design".
type designFlags struct {
	finished  finishedFlags
	view      string
	limits    []time.Duration
	limit     time.Duration
	certainty float64
	draws     int
	seed      uint64
	halves    bool
	hcl, json bool
}

func newDesignCommand() *cobra.Command {
	var d designFlags
	cmd := &cobra.Command{
		Use:   "design [STAGE...] [--official DIR] [--runs FILE --against RULES]",
		Short: "Show how few benchmarks and how little time would decide the same winners",
		Long: `Computes from finished runs how many benchmarks of each logic, and which wall time limit, would have led to the same winners, and
how many core hours that would have saved. No solver runs.

  design stage.score.a                           runs of a pipeline
  design --official DIR                          a folder of official results; may be repeated
  design --runs FILE --against 2026              a table of verdicts or runs, scored by the rules of a year

For each limit and division it finds the smallest share of the benchmarks that has the same winners as all of them at the present
limit, in the share of the draws that --certainty names. Each draw takes as many families as there are, with replacement, and the
share of the benchmarks of each logic from them. A division with fewer than five families keeps all its benchmarks. Runs that took
longer than a shorter limit count as without an answer: a solver that plans its time by the limit would do better.

The divisions are listed for the limit with the fewest core hours at which every winner stays, or for --limit. --hcl prints their
sizes for a pipeline. --halves divides the families of each division by lot, plans with one half, and says how often draws from
the other half have the winners of that half.`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return d.execute(cmd, args) },
	}
	d.finished.register(cmd)
	f := cmd.Flags()
	f.StringVar(&d.view, "view", "", "view whose winners are to stay (default: the first of the rules)")
	f.DurationSliceVar(&d.limits, "limits", nil,
		"shorter wall time limits to try (default: the present one, halved up to five times)")
	f.DurationVar(&d.limit, "limit", 0, "list the divisions for this limit")
	f.Float64Var(&d.certainty, "certainty", 0.95, "part of the draws that must have the same winners")
	f.IntVar(&d.draws, "draws", 1000, "number of draws for each division")
	f.Uint64Var(&d.seed, "seed", 1, "seed of the draws")
	f.BoolVar(&d.halves, "halves", false, "plan with half of the families, and draw from the other half")
	f.BoolVar(&d.hcl, "hcl", false, "print the sizes as a map of logics, for a stage \"cap\"")
	f.BoolVar(&d.json, "json", false, "print as JSON; docs/tools/json.md describes it")
	cmd.MarkFlagsMutuallyExclusive("hcl", "json")
	cmd.MarkFlagsMutuallyExclusive("hcl", "halves")
	return cmd
}

// designFormat is the name of design's JSON format, which docs/tools/json.md describes.
const designFormat = "smtpipe/design/1"

type designDocument struct {
	Format    string         `json:"format"`
	Certainty float64        `json:"certainty"`
	Draws     int            `json:"draws"`
	Seed      uint64         `json:"seed"`
	Data      []designedData `json:"data"`
}

// designedData is the design computed from some runs. With --halves it contains Checks instead of Tracks.
type designedData struct {
	Name   string         `json:"name"`
	Tracks []design.Plan  `json:"tracks,omitempty"`
	Checks []design.Check `json:"checks,omitempty"`
}

func (d *designFlags) options() (design.Options, error) {
	o := design.Options{View: d.view, Certainty: d.certainty, Draws: d.draws, Seed: d.seed,
		Workers: runtime.GOMAXPROCS(0)}
	var errs []error
	if d.certainty <= 0 || d.certainty > 1 {
		errs = append(errs, fmt.Errorf("--certainty %v is not above 0 and at most 1", d.certainty))
	}
	if d.draws < 1 || d.draws > 100_000 {
		errs = append(errs, fmt.Errorf("--draws %d is not from 1 to 100000", d.draws))
	}
	if d.limit < 0 {
		errs = append(errs, fmt.Errorf("--limit %v is not above 0", d.limit))
	}
	if d.limit > 0 && d.limits != nil && !slices.Contains(d.limits, d.limit) {
		d.limits = append(d.limits, d.limit)
	} else if d.limit > 0 && d.limits == nil {
		d.limits = []time.Duration{d.limit}
	}
	for _, l := range d.limits {
		t, err := score.TimeOfSeconds(l.Seconds())
		if err == nil && l <= 0 {
			err = fmt.Errorf("a limit of %v is not above 0", l)
		}
		o.Limits, errs = append(o.Limits, t), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return o, exit.With(exit.Usage, err)
	}
	return o, nil
}

// divisionsDone shows progress by division until the returned function end is called.
func divisionsDone(cmd *cobra.Command) (done, end func(), err error) {
	observer, err := ui.New(ui.Auto, cmd.ErrOrStderr())
	if err != nil {
		return nil, nil, err
	}
	observer.Observe(engine.ItemsStarted{Addr: cmd.Name(), Total: -1, Unit: "divisions"})
	return func() { observer.Observe(engine.ItemsDone{Addr: cmd.Name(), N: 1}) }, func() { observer.Close() }, nil
}

func (d *designFlags) execute(cmd *cobra.Command, args []string) error {
	o, err := d.options()
	if err != nil {
		return err
	}
	doc := designDocument{Format: designFormat, Certainty: d.certainty, Draws: d.draws, Seed: d.seed}
	progress, end, err := divisionsDone(cmd)
	if err != nil {
		return err
	}
	o.Progress = progress
	err = d.finished.load(cmd, args, func(name string, r whatif.Rules, runs *score.Runs) error {
		got := designedData{Name: name}
		var err error
		if d.halves {
			got.Checks, err = design.CheckHalves(cmd.Context(), r.Set, r.Readings, runs, o)
		} else {
			got.Tracks, err = design.Of(cmd.Context(), r.Set, r.Readings, runs, o)
		}
		doc.Data = append(doc.Data, got)
		if err != nil {
			return fmt.Errorf("%s: %w", name, ruleError(cmd.ErrOrStderr(), r.Set, err))
		}
		return nil
	})
	end()
	err = exit.Stopped(cmd.Context(), err)
	if err == nil && d.limit > 0 && !slices.ContainsFunc(doc.Data, d.has) {
		err = exit.With(exit.Usage, fmt.Errorf("--limit %v is longer than the limit of all runs", d.limit))
	}
	switch {
	case err != nil:
		return err
	case d.json:
		return printJSON(cmd.OutOrStdout(), doc)
	}
	for _, data := range doc.Data {
		err = errors.Join(err, d.print(cmd, data))
	}
	return err
}

func (d *designFlags) print(cmd *cobra.Command, data designedData) error {
	w := cmd.OutOrStdout()
	switch {
	case d.halves:
		return design.WriteChecks(w, data.Checks)
	case d.hcl:
		return design.WriteHCL(w, data.Tracks, d.listed)
	}
	var err error
	for i := range data.Tracks {
		err = errors.Join(err, data.Tracks[i].WriteText(w, d.listed(&data.Tracks[i])))
	}
	return err
}

// has reports whether the design contains the limit in --limit.
func (d *designFlags) has(data designedData) bool {
	limit := d.limit.Seconds()
	return slices.ContainsFunc(data.Tracks, func(p design.Plan) bool { return limit <= p.Limits[0].LimitS }) ||
		slices.ContainsFunc(data.Checks, func(c design.Check) bool { return limit <= c.LimitS })
}

// listed returns the index of the limit for which divisions are listed.
func (d *designFlags) listed(p *design.Plan) int {
	at := slices.IndexFunc(p.Limits, func(c design.Cost) bool { return c.LimitS == d.limit.Seconds() })
	if at < 0 {
		return p.Best()
	}
	return at
}
