package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
)

// selectOptions are flags that set variables in the modules of several years.
var selectOptions = []struct{ flag, variable, usage string }{
	{"n", "n", "n of the cap: eligible benchmarks, or those of the library"},
	{"rounding", "rounding", "half a benchmark: floor or ceil"},
	{"easy", "easy_years", "easy in all years in which it was run, or in any"},
	{"time", "easy_time", "the second of easy benchmarks: wall or cpu time"},
	{"easy-runs", "easy_runs", "runs that must exist before a benchmark can be easy"},
	{"count", "hard_places", "parallel and cloud: number of hard instances"},
}

// byPolars is the name of the generator that the organisers have used since 2024.
const byPolars = "polars"

// practice lists the variables that --practice sets to the organisers' values; see preselect.Organisers.
var practice = []string{"easy", "model_logics", "new_benchmarks", "sizes"}

// settings collects the values of the module's variables: first from --practice or the generator, then from individual
// flags, and finally from --set.
func (s *selectFlags) settings(cmd *cobra.Command, m *preselect.Module) (map[string]string, error) {
	values := map[string]string{}
	set := func(flag, variable, value string) error {
		if options := m.Options(); !slices.Contains(options, variable) {
			return exit.With(exit.Usage, fmt.Errorf("--%s: the rules of %s have no variable %s; they have %s", flag,
				s.rules, variable, strings.Join(options, ", ")))
		}
		values[variable] = value
		return nil
	}
	if s.practice || s.generator == byPolars {
		organisers, err := preselect.Organisers()
		if err != nil {
			return nil, err
		}
		flag, names := "practice", practice
		if s.generator == byPolars {
			flag, names = "generator polars", slices.Sorted(maps.Keys(organisers))
		}
		for _, name := range names {
			if err := set(flag, name, organisers[name]); err != nil {
				return nil, err
			}
		}
	}
	for _, o := range selectOptions {
		if !cmd.Flags().Changed(o.flag) {
			continue
		}
		if err := set(o.flag, o.variable, *s.options[o.flag]); err != nil {
			return nil, err
		}
	}
	if s.flavour != "" {
		if err := set("flavour", "flavour", s.flavour); err != nil {
			return nil, err
		}
	}
	for _, setting := range s.set {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, exit.With(exit.Usage, fmt.Errorf("--set %q is not NAME=VALUE", setting))
		}
		if err := set("set", name, value); err != nil {
			return nil, err
		}
	}
	return values, nil
}
