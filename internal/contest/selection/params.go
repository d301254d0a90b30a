package selection

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// ReplayParams is a parameter file for Replay, one per published list: a JSON object with the keys year, track, seed,
// ratio, min_per_logic, prefix, force_eligible_new, filter (sat or unsat), min_asserts, logics and logics_filter.
type ReplayParams struct {
	Options ReplayOptions
	// FinalNewline reports whether the published list ends with a newline. The script writes none, but lists that were
	// filtered afterwards end with one, as does the incremental track's list of 2019.
	FinalNewline bool
	Ignored      []string // unknown keys, sorted
}

// replayFile is the JSON format of ReplayParams.
type replayFile struct {
	Year         int          `json:"year"`
	Track        string       `json:"track"`
	Seed         json.Number  `json:"seed"`
	Ratio        *float64     `json:"ratio"`
	MinPerLogic  *int         `json:"min_per_logic"`
	Prefix       string       `json:"prefix"`
	EligibleNew  *bool        `json:"force_eligible_new"`
	Filter       string       `json:"filter"`
	MinAsserts   *int         `json:"min_asserts"`
	Logics       []comp.Logic `json:"logics"`
	LogicsFilter string       `json:"logics_filter"`
	FinalNewline *bool        `json:"final_newline"`
}

// ReadReplayParams reads a parameter file. Missing keys default to the script's values: 0.5, 300, the track's prefix,
// and force_eligible_new since 2023. Only seed is required.
func ReadReplayParams(r io.Reader) (ReplayParams, error) {
	raw, err := limits.Document.Read(r, "the parameters")
	if err != nil {
		return ReplayParams{}, err
	}
	var f replayFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return ReplayParams{}, fmt.Errorf("not a file of selection parameters: %w", err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return ReplayParams{}, err
	}
	known := []string{"year", "track", "seed", "ratio", "min_per_logic", "prefix", "force_eligible_new", "filter",
		"min_asserts", "logics", "logics_filter", "final_newline"}
	for _, k := range known {
		delete(keys, k)
	}
	p, err := f.params()
	p.Ignored = slices.Sorted(maps.Keys(keys))
	return p, err
}

func (f replayFile) params() (ReplayParams, error) {
	var p ReplayParams
	seed, ok := new(big.Int).SetString(f.Seed.String(), 10)
	if !ok {
		return p, fmt.Errorf("seed is %q; it must be an integer", f.Seed)
	}
	incremental := f.Track == "incremental"
	after := strings.HasPrefix(strings.TrimSpace(f.LogicsFilter), "applied after")
	p.Options = ReplayOptions{
		Seed:        seed,
		MinPerLogic: valueOr(f.MinPerLogic, 300),
		Ratio:       valueOr(f.Ratio, 0.5),
		Prefix:      f.Prefix,
		EligibleNew: valueOr(f.EligibleNew, f.Year >= 2023),
		MinAsserts:  valueOr(f.MinAsserts, 0),
	}
	if f.Prefix == "" {
		p.Options.Prefix = "/non-incremental/"
		if incremental {
			p.Options.Prefix = "/incremental/"
		}
	}
	if after {
		p.Options.KeepLogics = f.Logics
	} else {
		p.Options.Logics = f.Logics
	}
	p.FinalNewline = valueOr(f.FinalNewline, after && len(f.Logics) > 0 || incremental && f.Year == 2019)
	return p, p.setFilter(f)
}

func (p *ReplayParams) setFilter(f replayFile) error {
	switch f.Filter {
	case "", "none", "any":
	case string(comp.StatusSat), string(comp.StatusUnsat):
		p.Options.Status = comp.Status(f.Filter)
	default:
		return fmt.Errorf("filter is %q; it must be sat, unsat or absent", f.Filter)
	}
	if p.Options.Status == comp.StatusUnsat && f.MinAsserts == nil && f.Track == "unsat-core" {
		p.Options.MinAsserts = 2
	}
	if p.Options.MinPerLogic < 0 || p.Options.MinAsserts < 0 {
		return errors.New("min_per_logic and min_asserts must be at least 0")
	}
	if p.Options.Ratio < 0 || p.Options.Ratio > 1 {
		return fmt.Errorf("ratio is %v; it must be between 0 and 1", p.Options.Ratio)
	}
	return nil
}

func valueOr[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
