package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// ruleSelection is a selection by the rules that is being made.
type ruleSelection struct {
	flags  *selectFlags
	track  comp.Track
	seed   uint64
	policy selection.Policy
	input  *selectInput

	reasons []selection.Reason // by candidate
	why     []string           // by candidate: why an eligible one is in or out
	in      []bool             // by candidate
	groups  []selection.GroupSummary
	counts  selection.Exclusions
}

// byRules selects by the rules of a year.
func (s *selectFlags) byRules(cmd *cobra.Command) error {
	r, err := s.prepare(cmd)
	if err != nil {
		return err
	}
	r.exclude(r.policy.Exclude)
	switch {
	case s.rules == 2008:
		err = r.select2008()
	case r.track == comp.Parallel || r.track == comp.Cloud:
		err = r.selectHard()
	default:
		err = r.cap()
	}
	if err != nil {
		return err
	}
	return r.write(cmd)
}

// write puts out the tables that were asked for and the selected paths.
func (r *ruleSelection) write(cmd *cobra.Command) error {
	if err := r.writeTables(); err != nil {
		return err
	}
	var selected, eligible []string
	for i, c := range r.input.candidates {
		if r.reasons[i] == selection.Eligible {
			eligible = append(eligible, c.named)
		}
		if r.in[i] {
			selected = append(selected, c.named)
		}
	}
	slices.Sort(selected)
	slices.Sort(eligible)
	if r.flags.eligible != "" {
		if err := writeFile(r.flags.eligible, lines(eligible)); err != nil {
			return err
		}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d benchmarks are eligible, %d are selected (seed %d)\n",
		len(eligible), len(r.input.candidates), len(selected), r.seed)
	return r.flags.write(cmd, lines(selected))
}

// prepare reads the options and the files.
func (s *selectFlags) prepare(cmd *cobra.Command) (*ruleSelection, error) {
	r := &ruleSelection{flags: s}
	var err error
	if r.track, err = s.readTrack(); err != nil {
		return nil, err
	}
	if r.policy, err = selection.NewPolicy(s.rules, r.track); err != nil {
		return nil, withExit(exitUsage, err)
	}
	if err := s.setEasy(&r.policy.Easy); err != nil {
		return nil, withExit(exitUsage, err)
	}
	entrants, err := s.readSubmissions()
	if err != nil {
		return nil, err
	}
	if r.seed, err = s.competitionSeed(cmd, entrants); err != nil {
		return nil, err
	}
	if r.seed > math.MaxUint32 {
		return nil, withExit(exitUsage, fmt.Errorf("--seed is %d, and value out of range: srandom() takes 0 to %d",
			r.seed, math.MaxUint32))
	}
	r.policy.Logics = s.runLogics(entrants, r.track)
	if r.input, err = s.readInput(cmd, r.track, r.policy.Easy); err != nil {
		return nil, err
	}
	r.start()
	return r, nil
}

// start makes room for what is decided on each candidate.
func (r *ruleSelection) start() {
	n := len(r.input.candidates)
	r.reasons, r.why, r.in = make([]selection.Reason, n), make([]string, n), make([]bool, n)
}

// readTrack returns the track of --track.
func (s *selectFlags) readTrack() (comp.Track, error) {
	track, err := comp.ParseTrack(strings.ReplaceAll(s.track, "-", "_"))
	if err != nil {
		return track, withExit(exitUsage, err)
	}
	return track, nil
}

// setEasy applies the options about easy benchmarks to the rule of the year.
func (s *selectFlags) setEasy(rule *selection.EasyRule) error {
	if s.practice {
		if s.rules != 2026 {
			return errors.New("--practice needs --rules 2026; lists of 2019-2023 are repeated with --generator cpython")
		}
		rule.CPU, rule.Inclusive = true, true
		return nil
	}
	rule.MinRuns = s.minRuns
	return rule.ParseEasy(s.easy, s.clock)
}

// exclude decides which candidates are eligible and counts the reasons.
func (r *ruleSelection) exclude(reason func(selection.Facts) selection.Reason) {
	for i, c := range r.input.candidates {
		r.reasons[i] = reason(c.facts)
		r.counts.Add(c.facts.Logic, r.reasons[i])
	}
}

