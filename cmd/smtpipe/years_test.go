package main

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestYearValues compares each year's module with the numbers for execution and selection in the rules (SMT-COMP 2008
// rules, §3 and §4; 2015 rules, §5; 2019, 2022 and 2026 rules, §5).
func TestYearValues(t *testing.T) {
	for year, values := range map[string]map[string]string{
		"2008": {"wall_time": `"20m"`, "difficulty_time": `"10m"`},
		"2015": {"wall_time": `"40m"`, "memory": `"60GB"`, "cores": "4"},
		"2019": {"wall_time": `"40m"`, "challenge_time": `"12h"`, "core_validation_time": `"5m"`, "model_time": `"5m"`,
			"memory": `"60GB"`, "scratch": `"20GB"`, "cores": "4"},
		"2022": {"wall_time": `"20m"`, "core_validation_time": `"5m"`, "model_time": `"15m"`, "memory": `"60GB"`,
			"scratch": `"20GB"`, "cores": "4", "hard_places": "400", "tracks": `["single_query", "incremental", ` +
				`"unsat_core", "model_validation", "proof", "parallel", "cloud"]`},
		"2026": {"wall_time": `"20m"`, "core_validation_time": `"20m"`, "model_time": `"15m"`, "memory": `"30GB"`,
			"cores": "4", "hard_places": "400", "parallel_cores": "128", "parallel_memory": `"1TB"`,
			"tracks": `["single_query", "incremental", "unsat_core", "model_validation", "parallel"]`},
	} {
		t.Run(year, func(t *testing.T) {
			names := slices.Sorted(maps.Keys(values))
			args := []string{"console", "-p", filepath.Join("../../pipelines", year, "tracks.hcl"), "--store",
				t.TempDir(), "--var", "seed=1"}
			var want []string
			for _, name := range names {
				args, want = append(args, "-e", "var."+name), append(want, name+" = "+values[name])
			}
			var out, errs bytes.Buffer
			run(args, strings.NewReader(""), &out, &errs)
			text := strings.ReplaceAll(strings.ReplaceAll(out.String(), "[\n  ", "["), ",\n]", "]")
			var got []string
			for i, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(text, ",\n  ", ", ")), "\n") {
				got = append(got, names[min(i, len(names)-1)]+" = "+line)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got\n%s%s", diff, &errs)
			}
		})
	}
}
