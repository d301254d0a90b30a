package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/lang/preselect"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestSelect2026 selects all 2026 tracks from the official 2025 list with the real submissions, and computes every
// logic's places with the rules' formula (SMT-COMP 2026 rules, §6, 4) from the numbers of benchmarks in the table. The
// expected numbers of logics come from the divisions, all of which are competitive. With --practice and the organisers'
// list of retired benchmarks, the totals equal their tool's.
func TestSelect2026(t *testing.T) {
	t.Parallel()
	testkit.Long(t)
	list := testkit.Shared(t, "official-results", "raw", "benchmarks-2025.json.gz")
	files, err := filepath.Glob(filepath.Join(testkit.Shared(t, "submissions-2026"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		track    string
		practice bool
		logics   int
		total    int // 0 if no other source states it
	}{
		{"single_query", false, 89, 0},
		{"single_query", true, 89, 227413},
		{"incremental", false, 39, 0},
		// The number that the organisers ran in 2025, from the same list and with the same tool.
		{"incremental", true, 39, 22942},
		{"unsat_core", false, 68, 0}, // logics with an unsatisfiable benchmark of two asserts
		{"unsat_core", true, 68, 64595},
		{"model_validation", true, 32, 58206},
		{"model_validation", false, 25, 0}, // logics among the 29 in §5.5 that have a benchmark with status sat
	} {
		name := c.track
		if c.practice {
			name += " practice"
		}
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := []string{"tool", "select", "--rules", "2026", "--track", c.track, "--benchmarks", list,
				"--new-prefix", "2025",
				"--submissions", strings.Join(files, ","), "--opening", "23412.89", "-o",
				filepath.Join(dir, "selected"), "--table", filepath.Join(dir, "table.csv")}
			if c.practice {
				args = append(args, "--practice", "--retired", "../../pipelines/retired-2026.csv")
			}
			var stderr bytes.Buffer
			if code := run(args, strings.NewReader(""), os.Stdout, &stderr); code != exit.Done {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			if !strings.Contains(stderr.String(), "(seed 22731074)") {
				t.Errorf("the seed of 2026 is 22731074: %s", &stderr)
			}
			text, err := os.ReadFile(filepath.Join(dir, "table.csv"))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			if len(rows)-1 != c.logics {
				t.Errorf("%d logics, want %d", len(rows)-1, c.logics)
			}
			total := 0
			for _, row := range rows[1:] {
				total += checkPlaces2026(t, row, c.practice)
			}
			if c.total > 0 && total != c.total {
				t.Errorf("%d selected, want %d", total, c.total)
			}
			selected, err := os.ReadFile(filepath.Join(dir, "selected"))
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Count(selected, []byte("\n")); got != total {
				t.Errorf("%d lines, the table says %d", got, total)
			}
		})
	}
}

// checkPlaces2026 checks a row with the columns logic, library, trivial, eligible, new_families, guaranteed, quota and
// selected.
func checkPlaces2026(t *testing.T, row []string, practice bool) int {
	t.Helper()
	number := func(i int) int {
		n, err := strconv.Atoi(row[i])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	n, families, guaranteed, quota, selected := number(3), number(4), number(5), number(6), number(7)
	var want, wantGuaranteed int
	switch {
	case n <= 300:
		want = n
	case n <= 600:
		want = 300
	case n <= 1000 || practice:
		want = n / 2
	default:
		want = 500 + (n-1000)/10
	}
	if n > 600 && !practice {
		wantGuaranteed = min(families, want)
	}
	if quota != want || selected != want || guaranteed != wantGuaranteed {
		t.Errorf("%s, n = %d: %d places, %d selected, %d guaranteed; want %d and %d guaranteed", row[0], n, quota,
			selected, guaranteed, want, wantGuaranteed)
	}
	return selected
}

// TestSelectPublished redraws every published list in the cases with the command, byte for byte.
func TestSelectPublished(t *testing.T) {
	t.Parallel()
	cases, err := filepath.Glob(filepath.Join(testkit.Shared(t, "selection-cases"), "*", "params.json"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases: %v", len(cases), err)
	}
	for _, params := range cases {
		dir := filepath.Dir(params)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			args := []string{"tool", "select", "--generator", "cpython", "--params", params,
				"--benchmarks", filepath.Join(dir, "all.txt.gz"), "--new", filepath.Join(dir, "new.txt.gz")}
			if status := filepath.Join(dir, "status.csv.gz"); fileExists(status) {
				args = append(args, "--status", status)
			}
			var stdout, stderr bytes.Buffer
			if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exit.Done || stderr.Len() > 0 {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			want, err := preselect.ReadFile(filepath.Join(dir, "selected.txt.gz"), io.ReadAll)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(stdout.Bytes(), want) {
				t.Errorf("the list has %d bytes, the published one %d; they differ", stdout.Len(), len(want))
			}
		})
	}
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
