package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reaching lists the packages that may communicate outside the process or start programs, by the import that allows it.
// docs/publish/trust.md documents each of them, so a longer list means that the page is out of date.
var reaching = map[string][]string{
	"net": {
		"cmd/smtpipe",                            // serve, which listens
		"internal/cache/remote",                  // remote stores
		"internal/publish/report",                // parses an address for serve
		"internal/exec/runner/runnertest/victim", // the test program that attacks the runner
		"internal/audit/signature",               // the SSH agent's Unix socket
		"internal/exec/worker/workertest",        // a Slurm for tests
	},
	"net/http": {
		"cmd/smtpipe",             // serve
		"internal/cache/remote",   // remote stores
		"internal/smt/release",    // downloads
		"internal/publish/report", // HTTP responses, for serve
	},
	"github.com/google/go-containerregistry/pkg/v1/remote": {"internal/exec/image"}, // tool image
	"github.com/hashicorp/go-retryablehttp":                {"internal/smt/release"},
	"os/exec": {
		"cmd/smtpipe", // tool postprocess; looks up a program for tool check-model; starts ddsmt for compare --reduce
		"internal/exec/runner/runnertest/compare", // compares measurements with BenchExec; not shipped
		"internal/exec/runner/runnertest/victim",  // the test program that attacks the runner
		"internal/audit/project",                  // looks up a program
		"internal/audit/reproduce",                // looks up a program
		"internal/lang/builds",                    // looks up a program; starts git for bisect
		"internal/ship",                           // starts go to make releases; not shipped
		"internal/engine/scaletest",               // measures the engine; not shipped
		"internal/testkit",                        // tests
		"internal/ui",                             // the pager
		"internal/exec/doctor",                    // itself, for trial runs
		"internal/exec/image/imagetest",           // starts umoci, for tests
		"internal/exec/worker/benchexec",          // BenchExec
		"internal/exec/worker/process",            // workers
		"internal/exec/worker/exchange",           // scontrol, within a job
		"internal/exec/worker/jobs",               // sbatch, squeue, scancel, and the commands of a pipeline
		"internal/exec/worker/workertest",         // a Slurm for tests
	},
}

// TestReaching checks which packages may use the network or start programs.
func TestReaching(t *testing.T) {
	got := map[string][]string{}
	for _, p := range packages(t) {
		for _, imp := range p.Imports {
			if _, ok := reaching[imp]; ok {
				got[imp] = append(got[imp], strings.TrimPrefix(p.ImportPath, module))
			}
		}
	}
	for imp, want := range reaching {
		slices.Sort(want)
		slices.Sort(got[imp])
		if !slices.Equal(got[imp], want) {
			t.Errorf("%s is imported by %v, and the list here has %v; say in docs/publish/trust.md what it does there",
				imp,
				got[imp], want)
		}
	}
}

// licenceMarks are phrases from the text of each licence, by SPDX identifier.
var licenceMarks = map[string][]string{
	"Apache-2.0":       {"apache license version 2.0"},
	"BSD-2-Clause":     {"redistribution and use in source and binary forms"},
	"BSD-3-Clause":     {"redistribution and use in source and binary forms", "endorse or promote"},
	"MIT":              {"permission is hereby granted, free of charge, to any person", "merchantability"},
	"MPL-2.0":          {"mozilla public license, version 2.0"},
	"Unicode-DFS-2016": {"unicode data files include all data files", "unicode, inc. all rights reserved"},
}

// TestLicences checks the table in docs/publish/trust.md. It must contain exactly one row for each module whose code is
// in the binary, and the licences in that row must match the module's licence files.
func TestLicences(t *testing.T) {
	page, err := os.ReadFile("../../docs/publish/trust.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	_, table, _ := strings.Cut(string(page), "| module | licence |")
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]+) \\|$")
	for _, m := range row.FindAllStringSubmatch(table, -1) {
		rows[m[1]] = strings.Split(strings.TrimSpace(m[2]), ", ")
	}
	cmd := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "./cmd/smtpipe")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		name, dir, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		if rows[name] == nil {
			t.Errorf("docs/publish/trust.md has no row for %s", name)
			continue
		}
		text := licenceText(t, dir)
		for _, id := range rows[name] {
			marks := licenceMarks[id]
			if len(marks) == 0 {
				t.Errorf("%s: no phrase of %s is known here", name, id)
			}
			for _, mark := range marks {
				if !strings.Contains(text, mark) {
					t.Errorf("%s is said to be under %s, and its licence does not say %q", name, id, mark)
				}
			}
			if id == "BSD-2-Clause" && strings.Contains(text, "endorse or promote") {
				t.Errorf("%s has a third clause", name)
			}
		}
	}
	for name := range rows {
		if !seen[name] {
			t.Errorf("docs/publish/trust.md has a row for %s, of which the binary has no code", name)
		}
	}
}

// licenceText returns a module's licence files as one line of lower-case text.
func licenceText(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "LICENSE*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no licence: %v", dir, err)
	}
	var all strings.Builder
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
		all.WriteByte(' ')
	}
	text := strings.Join(strings.Fields(strings.ToLower(all.String())), " ")
	return strings.ReplaceAll(text, "apache license, version", "apache license version") // as notices spell it
}