// items makes the items of the eligible candidates, with the candidate of each. New benchmarks are drawn first, or
// claim a place for their family.
func (r *ruleSelection) items(newFirst bool) ([]selection.Item, []int) {
	var items []selection.Item
	var at []int
	for i, c := range r.input.candidates {
		if r.reasons[i] != selection.Eligible {
			continue
		}
		item := selection.Item{Path: c.facts.Path, Group: string(c.facts.Logic)}
		switch {
		case c.isNew && newFirst:
			item.First = true
		case c.isNew:
			item.Claim = cmp.Or(c.family, ".") // a benchmark directly below its logic
		}
		items, at = append(items, item), append(at, i)
	}
	return items, at
}

// cap selects by the formula of the year.
func (r *ruleSelection) cap() error {
	rounding, err := selection.ParseRounding(r.flags.rounding)
	if err != nil {
		return withExit(exitUsage, err)
	}
	formula, err := selection.FormulaOf(r.flags.rules, rounding)
	if err != nil {
		return err
	}
	above, err := selection.GuaranteeFrom(r.flags.rules)
	if err != nil {
		return err
	}
	if r.flags.practice {
		formula = selection.Ratio(300, 0.5)
	}
	if r.track == comp.IndustryChallenge {
		formula = selection.Everything // 2019 rules §6: all benchmarks dedicated to the track
	}
	opt := selection.CapOptions{
		Seed:      uint32(r.seed),
		Take:      func(_ string, n int) (int, error) { return formula(n), nil },
		Guarantee: func(_ string, n int) (bool, error) { return n > above, nil },
	}
	switch r.flags.size {
	case "eligible":
	case "library":
		library := r.library()
		opt.Size = func(logic string, _ int) int { return library[logic] }
	default:
		return withExit(exitUsage, fmt.Errorf("unknown value %q for --n; it must be eligible or library", r.flags.size))
	}
	items, at := r.items(r.flags.practice)
	chosen, err := selection.Cap(items, opt)
	if err != nil {
		return err
	}
	r.take(chosen, at)
	return nil
}

// library counts the benchmarks of each group in the track's collection.
func (r *ruleSelection) library() map[string]int {
	library := map[string]int{}
	for i, c := range r.input.candidates {
		if r.reasons[i] != selection.OtherKind {
			library[r.group(c)]++
		}
	}
	return library
}

// group returns what a candidate is counted under: its logic, or in 2008 its division.
func (r *ruleSelection) group(c candidate) string {
	if r.flags.rules == 2008 {
		return c.division
	}
	return string(c.facts.Logic)
}

// take copies the decisions of a selection. Its items are the candidates with the indices at.
func (r *ruleSelection) take(chosen selection.Selection, at []int) {
	for k, i := range at {
		r.in[i] = chosen.Decisions[k].Selected()
		r.why[i] = chosen.Decisions[k].String()
	}
	r.groups = chosen.Groups
}

// selectHard picks the instances of the parallel and cloud tracks.
func (r *ruleSelection) selectHard() error {
	items, at := r.items(r.flags.practice)
	hardness := make([]selection.Hardness, len(items))
	for k, i := range at {
		hardness[k] = selection.HardnessOf(r.input.candidates[i].facts.History, selection.HardLimitS)
	}
	chosen, err := selection.HardInstances(items, hardness, selection.HardOptions{Seed: uint32(r.seed),
		Count: r.flags.count, Fill: true})
	if err != nil {
		return err
	}
	r.take(chosen, at)
	r.explainHard(hardness, chosen, at)
	return nil
}

// explainHard says of each item what it is beside in or out.
func (r *ruleSelection) explainHard(hardness []selection.Hardness, chosen selection.Selection, at []int) {
	for k, i := range at {
		r.why[i] = selection.HardReason(hardness[k], chosen.Decisions[k])
	}
}

// select2008 selects by pools and slots.
func (r *ruleSelection) select2008() error {
	var items []selection.Item2008
	var at []int
	for i, c := range r.input.candidates {
		if r.reasons[i] != selection.Eligible {
			continue
		}
		item := selection.Item2008{Path: c.facts.Path, Division: c.division, Family: c.family, Category: c.category,
			Status: c.facts.Status, Difficulty: c.difficulty}
		items, at = append(items, item), append(at, i)
	}
	decisions, divisions, err := selection.Select2008(items, uint32(r.seed))
	if err != nil {
		return err
	}
	for k, i := range at {
		r.in[i], r.why[i] = decisions[k].Selected(), decisions[k].String()
	}
	for _, d := range divisions {
		r.groups = append(r.groups, selection.GroupSummary{Group: d.Division, Eligible: d.Eligible, Size: d.Pool,
			Guaranteed: d.Checks, Quota: d.Selected, Selected: d.Selected})
	}
	return nil
}
