package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/results/intake"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// polarsFlags are the flags of "tool select --generator polars".
type polarsFlags struct {
	flavour     string
	minPerLogic int
	ratio       float64
	hardAbove   float64
}

func (p *polarsFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.flavour, "flavour", "", "polars: rand-0.8 (polars up to 1.31) or rand-0.9 (from 1.32 on)")
	f.IntVar(&p.minPerLogic, "min-per-logic", 300, "polars: benchmarks of a logic at least, as far as there are any")
	f.Float64Var(&p.ratio, "ratio", 0.5, "polars: part of the benchmarks of a larger logic")
	f.Float64Var(&p.hardAbove, "hard-above", 180, "polars, parallel and cloud: CPU time in seconds up to which nobody "+
		"may have solved a benchmark")
}

// polarsSelection is a selection like that of the organisers' tool since 2024.
type polarsSelection struct {
	candidateSelection
	draw        *selection.Polars
	eligibility selection.Organisers
	past        selection.Past
}

// byPolars selects like the organisers' tool.
func (s *selectFlags) byPolars(cmd *cobra.Command) error {
	p, err := s.preparePolars(cmd)
	if err != nil {
		return err
	}
	p.exclude(p.eligibility.Exclude)
	if p.track == comp.Parallel || p.track == comp.Cloud {
		err = p.selectHard()
	} else {
		err = p.cap()
	}
	if err != nil {
		return err
	}
	return p.write(cmd)
}

// preparePolars reads the options and the files.
func (s *selectFlags) preparePolars(cmd *cobra.Command) (*polarsSelection, error) {
	if s.polars.ratio < 0 || s.polars.ratio > 1 || s.polars.minPerLogic < 0 {
		return nil, withExit(exitUsage, fmt.Errorf("--ratio is %v and --min-per-logic %d; a ratio is between 0 and 1, "+
			"a number from 0 on", s.polars.ratio, s.polars.minPerLogic))
	}
	_, track, err := s.readTrack(nil)
	if err != nil {
		return nil, err
	}
	p := &polarsSelection{candidateSelection: candidateSelection{flags: s, track: track}}
	if p.eligibility, err = selection.NewOrganisers(track, &p.past); err != nil {
		return nil, withExit(exitUsage, err)
	}
	if !cmd.Flags().Changed("competitive") {
		s.competitive = "entries"
	}
	entrants, err := s.readSubmissions()
	if err != nil {
		return nil, err
	}
	if p.seed, err = s.competitionSeed(cmd, entrants); err != nil {
		return nil, err
	}
	if p.draw, err = selection.ParsePolars(s.polars.flavour, p.seed); err != nil {
		return nil, withExit(exitUsage, err)
	}
	if p.input, err = s.readCandidates(cmd, track); err != nil {
		return nil, err
	}
	if err := p.checkColumns(); err != nil {
		return nil, err
	}
	if p.eligibility.Logics, err = p.logics(cmd, entrants); err != nil {
		return nil, err
	}
	if err := p.readPast(); err != nil {
		return nil, err
	}
	p.start()
	return p, nil
}

// checkColumns checks that the list has the data that the track needs.
func (p *polarsSelection) checkColumns() error {
	need := map[comp.Track][]string{comp.UnsatCore: {"status", "asserts"}, comp.ModelValidation: {"status"}}[p.track]
	for _, column := range need {
		if len(p.input.candidates) > 0 && !slices.Contains(p.input.columns, column) {
			return withExit(exitUsage, fmt.Errorf("track %v needs a list with the column %s, or --status", p.track,
				column))
		}
	}
	return nil
}

// logics returns the logics that are drawn from; nil: all. They are those of --logics, or else those of the year in the
// track. The parallel and cloud tracks use only the competitive ones.
func (p *polarsSelection) logics(cmd *cobra.Command, e *entrants) (map[comp.Logic]bool, error) {
	s := p.flags
	if len(s.logics) > 0 || e != nil && (p.track == comp.Parallel || p.track == comp.Cloud) {
		return s.runLogics(e, p.track.String()), nil
	}
	catalog, _, err := s.readCatalog()
	if err != nil {
		return nil, err
	}
	if catalog == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "Warning: neither --rules, --divisions nor --logics says which logics the "+
			"track has, so all are drawn from")
		return nil, nil
	}
	logics := map[comp.Logic]bool{}
	for i := range p.input.candidates {
		logic := p.input.candidates[i].facts.Logic
		if _, known := logics[logic]; !known {
			_, logics[logic] = catalog.DivisionOf(p.track.String(), logic)
		}
	}
	return logics, nil
}

// readPast reads the results of earlier years and of this one.
func (p *polarsSelection) readPast() error {
	for _, arg := range p.flags.history {
		year, file, err := yearOf(arg)
		if err != nil {
			return withExit(exitUsage, err)
		}
		rows, err := intake.History(file, intake.Source{Year: year, Track: comp.SingleQuery})
		if err != nil {
			return err
		}
		for i := range rows {
			p.add(&rows[i], int(rows[i].Year))
		}
	}
	for _, file := range p.flags.results {
		// the rows belong to the current year, whichever it is
		rows, err := intake.History(file, intake.Source{Year: 1, Track: comp.SingleQuery})
		if err != nil {
			return err
		}
		for i := range rows {
			p.add(&rows[i], selection.ThisYear)
		}
	}
	return nil
}

func (p *polarsSelection) add(r *results.HistoryRow, year int) {
	p.past.Add(libraryPath(r.Benchmark), year, comp.Answer(r.Answer), r.CPUTimeS)
}

// cap draws from each logic, new benchmarks first.
func (p *polarsSelection) cap() error {
	formula := selection.Ratio(p.flags.polars.minPerLogic, p.flags.polars.ratio)
	items, at := p.items()
	chosen, err := selection.Cap(items, selection.CapOptions{
		Polars: p.draw,
		Take:   func(_ string, n int) (int, error) { return formula(n), nil },
	})
	if err != nil {
		return err
	}
	p.take(chosen, at)
	return nil
}

// hardPlaces is the number of instances of the parallel and cloud tracks (SMT-COMP 2026 rules, §5.6).
const hardPlaces = 400

// selectHard picks the instances of the parallel and cloud tracks.
func (p *polarsSelection) selectHard() error {
	items, at := p.items()
	hardness := make([]selection.Hardness, len(items))
	for k := range items {
		hardness[k] = p.past.Hardness(items[k].Path, p.flags.polars.hardAbove)
	}
	count := hardPlaces
	if given := *p.flags.options["count"]; given != "" {
		var err error
		if count, err = strconv.Atoi(given); err != nil {
			return withExit(exitUsage, fmt.Errorf("--count %q is no number", given))
		}
	}
	chosen, err := selection.HardByPolars(items, hardness, count, p.draw)
	if err != nil {
		return err
	}
	p.take(chosen, at)
	p.explainHard(hardness, chosen, at)
	return nil
}
