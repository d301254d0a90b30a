package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/interim"
	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/design"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/whatif"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// decidedFlags are the flags of "decided".
type decidedFlags struct {
	finished finishedFlags
	view     string
	wrong    float64
	replay   int
	orders   int
	seed     uint64
	json     bool
}

func newDecidedCommand() *cobra.Command {
	var d decidedFlags
	cmd := &cobra.Command{
		Use:   "decided [STAGE...] [--replay HEATS [--official DIR] [--runs FILE --against RULES]]",
		Short: "Show which divisions have a certain winner before all heats are run",
		Long: `Lists the divisions whose winner is decided, in a pipeline with heats: the probability that another solver wins once all heats
have run is at most --error. Without a scoring stage, all of them are examined. Only the winner needs to run the other heats
of such a division, since wrong answers are too rare to be estimated from a sample. If the winner gives a wrong answer there, the other solvers continue as well. Divisions that are
ranked by points, or by more than one answer for a benchmark (incremental and unsat-core tracks), are never certain.

The benchmarks of the heats that were run are a random sample of the division. The bounds are exact, and the error covers a look
after each heat.

--replay plays finished runs again, in random orders of the benchmarks of each division and with that many heats of equal size, and
says how often each division would have been stopped, how often with another winner, and what that would have saved.`,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return d.execute(cmd, args) },
	}
	d.finished.register(cmd)
	f := cmd.Flags()
	f.StringVar(&d.view, "view", "", "view whose winners are looked at (default: the first of the rules)")
	f.Float64Var(&d.wrong, "error", 0.05, "largest probability that another solver wins the division")
	f.IntVar(&d.replay, "replay", 0, "play finished runs again with this number of heats")
	f.IntVar(&d.orders, "orders", 1000, "with --replay: number of random orders")
	f.Uint64Var(&d.seed, "seed", 1, "with --replay: seed of the orders")
	f.BoolVar(&d.json, "json", false, "print as JSON; docs/tools/json.md describes it")
	return cmd
}

// decidedFormat is the name of decided's JSON format, which docs/tools/json.md describes.
const decidedFormat = "smtpipe/decided/1"

type decidedDocument struct {
	Format    string            `json:"format"`
	Error     float64           `json:"error"`
	Divisions []design.Decision `json:"divisions,omitempty"`
	Data      []replayedData    `json:"data,omitempty"` // only with --replay
}

type replayedData struct {
	Name      string          `json:"name"`
	Heats     int             `json:"heats"`
	Orders    int             `json:"orders"`
	Seed      uint64          `json:"seed"`
	Divisions []design.Replay `json:"divisions"`
}

func (d *decidedFlags) execute(cmd *cobra.Command, args []string) error {
	switch {
	case d.wrong <= 0 || d.wrong >= 1:
		return exit.With(exit.Usage, fmt.Errorf("--error %v is not between 0 and 1", d.wrong))
	case d.replay != 0 && (d.replay < 2 || d.replay > 1000):
		return exit.With(exit.Usage, fmt.Errorf("--replay %d is not from 2 to 1000", d.replay))
	case d.orders < 1 || d.orders > 100_000:
		return exit.With(exit.Usage, fmt.Errorf("--orders %d is not from 1 to 100000", d.orders))
	case d.replay == 0 && (len(d.finished.official) > 0 || d.finished.runs != ""):
		return exit.With(exit.Usage, errors.New("all of these runs are finished; say with --replay in how many heats they "+
			"are played again"))
	}
	if unused := firstSet(cmd.Flags(), "orders", "seed"); unused != "" && d.replay == 0 {
		return exit.With(exit.Usage, fmt.Errorf("--%s has no effect without --replay; give --replay, or leave --%[1]s out",
			unused))
	}
	doc := decidedDocument{Format: decidedFormat, Error: d.wrong}
	var err error
	if d.replay > 0 {
		doc.Data, err = d.replays(cmd, args)
	} else {
		doc.Divisions, err = d.divisions(cmd, args)
	}
	switch {
	case err != nil:
		return exit.Stopped(cmd.Context(), err)
	case d.json:
		return printJSON(cmd.OutOrStdout(), doc)
	}
	for _, data := range doc.Data {
		err = errors.Join(err, design.WriteReplays(cmd.OutOrStdout(), data.Name, data.Divisions))
	}
	if d.replay == 0 {
		err = design.WriteDecisions(cmd.OutOrStdout(), doc.Divisions)
	}
	return err
}

func (d *decidedFlags) replays(cmd *cobra.Command, args []string) (out []replayedData, err error) {
	progress, end, err := divisionsDone(cmd)
	if err != nil {
		return nil, err
	}
	defer end()
	o := design.ReplayOptions{View: d.view, Heats: d.replay, Error: d.wrong, Orders: d.orders, Seed: d.seed,
		Workers: runtime.GOMAXPROCS(0), Progress: progress}
	err = d.finished.load(cmd, args, func(name string, r whatif.Rules, runs *score.Runs) error {
		got, err := design.Replays(cmd.Context(), r.Set, r.Readings, runs, o)
		if err != nil {
			return fmt.Errorf("%s: %w", name, ruleError(cmd.ErrOrStderr(), r.Set, err))
		}
		out = append(out, replayedData{name, d.replay, d.orders, d.seed, got})
		return nil
	})
	return out, err
}

// divisions returns the decided divisions in the stages of a pipeline that score heats.
func (d *decidedFlags) divisions(cmd *cobra.Command, args []string) (out []design.Decision, err error) {
	p, err := d.finished.project.open(cmd)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	snap, err := p.Snapshot(cmd.Context(), cmd.ErrOrStderr(), engine.SnapshotOptions{}, args...)
	if err != nil {
		return nil, err
	}
	scores, heats, never := 0, 0, map[string]bool{}
	for i := range snap.Steps {
		s := &snap.Steps[i]
		act, ok := s.Action.(project.Scorer)
		if !ok || s.Outputs == nil || len(args) > 0 && !slices.Contains(args, s.Addr) {
			continue
		}
		scores++
		found, err := interim.HeatsOf(p, snap, s)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			continue
		}
		heats++
		runs, rd, err := act.Load(p.Store, nil)
		if err != nil {
			return nil, err
		}
		err = design.Points(cmd.Context(), act.RuleSet(), rd, runs, d.view, func(p *score.Points) error {
			if !design.Decidable(p) {
				never[p.Track] = true
				return nil
			}
			h, err := interim.HeatsWith(found, s.Addr, p)
			if err != nil {
				return err
			}
			g := h.Groups[p.Division.Name]
			// Benchmarks that were removed after the runs do not reappear in later heats.
			all := len(p.Benchmarks) + int(g.Eligible-g.Selected)
			if one := design.Decided(p, all, h.All-1, d.wrong); one != nil {
				out = append(out, *one)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	switch {
	case scores == 0:
		return nil, exit.With(exit.Usage, errors.New("no stage that scores is finished; run the first heats"))
	case heats == 0:
		return nil, exit.With(exit.Usage, errors.New("nothing that is scored comes from a stage \"heat\"; "+
			"docs/run/design.md shows how a pipeline gets heats"))
	}
	if len(never) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "Never certain, as they are not ranked by numbers of benchmarks: divisions of %s.\n",
			strings.Join(sortedKeys(never), ", "))
	}
	return out, nil
}
