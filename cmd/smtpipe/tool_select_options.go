package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/preselect"
)

// selectOptions are flags that set variables which the modules of several years have.
var selectOptions = []struct{ flag, variable, usage string }{
	{"n", "n", "n of the cap: eligible benchmarks, or those of the library"},
	{"rounding", "rounding", "half a benchmark: floor or ceil"},
	{"easy", "easy_years", "easy in all years in which it was run, or in any"},
	{"time", "easy_time", "the second of easy benchmarks: wall or cpu time"},
	{"easy-runs", "easy_runs", "runs that must exist before a benchmark can be easy"},
	{"count", "hard_places", "parallel and cloud: number of hard instances"},
}

// practice holds the values of variables that --practice stands for.
var practice = map[string]string{"sizes": "half", "new_benchmarks": "first", "easy": "cpu", "model_logics": "table"}

func practiceText() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(practice)) {
		all = append(all, fmt.Sprintf("--set %s=%s", name, practice[name]))
	}
	return strings.Join(all, " ")
}

// settings collects the values of the module's variables: of --practice, then of single flags, then of --set.
func (s *selectFlags) settings(cmd *cobra.Command, m *preselect.Module) (map[string]string, error) {
	values := map[string]string{}
	set := func(flag, variable, value string) error {
		if options := m.Options(); !slices.Contains(options, variable) {
			return withExit(exitUsage, fmt.Errorf("--%s: the rules of %s have no variable %s; they have %s", flag,
				s.rules, variable, strings.Join(options, ", ")))
		}
		values[variable] = value
		return nil
	}
	if s.practice {
		for _, name := range slices.Sorted(maps.Keys(practice)) {
			if err := set("practice", name, practice[name]); err != nil {
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
	for _, setting := range s.set {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, withExit(exitUsage, fmt.Errorf("--set %q is not NAME=VALUE", setting))
		}
		if err := set("set", name, value); err != nil {
			return nil, err
		}
	}
	return values, nil
}
