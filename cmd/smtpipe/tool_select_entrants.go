package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/limits"
	"github.com/smtpipe/smtpipe/internal/rules"
	"github.com/smtpipe/smtpipe/internal/stages/submissions"
	"github.com/smtpipe/smtpipe/internal/submission"
)

// entrants holds the submissions of a competition, expanded.
type entrants struct {
	all     []*submission.Submission
	entries []submission.Entry
	rules   submission.Rules // of the year; none without --rules
}

// readCatalog returns the divisions of --divisions, or those of the year of the rules, or nil if neither are known; and
// the rules about entrants.
func (s *selectFlags) readCatalog() (c *submission.Catalog, said submission.Rules, err error) {
	r := &rules.Rules{Entrants: rules.Entrants()}
	if s.rules != "" {
		var diags hcl.Diagnostics
		if r, diags = rules.Load(s.rules, ""); diags.HasErrors() {
			return nil, said, diags
		}
	}
	switch {
	case s.divisions != "":
		c, err = readFile(s.divisions, func(f io.Reader) (*submission.Catalog, error) {
			return submission.ReadCatalog(f, r.Kinds)
		})
	case s.rules != "":
		c, err = submissions.Catalog(r.Divisions, r.Kinds)
	}
	return c, r.Entrants, err
}

// readSubmissions reads and expands the submission files. All their problems are one error. It returns nil without
// --submissions.
func (s *selectFlags) readSubmissions() (*entrants, error) {
	if s.competitive != "teams" && s.competitive != "entries" {
		return nil, withExit(exitUsage, fmt.Errorf("unknown value %q for --competitive; it must be teams or entries",
			s.competitive))
	}
	if len(s.submissions) == 0 {
		return nil, nil
	}
	catalog, said, err := s.readCatalog()
	if err != nil {
		return nil, err
	}
	if catalog == nil {
		return nil, withExit(exitUsage, errors.New("--submissions needs --divisions for this year, which says what "+
			"the tracks consist of"))
	}
	e := &entrants{rules: said}
	var problems []error
	for _, file := range s.submissions {
		data, err := limits.Submission.ReadFile(file)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		sub, err := submission.ParseEarlier(filepath.Base(file), data)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		entries, err := sub.Expand(catalog)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		e.all, e.entries = append(e.all, sub), append(e.entries, entries...)
	}
	return e, errors.Join(problems...)
}

// competitionSeed returns --seed, or the sum of the submissions' seeds with the stock index.
func (s *selectFlags) competitionSeed(cmd *cobra.Command, e *entrants) (uint64, error) {
	given := cmd.Flags().Changed("seed")
	switch {
	case given && s.opening != "":
		return 0, withExit(exitUsage, errors.New("--seed and --opening exclude each other"))
	case given:
		return s.seed, nil
	case s.opening == "" || e == nil:
		return 0, withExit(exitUsage, errors.New("--seed is required, or --submissions with --opening"))
	}
	numbers, err := e.rules.Seeds(e.all, e.entries)
	if err != nil {
		return 0, err
	}
	seed, err := s.withStock(submission.Values(numbers))
	return uint64(seed), err
}

// withStock adds the stock part to the entrants' numbers: by --opening-factor, or by the rules.
func (s *selectFlags) withStock(numbers []int64) (uint32, error) {
	factor := s.openingFactor
	switch {
	case !decimal.MatchString(s.opening):
		return 0, withExit(exitUsage, notDecimal(s.opening))
	case factor == 0 && s.rules == "":
		return 0, withExit(exitUsage, errors.New("--opening needs --opening-factor, or --rules that say the factor"))
	case factor == 0:
		r, diags := rules.Load(s.rules, "")
		if diags.HasErrors() {
			return 0, diags
		}
		factor = r.Seed.IndexFactor
	}
	value, ok := new(big.Rat).SetString(s.opening)
	if !ok {
		return 0, withExit(exitUsage, notDecimal(s.opening))
	}
	value.Mul(value, new(big.Rat).SetInt64(factor))
	all := make([]*big.Int, len(numbers))
	for i, n := range numbers {
		all[i] = big.NewInt(n)
	}
	return submission.CompetitionSeed(all, new(big.Int).Quo(value.Num(), value.Denom()))
}

// runLogics returns the logics that are run in a track; nil: all.
func (s *selectFlags) runLogics(e *entrants, track string) map[comp.Logic]bool {
	if len(s.logics) == 0 && e == nil {
		return nil
	}
	logics := map[comp.Logic]bool{}
	for _, l := range s.logics {
		logics[comp.Logic(l)] = true
	}
	if len(s.logics) > 0 {
		return logics
	}
	counting := submission.Teams
	if s.competitive == "entries" {
		counting = submission.Entries
	}
	for _, place := range e.rules.Competitive(e.entries, counting, nil)[track] {
		logics[place.Logic] = true
	}
	return logics
}
