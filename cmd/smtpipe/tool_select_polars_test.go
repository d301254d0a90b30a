package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// officialDraw is a list that the organisers' tool drew. The incremental tracks' lists are published. The 2026 list is
// what the tool of June 2026 selects without results from earlier years.
type officialDraw struct {
	year, list, flavour, newPrefix, opening, factor string
	track                                           string
	retired                                         bool
	seed                                            string
	count                                           int
	digest                                          string // SHA-256 of the lines LOGIC/family/name, sorted bytewise
}

var officialDraws = []officialDraw{
	{"2024", "benchmarks-2024.json.gz", "rand-0.8", "2024", "17817", "1", "incremental", false, "42434983", 22825,
		"077152f22c20695edb5c5d51b310258f00793a77c80b8ba0cf3cd03098715fd2"},
	{"2025", "benchmarks-2025.json.gz", "rand-0.8", "2024", "20338.41", "100", "incremental", false, "757067271", 22942,
		"1f1991f1125d6b3be4b29db1dda9b8c61ae571b83d08c5ac10e386736ee6cb56"},
	{"2026", "benchmarks-2025.json.gz", "rand-0.9", "2025", "23412.89", "100", "single_query", true, "22731074", 227413,
		"08b98783357c22f667ca5ccd6285ea4260a2bcd259508f7a70ae04761024c9f9"},
}

// TestSelectPolars redraws the organisers' lists from their list of benchmarks and the submissions. The published
// results of the 2025 incremental track are runs on the same list.
func TestSelectPolars(t *testing.T) {
	t.Parallel()
	for _, d := range officialDraws {
		t.Run(d.year, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(testkit.Shared(t, "submissions-"+d.year), "*.json"))
			if err != nil {
				t.Fatal(err)
			}
			args := []string{"tool", "select", "--generator", "polars", "--flavour", d.flavour, "--rules", d.year,
				"--track", d.track, "--benchmarks", testkit.Shared(t, "official-results", "raw", d.list),
				"--new-prefix", d.newPrefix, "--submissions", strings.Join(files, ","), "--opening", d.opening,
				"--opening-factor", d.factor}
			if d.retired {
				args = append(args, "--retired", "../../pipelines/retired-2026.csv")
			}
			stdout, stderr := smtpipe(t, args...)
			if !strings.Contains(stderr, "(seed "+d.seed+")") {
				t.Errorf("the seed is %s: %s", d.seed, stderr)
			}
			paths := libraryPaths(strings.Fields(stdout))
			checkDraw(t, d, paths)
			if d.year == "2025" {
				checkExecuted(t, paths)
			}
		})
	}
}

// TestDrawPipelines redraws the same lists with pipelines/draw-YEAR.hcl. One of the pipelines contains the seed as a
// number. The gate only plans the pipelines, because they use the same module as TestSelectPolars.
func TestDrawPipelines(t *testing.T) {
	t.Parallel()
	dir, store := copyTree(t, "pipelines"), t.TempDir()
	for _, d := range officialDraws {
		t.Run(d.year, func(t *testing.T) {
			args := []string{"--store", store, "-p", filepath.Join(dir, "pipelines/draw-"+d.year+".hcl"), "--var",
				"list=" + testkit.Shared(t, "official-results", "raw", d.list), "--var",
				"submissions=" + testkit.Shared(t, "submissions-"+d.year)}
			if d.year == "2026" {
				args = append(args, "--var", "seed="+d.seed)
			}
			smtpipe(t, append([]string{"plan"}, args...)...)
			testkit.Long(t)
			stdout, _ := smtpipe(t, append([]string{"run", "--progress", "none"}, args...)...)
			if !strings.Contains(stdout, "seed = "+d.seed) {
				t.Errorf("the seed is %s: %s", d.seed, stdout)
			}
			var paths []string
			for _, row := range readCSV(t, filepath.Join(dir, "pipelines/draw-"+d.year, d.track+".csv")) {
				paths = append(paths, row["path"])
			}
			checkDraw(t, d, libraryPaths(paths))
			if d.year == "2025" { // the number on the published pages about the two tracks
				for track, want := range map[string]string{"single_query": "504", "unsat_core": "503"} {
					for _, row := range readCSV(t, filepath.Join(dir, "pipelines/draw-2025", track+"-counts.csv")) {
						if row["group"] == "UFDTNIA" && row["selected"] != want {
							t.Errorf("%s: %s of UFDTNIA, want %s", track, row["selected"], want)
						}
					}
				}
			}
		})
	}
}

func checkDraw(t *testing.T, d officialDraw, paths []string) {
	t.Helper()
	digest := sha256.Sum256([]byte(lines(paths)))
	if got := hex.EncodeToString(digest[:]); len(paths) != d.count || got != d.digest {
		t.Errorf("%d benchmarks with the digest %s, want %d with %s", len(paths), got, d.count, d.digest)
	}
}

// checkExecuted checks that the benchmarks equal those in the published results of the 2025 incremental track.
func checkExecuted(t *testing.T, paths []string) {
	t.Helper()
	rows, err := intake.History(testkit.Shared(t, "official-results", "raw", "results-inc-2025.json.gz"),
		intake.Source{Year: 2025, Track: comp.Incremental})
	if err != nil {
		t.Fatal(err)
	}
	var executed []string
	for i := range rows {
		executed = append(executed, rows[i].Benchmark)
	}
	if executed = libraryPaths(executed); !slices.Equal(executed, paths) {
		t.Errorf("%d benchmarks were executed, %d are selected; they differ", len(executed), len(paths))
	}
}

// libraryPaths returns the distinct paths, starting at the logic, in sorted order.
func libraryPaths(paths []string) []string {
	var cut []string
	for _, p := range paths {
		cut = append(cut, comp.FromLogic(p))
	}
	slices.Sort(cut)
	return slices.Compact(cut)
}

// TestDrawBadOptions checks that the 2026 pipeline rejects, before anything is executed, options that make drawing
// impossible.
func TestDrawBadOptions(t *testing.T) {
	dir := copyTree(t, "pipelines")
	for _, c := range []struct {
		vars []string
		want string
	}{
		{[]string{"generator=polars", "flavour=rand-0.9"}, `needs new_benchmarks = "first"`},
		{[]string{"generator=polars", "new_benchmarks=first"}, "the attribute flavour says how its version draws"},
		{[]string{"generator=numpy", "new_benchmarks=first"}, "generator is glibc or polars"},
		{[]string{"flavour=rand-0.9"}, `Only generator = "polars" has flavours`},
		{[]string{"hard_clock=sun"}, "hard_clock is wall or cpu"},
	} {
		args := []string{"plan", "-p", filepath.Join(dir, "pipelines/competition-2026.hcl"), "--store", t.TempDir(),
			"--var", "list=" + testkit.Shared(t, "official-results", "raw", "benchmarks-2025.json.gz"), "--var",
			"submissions=" + testkit.Shared(t, "submissions-2026"), "--var", "nyse_opening=23412.89"}
		for _, v := range c.vars {
			args = append(args, "--var", v)
		}
		var stdout, stderr bytes.Buffer
		code := run(args, strings.NewReader(""), &stdout, &stderr)
		said := strings.Join(strings.Fields(stderr.String()), " ")
		if code != exit.Error || !strings.Contains(said, c.want) {
			t.Errorf("%v: exit code %d, want an error that says %q:\n%s", c.vars, code, c.want, &stderr)
		}
	}
}
