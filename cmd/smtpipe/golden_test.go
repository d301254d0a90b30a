package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/cache"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestGolden checks the keys, tables, pages, roots and proofs of the competitions in examples/mini. Their runs were
// measured once and are replayed by a worker, so everything else is deterministic. SMTPIPE_UPDATE=1 records what
// changed, one line each, and measures missing runs. The commit's body must explain why the new lines are right.
func TestGolden(t *testing.T) {
	t.Parallel()
	const few = `only=["non-incremental/QF_BV.tar.zst", "non-incremental/QF_ABV.tar.zst", ` +
		`"non-incremental/QF_FP.tar.zst", "non-incremental/QF_LRA.tar.zst", ` +
		`"non-incremental/QF_UF.tar.zst", "non-incremental/LIA.tar.zst", ` +
		`"incremental/QF_UFLRA.tar.zst", "incremental/QF_BV.tar.zst"]`
	sample := []string{"wall_time=5s", "release=../../release", "sample=2", few}
	for year, vars := range map[string][]string{
		"2008": {"wall_time=5s"},
		"2015": sample,
		"2019": append(slices.Clone(sample), "challenge_time=5s"),
		"2022": append(slices.Clone(sample), `cloud=["../../results-cloud-2022.json"]`),
		"2026": sample,
	} {
		t.Run(year, func(t *testing.T) {
			t.Parallel()
			g := openGolden(t, year)
			args := []string{"-p", filepath.Join(g.dir, "examples/mini/all-"+year+".hcl")}
			for _, v := range vars {
				args = append(args, "--var", v)
			}
			g.smtpipe(t, append([]string{"run", "--progress", "none"}, args...)...)
			g.smtpipe(t, append([]string{"freeze", "--inputs"}, args...)...)
			g.compare(t, g.frozen(t))
			if year == "2026" || os.Getenv("SMTPIPE_LONG") != "" {
				g.secondOpinion(t)
			}
		})
	}
}

// secondOpinion requires that verify and check.py recompute every table of scores in the frozen folder and find all
// cells equal, without executing a solver.
func (g *golden) secondOpinion(t *testing.T) {
	t.Helper()
	var report verify.Report
	if err := json.Unmarshal([]byte(g.smtpipe(t, "verify", "--json", "frozen")), &report); err != nil {
		t.Fatal(err)
	}
	said := g.check(t, "frozen")
	tables := 0
	for _, s := range report.Stages {
		if s.Kind != "score" {
			continue
		}
		tables++
		rows := len(readCSV(t, filepath.Join(g.dir, "frozen", frozen.StageDir(s.Addr), "scores.csv")))
		if want := fmt.Sprintf("\n%s: %d rows of ", s.Addr, rows); s.State != verify.Same || rows == 0 ||
			!strings.Contains(said, want) {
			t.Errorf("%s is %s, and check.py does not say %q:\n%s", s.Addr, s.State, want, said)
		}
	}
	if tables == 0 {
		t.Error("nothing is scored")
	}
}

// check executes the frozen folder's check.py and returns its output.
func (g *golden) check(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command(testkit.Program(t, "python3"), filepath.Join(g.dir, "frozen/check.py"), path)
	cmd.Dir = g.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("check.py %s: %v\n%s", path, err, out)
	}
	return string(out)
}

// golden is a folder with the pipelines. Its solvers are files with fixed content.
type golden struct {
	dir, data string
	env       []string
	record    string // folder in which runs are recorded; empty to record none
}

