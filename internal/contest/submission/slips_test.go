package submission_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

const slipFile = `{"name": "M", "contributors": ["A"], "contacts": ["m@b.org"],
"archive": {"url": %q},
"command": %s,
"website": "https://b.org", "system_description": %q,
"solver_type": "Standalone", "participations": [
{"tracks": ["SingleQuery"], "logics": %q}], "seed": 5}`

// TestSlips checks that a review reports slips that organisers used to correct by hand, with their lines and a
// correction.
func TestSlips(t *testing.T) {
	const file, command, paper, logics = "https://b.org/a.zip", `["m", "-q"]`, "https://b.org/d", "QF_.*"
	for _, row := range []struct{ archive, command, paper, logics, want string }{
		{file, command, paper, logics, ""},
		{file, `["python3 ./smts.py -l"]`, paper, logics, `3:13: /command/0: the program "python3 ./smts.py -l" is a whole ` +
			`command line; write its words as strings of their own, such as ["./smts.py", "-l"]`},
		{file, `{"binary": "bin/m -q"}`, paper, logics, `/command/binary: the program "bin/m -q" is a whole command line; ` +
			`write its words as strings of their own, such as ["bin/m", "-q"]`},
		{file, `["m", "<instance_path>"]`, paper, logics, `3:18: /command/1: <instance_path> is a placeholder; leave it out`},
		{file, `["m", "–q"]`, paper, logics, `/command/1: "–q" has typographic characters; write "-q"`},
		{file, `["m", "a<b"]`, paper, logics, ""},
		{file, command, "https://b.org/<paper>.pdf", logics, `4:51: /system_description: <paper> is a placeholder`},
		{file, command, paper, "ˆQF_.*", `6:39: /participations/0/logics: "ˆQF_.*" has typographic characters; write "^QF_.*"`},
		{file, command, paper, "(?<name>QF_.*)", ""},
		{"https://github.com/a/b/blob/main/m.zip", command, paper, logics, `2:20: /archive/url: "https://github.com/a/b/blob/`},
		{"https://github.com/a/b/blob/main/m.zip?raw=true", command, paper, logics, ""},
		{"https://github.com/a/b/raw/main/m.zip", command, paper, logics, ""},
		{"https://github.com/a/b/releases/tag/v1", command, paper, logics, "is a page and not a file"},
		{"https://github.com/a/b/releases/download/v1/m.zip", command, paper, logics, ""},
		{"https://drive.google.com/file/d/1x/view?usp=sharing", command, paper, logics, "uc?export=download&id=ID"},
		{"https://drive.google.com/uc?export=download&id=1x", command, paper, logics, ""},
		{"https://zenodo.org/records/12", command, paper, logics, "is a page and not a file"},
		{"https://zenodo.org/record/12/", command, paper, logics, "is a page and not a file"},
		{"https://doi.org/10.5281/zenodo.12", command, paper, logics, "is a page and not a file"},
		{"https://zenodo.org/records/12/files/m.zip?download=1", command, paper, logics, ""},
		{"https://zenodo.org/api/records/12/files/m.zip/content", command, paper, logics, ""},
	} {
		src := fmt.Appendf(nil, slipFile, row.archive, row.command, row.paper, row.logics)
		v := submission.Rules{}.Review("m.json", src, smallCatalog(t), &submission.Known{}, "")
		got := v.Problems.Error()
		if row.want == "" && got != "" || !strings.Contains(got, row.want) || len(v.Problems) > 1 {
			t.Errorf("%+v:\ngot %s", row, got)
		}
		if _, err := submission.Parse("m.json", src); err != nil {
			t.Errorf("frozen files with slips must stay readable: %v", err)
		}
	}
	src := fmt.Appendf(nil, slipFile, file, `["m", "-nt 32"]`, paper, logics)
	v := submission.Rules{}.Review("m.json", src, smallCatalog(t), &submission.Known{}, "")
	want := `m.json:3:18: /command/1: "-nt 32" is one argument; are two meant? Then write "-nt", "32"`
	if got := v.Warnings.Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestSlipsOfRealFiles checks that three years' files, which organisers corrected, contain no slips.
func TestSlipsOfRealFiles(t *testing.T) {
	catalog, read := smallCatalog(t), 0
	for _, year := range []string{"2024", "2025", "2026"} {
		files, err := filepath.Glob(filepath.Join(testkit.Shared(t, "submissions-"+year), "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			v := submission.Rules{}.Review(filepath.Base(f), data, catalog, &submission.Known{}, "")
			if v.Submission != nil {
				read++
			}
			for _, p := range append(v.Problems, v.Warnings...) {
				for _, slip := range []string{"placeholder", "typographic", "command line", "a page", "one argument"} {
					if strings.Contains(p.Text, slip) {
						t.Errorf("%s: %v", year, p)
					}
				}
			}
		}
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}