// goldenData returns the folder with the recorded data.
func goldenData(t *testing.T, name string) string {
	t.Helper()
	data, err := filepath.Abs(filepath.Join("testdata/golden", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func openGolden(t *testing.T, name string) *golden {
	t.Helper()
	g := &golden{dir: copyTree(t, "pipelines", "examples/mini"), data: goldenData(t, name)}
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(testkit.Shared(t, "smtlib-mini"), filepath.Join(g.dir, "release")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(g.dir, "results-cloud-2022.json"), []byte(cloudResults), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"z3", "cvc5", "cvc4", "boolector", "proof", "smt12"} {
		p := filepath.Join(g.dir, "examples/mini/programs", name)
		content := []byte("#!/bin/false " + name + "\n")
		err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o777), os.WriteFile(p, content, 0o755))
		if err != nil {
			t.Fatal(err)
		}
	}
	g.env = append(g.env, goldenFolder+"="+g.data, "EXAMPLES="+examples)
	if os.Getenv("SMTPIPE_UPDATE") == "1" {
		g.record = t.TempDir()
		g.env = append(g.env, goldenRecord+"="+g.record)
	}
	pipelines, err := filepath.Glob(filepath.Join(g.dir, "examples/mini/all-*.hcl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pipelines {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range []struct{ from, to string }{
			{`executor "local" "here" {`, "executor \"process\" \"here\" {\n" +
				"  command   = [\"golden-worker\"]\n  hardware  = \"golden\""},
			{"executor.local.here", "executor.process.here"},
			{`  command = ["`, "  archive = \"programs\"\n  command = [\""},
			{`["./`, `["`},
			{`["../../pipelines/2008/`, `["`},
		} {
			text = bytes.ReplaceAll(text, []byte(change.from), []byte(change.to))
		}
		if err := os.WriteFile(p, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// smtpipe executes the program with fixed solvers.
func (g *golden) smtpipe(t *testing.T, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command("smtpipe", args...)
	cmd.Env, cmd.Dir, cmd.Stderr = append(os.Environ(), g.env...), g.dir, &stderr
	cmd.Env = append(cmd.Env, testVersion+"=golden")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("smtpipe %s: %v\n%s%s", strings.Join(args, " "), err, &stderr, out)
	}
	return string(out)
}

// frozen returns a line for the frozen folder's root, for each key, output, page and kind of verdict, and for a cell in
// each track.
func (g *golden) frozen(t *testing.T) []string {
	t.Helper()
	dir := filepath.Join(g.dir, "frozen")
	folder, err := frozen.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	lines := []string{fmt.Sprint("root: ", folder.Lock.Runs)}
	for addr, stage := range folder.Lock.Stages {
		lines = append(lines, fmt.Sprintf("%s: key %.16s", asPath(addr), stage[frozen.AttrKey]))
	}
	for name, out := range folder.Lock.Outputs {
		digest := cmp.Or(out[frozen.AttrSHA256], cache.DigestOf([]byte(out[frozen.AttrValue])).String())
		lines = append(lines, fmt.Sprintf("%s: %s, %s rows, %.16s", asPath(name),
			cmp.Or(out[frozen.AttrSchema], "value"), cmp.Or(out[frozen.AttrRows], "0"), digest))
	}
	err = fs.WalkDir(os.DirFS(dir), "stages", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch _, page, _ := strings.Cut(path, "/stage.report.site/files/"); {
		case page == site.EvidenceName: // no key covers the evidence, and it differs on other machines
			return nil
		case page != "":
			content, err := os.ReadFile(filepath.Join(dir, path))
			if strings.HasSuffix(page, ".gz") {
				content = gunzip(t, content)
			}
			lines = append(lines, fmt.Sprintf("page %s: %.16s", page, cache.DigestOf(content)))
			return err
		case d.Name() == "verdicts.csv":
			lines = append(lines, countVerdicts(t, dir, path)...)
		case d.Name() == "scores.csv":
			lines = append(lines, g.proof(t, filepath.Join(dir, path)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// asPath converts an address to the form used in file paths.
func asPath(addr string) string { return strings.ReplaceAll(addr, ".", "/") }

// countVerdicts returns a line with the number of verdicts for each track, answer, verdict and validation in a table.
func countVerdicts(t *testing.T, dir, path string) []string {
	t.Helper()
	counts := map[string]int{}
	stage := filepath.Dir(strings.TrimPrefix(path, "stages/"))
	for _, r := range readCSV(t, filepath.Join(dir, path)) {
		counts[strings.Join([]string{stage, r["track"], r["answer"], r["verdict"], r["validation"]}, " ")]++
	}
	var lines []string
	for what, n := range counts {
		lines = append(lines, fmt.Sprintf("verdicts %s: %d", strings.TrimSpace(what), n))
	}
	return lines
}

// proof proves the cell in the middle of a table of scores, and returns a line with the proof's content except the
// lock.
func (g *golden) proof(t *testing.T, scores string) string {
	t.Helper()
	rows := readCSV(t, scores)
	r := rows[len(rows)/2]
	name := fmt.Sprintf("%s %s %s %s.correct", cmp.Or(r["logic"], r["division"]), r["track"], r["view"], r["solver"])
	content := g.smtpipe(t, "prove", "--frozen", "frozen", name, "-o", "-")
	in, err := gzip.NewReader(strings.NewReader(content))
	if err == nil {
		err = os.WriteFile(filepath.Join(g.dir, "cell.json.gz"), []byte(content), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	g.check(t, "cell.json.gz")
	proof := map[string]json.RawMessage{}
	if err := json.NewDecoder(in).Decode(&proof); err != nil {
		t.Fatal(err)
	}
	delete(proof, "lock") // the lock names the program
	text, err := json.Marshal(proof)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("proof %s: %.16s", name, cache.DigestOf(text))
}

// compare compares lines with the recorded lines, or records them.
func (g *golden) compare(t *testing.T, lines []string) {
	t.Helper()
	path := filepath.Join(g.data, "digests.txt")
	text := strings.Join(lines, "\n") + "\n"
	if os.Getenv("SMTPIPE_UPDATE") == "1" {
		if err := errors.Join(os.MkdirAll(g.data, 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
		if g.record != "" {
			keepGoldenRuns(t, g.record, g.data)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if changed := diff.Diff(strings.Split(string(want), "\n"), strings.Split(text, "\n")); changed != "" {
		t.Errorf("results changed (-recorded +now); SMTPIPE_UPDATE=1 go test ./cmd/smtpipe -run TestGolden records them, "+
			"and the commit says why they are right:\n%s", changed)
	}
}
