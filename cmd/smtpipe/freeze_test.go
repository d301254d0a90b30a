package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	quickstart "github.com/smtpipe/smtpipe/examples/quickstart"
	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// smallPipeline executes two solvers that each know only one answer, on 20 benchmarks of one logic, ten of which are
// sat.
const smallPipeline = `
competition {
  name = "Two liars"
  year = 2026
}
solver "yes" {
  command = ["./yes"]
  seed    = 1
}
solver "no" {
  command = ["./no"]
  seed    = 2
}
executor "local" "here" { isolation = "best_effort" }
stage "fetch" "library" { path = "release" }
stage "index" "library" { source = stage.fetch.library.files }
stage "cap" "main" {
  benchmarks = stage.index.library.benchmarks
  take       = n
  seed       = 7
}
stage "scramble" "main" {
  benchmarks = stage.cap.main.benchmarks
  track      = "single_query"
  seed       = 7
}
stage "execute" "main" {
  scripts  = stage.scramble.main.scripts
  solvers  = solver
  track    = "single_query"
  executor = executor.local.here
  limits {
    wall_time = "5s"
    memory    = "1GB"
  }
}
stage "validate" "main" {
  runs       = stage.execute.main.runs
  benchmarks = stage.cap.main.benchmarks
}
stage "verdicts" "main" {
  verdicts = stage.validate.main.verdicts
  entrants = solver
}
stage "score" "main" {
  verdicts = stage.verdicts.main.verdicts
  rules    = "2026"
}
`

// smallProject writes the pipeline to a folder and executes it.
func smallProject(t *testing.T) string {
	t.Helper()
	return smallProjectOf(t, smallPipeline)
}

func smallProjectOf(t *testing.T, pipeline string) string {
	t.Helper()
	dir := t.TempDir()
	release, err := quickstart.Files.ReadFile("release/non-incremental/LIA.tar.zst")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"competition.hcl": pipeline, "yes": "#!/bin/sh\necho sat\n",
		"no": "#!/bin/sh\necho unsat\n", "release/LIA.tar.zst": string(release)} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	execSmtpipe(t, exit.Done, "run", "-p", dir, "--progress", "none")
	return dir
}

// execSmtpipe executes a command line and returns its standard output.
func execSmtpipe(t *testing.T, want int, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(args, strings.NewReader(""), &stdout, &stderr); got != want {
		t.Fatalf("smtpipe %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, &stdout, &stderr)
	}
	return stdout.String()
}

// verified returns verify's output for a folder.
func verified(t *testing.T, want int, folder string) *verify.Report {
	t.Helper()
	var report verify.Report
	if err := json.Unmarshal([]byte(execSmtpipe(t, want, "verify", "--json", folder)), &report); err != nil {
		t.Fatal(err)
	}
	return &report
}

// forge changes a table in a project's store and repairs all digests: the stage's record names the new table, and all
// later stages are executed again with it.
func forge[Row any](t *testing.T, project, addr, output string, change func([]Row) []Row) {
	t.Helper()
	forgeTable(t, project, addr, output, func(store *cache.Store, was artifact.Ref) (artifact.Ref, error) {
		rows, err := artifact.ReadTable[Row](store, was)
		if err != nil {
			return was, err
		}
		return artifact.WriteTable(store, change(rows))
	})
}

// forgeTable replaces the table of a stage in a project's store.
func forgeTable(t *testing.T, project, addr, output string,
	change func(store *cache.Store, was artifact.Ref) (artifact.Ref, error)) {
	t.Helper()
	store, err := cache.Open(filepath.Join(project, ".smtpipe"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	forged := false
	_, err = store.EachAction(func(key cache.Key, a *cache.Action) error {
		if a.Address != addr {
			return nil
		}
		d, err := cache.ParseDigest(a.Outputs[output].Digest)
		if err != nil {
			return err
		}
		was := a.Outputs[output]
		art, err := change(store, artifact.Ref{Schema: was.Schema, Digest: d, Rows: was.Rows,
			SizeBytes: was.SizeBytes})
		if err != nil {
			return err
		}
		forged = true
		a.Outputs[output] = cache.Output{Schema: art.Schema, Digest: art.Digest.String(), Rows: art.Rows,
			SizeBytes: art.SizeBytes}
		return store.PutAction(key, a)
	})
	if err != nil || !forged {
		t.Fatalf("%s is not forged: %v", addr, err)
	}
}

func first[Row any](change func(*Row)) func([]Row) []Row {
	return func(rows []Row) []Row {
		change(&rows[0])
		return rows
	}
}

func each[Row any](change func(*Row)) func([]Row) []Row {
	return func(rows []Row) []Row {
		for i := range rows {
			change(&rows[i])
		}
		return rows
	}
}

// TestForgedFolders checks that a forger who changes a table and recomputes everything after it, including the lock
// with all digests, is detected because the inputs reveal the change.
func TestForgedFolders(t *testing.T) {
	t.Parallel()
	project := smallProject(t)
	tests := []struct {
		name  string
		forge func(t *testing.T, project string)
		where string // location of a finding
		what  string
	}{
		{"a verdict", func(t *testing.T, p string) {
			forge(t, p, "stage.validate.main", "verdicts", func(rows []results.VerdictRow) []results.VerdictRow {
				i := slices.IndexFunc(rows, func(r results.VerdictRow) bool { return r.Verdict == "wrong" })
				rows[i].Verdict = "correct"
				return rows
			})
		}, "stage.validate.main.verdicts", `column verdict is "correct", but its inputs produce "wrong"`},
		{"an answer", func(t *testing.T, p string) {
			forge(t, p, "stage.validate.main", "verdicts",
				first(func(r *results.VerdictRow) { r.Answer = "unknown" }))
		}, "stage.validate.main.verdicts", `column answer is "unknown", but`},
		{"a score", func(t *testing.T, p string) {
			forge(t, p, "stage.score.main", "scores", first(func(r *results.ScoreRow) { r.Correct += 5 }))
		}, "stage.score.main.scores", `column n is "15`},
		{"a winner", func(t *testing.T, p string) {
			forge(t, p, "stage.score.main", "scores", first(func(r *results.ScoreRow) { r.Winner = !r.Winner }))
		}, "stage.score.main.scores", `column winner is "`},
		{"a benchmark that was selected", func(t *testing.T, p string) {
			forge(t, p, "stage.cap.main", "benchmarks",
				func(rows []results.BenchmarkRow) []results.BenchmarkRow { return rows[1:] })
		}, "stage.cap.main.benchmarks", "it is missing from the folder"},
		{"a run that is dropped", func(t *testing.T, p string) {
			forge(t, p, "stage.execute.main", "runs", func(rows []results.RunRow) []results.RunRow { return rows[1:] })
		}, "stage.execute.main", "1 of the 40 runs that the pipeline requires were not measured"},
		{"a run that nobody asked for", func(t *testing.T, p string) {
			forge(t, p, "stage.execute.main", "runs", func(rows []results.RunRow) []results.RunRow {
				more := rows[0]
				more.Attempt = 1
				return append(rows, more)
			})
		}, "stage.execute.main.runs", "it is in the folder, but does not follow from its inputs"},
		{"who competes", func(t *testing.T, p string) {
			forge(t, p, "stage.verdicts.main", "entrants",
				each(func(r *results.EntrantRow) { r.Submitted = results.YesNo(r.Solver != "no") }))
		}, "stage.verdicts.main.entrants", `column submitted is "no", but its inputs produce "yes"`},
		{"the limit of a run", func(t *testing.T, p string) {
			forge(t, p, "stage.execute.main", "runs", each(func(r *results.RunRow) { r.WallLimitS = 7 }))
		}, "stage.execute.main.runs", `column wall_limit_s is "7`},
		{"an ending", func(t *testing.T, p string) {
			forge(t, p, "stage.execute.main", "runs", first(func(r *results.RunRow) {
				r.Ending, r.ExitCode = "wall_timeout", -1
			}))
		}, "stage.execute.main.runs", "its ending is wall_timeout, but it took"},
		{"a stamp", func(t *testing.T, p string) {
			forge(t, p, "stage.execute.main", "runs", first(func(r *results.RunRow) { r.AnswerWallTimeS = -1 }))
		}, "stage.execute.main.runs", "it printed an answer that has no time"},
		{"an output without its length", func(t *testing.T, p string) {
			forge(t, p, "stage.execute.main", "runs", first(func(r *results.RunRow) { r.Stdout = "unknown\n" }))
		}, "stage.execute.main.runs", "bytes, but 8 are there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			work := filepath.Join(t.TempDir(), "work")
			if err := os.CopyFS(work, os.DirFS(project)); err != nil {
				t.Fatal(err)
			}
			tt.forge(t, work)
			execSmtpipe(t, exit.Done, "run", "-p", work, "--progress", "none")
			folder := filepath.Join(work, "frozen")
			execSmtpipe(t, exit.Done, "freeze", "-p", work, "-o", folder)
			report := verified(t, exit.Differs, folder)
			if !slices.ContainsFunc(report.Differences, func(d verify.Finding) bool {
				return d.Where == tt.where && strings.Contains(d.What, tt.what)
			}) {
				t.Errorf("found %+v, want %s: %s", report.Differences, tt.where, tt.what)
			}
			for _, d := range report.Differences {
				if !strings.HasPrefix(d.Where, tt.where) {
					t.Errorf("%s: %s is found beside what was forged", d.Where, d.What)
				}
			}
		})
	}
}

// TestForgedBounds forges the bounds that a table has beside a column. If all rows have one value, smtpipe reads it
// from there, and other programs read the rows.
func TestForgedBounds(t *testing.T) {
	t.Parallel()
	project := smallProject(t)
	forgeLimit := func(store *cache.Store, was artifact.Ref) (artifact.Ref, error) {
		table, err := store.ReadBytes(was.Digest)
		if err != nil {
			return was, err
		}
		is := binary.LittleEndian.AppendUint64(nil, 1e9)
		footer := table[len(table)-8-int(binary.LittleEndian.Uint32(table[len(table)-8:])):]
		if bytes.Count(footer, is) < 2 {
			return was, errors.New("the memory limit of 1 GB has no bounds")
		}
		copy(footer, bytes.ReplaceAll(footer, is, binary.LittleEndian.AppendUint64(nil, 2e9)))
		was.Digest, err = store.PutBytes(table)
		return was, err
	}
	forgeTable(t, project, "stage.execute.main", "runs", forgeLimit)
	execSmtpipe(t, exit.Done, "run", "-p", project, "--progress", "none")
	folder := filepath.Join(project, "frozen")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "-o", folder)
	want := verify.Finding{Where: "stages/stage.execute.main/runs.parquet", What: "column memory_limit_bytes has the " +
		`value "1000000000", but the bounds stored beside it say that all are "2000000000"`}
	if found := verified(t, exit.Differs, folder).Differences; !slices.Contains(found, want) {
		t.Errorf("found %+v, want %+v", found, want)
	}
}

// TestRemeasured checks that repeated runs answer as recorded, unless the recorded outputs were invented.
func TestRemeasured(t *testing.T) {
	t.Parallel()
	project := smallProject(t)
	folder := filepath.Join(project, "true")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "--inputs", "-o", folder)
	again := filepath.Join(project, "again.csv")
	text := execSmtpipe(t, exit.Done, "verify", folder, "--rerun", "10", "--results", again)
	for _, want := range []string{"(?m)^Measurement: 10 runs were repeated on ",
		"No answer contradicts an original one[.]", "(?m)^no +0 +- +- +too few$",
		"more than 1 s both times[.] Solvers with fewer than 30 such runs are not judged[.]"} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("verify does not say %q:\n%s", want, text)
		}
	}
	execSmtpipe(t, exit.Usage, "verify", folder, "--rerun", "0")
	execSmtpipe(t, exit.Usage, "verify", folder, "--results", again)
	table, err := os.ReadFile(again)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(table), "benchmark,year,track,solver,") || strings.Count(string(table), "\n") != 11 {
		t.Errorf("the results are not a table history/1 of 10 runs:\n%s", table)
	}

	inventUnknown(t, project)
	folder = filepath.Join(project, "invented")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "--inputs", "-o", folder)
	var report verify.Report
	out := execSmtpipe(t, exit.Contradicts, "verify", folder, "--rerun", "100%", "--json")
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatal(err)
	}
	if m := report.Measurement; report.Differs() || m.Runs != 40 || len(m.Contradictions) != 20 ||
		m.Contradictions[0].Solver != "no" || m.Contradictions[0].LogThen != "unknown\n" ||
		m.Contradictions[0].LogNow != "unsat\n" {
		t.Errorf("all runs of a solver were invented, and verify finds %+v", m)
	}
}

// inventUnknown forges a project as if its solver had always answered unknown.
func inventUnknown(t *testing.T, project string) {
	forge(t, project, "stage.execute.main", "runs", each(func(r *results.RunRow) {
		if r.Solver == "no" {
			r.Stdout, r.StdoutBytes = "unknown\n", 8
		}
	}))
	execSmtpipe(t, exit.Done, "run", "-p", project, "--progress", "none")
}

// TestForgedMeasurements invents outputs, verdicts and everything after them consistently. verify must state that it
// cannot detect this.
func TestForgedMeasurements(t *testing.T) {
	t.Parallel()
	project := smallProject(t)
	inventUnknown(t, project)
	folder := filepath.Join(project, "frozen")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "-o", folder)
	text := execSmtpipe(t, exit.Done, "verify", folder)
	const want = "This does not say that the measurements are true: whoever invents outputs of runs and computes everything " +
		"else from them passes this check."
	if !strings.Contains(text, want) || !strings.Contains(text, "Only a signature of the lock") {
		t.Errorf("verify says\n%s", text)
	}
}

// TestDamagedFolders checks that changes in the folder itself are found, whether or not the list of digests is
// repaired.
func TestDamagedFolders(t *testing.T) {
	t.Parallel()
	project := smallProject(t)
	whole := filepath.Join(project, "frozen")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "-o", whole)
	if report := verified(t, exit.Done, whole); len(report.Differences) > 0 || len(report.Unlisted) > 0 {
		t.Fatalf("of a whole folder, verify says %+v", report)
	}
	const scores = "stages/stage.score.main/scores.csv"
	replace := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
	}
	tests := []struct {
		name, path string
		change     func([]byte) []byte // nil removes the file
		repair     bool                // repair the list of digests
		exit       int
		where      string
	}{
		{"a file", scores, replace("Arith", "Brith"), false, exit.Differs, scores},
		{"a table beside its Parquet file", scores, replace("Arith", "Brith"), true, exit.Differs, scores},
		{"a file that is gone", scores, nil, false, exit.Differs, scores},
		{"the pipeline", "pipeline/competition.hcl", replace("seed       = 7", "seed       = 8"), true, exit.Differs,
			"stage.cap.main"},
		{"a limit in the pipeline", "pipeline/competition.hcl", replace(`"5s"`, `"6s"`), true, exit.Differs,
			"stage.execute.main"},
		{"a stage in the pipeline", "pipeline/competition.hcl", replace(`stage "score"`, `stage "command"`), true,
			exit.Differs, "derivation"},
		{"a digest in the lock", frozen.LockName, replace(`rows = "40"`, `rows = "41"`), true, exit.Differs, ""},
		{"the form of the lock", frozen.LockName, replace("inputs = {", "inputs =  {"), true, exit.Differs,
			frozen.LockName},
		{"the lock", frozen.LockName, replace("outputs = {", "outputs = ["), true, exit.CannotVerify, ""},
		{"a record", "stages/stage.cap.main/record.json", replace(`"value": "7"`, `"value": "8"`), true, exit.Differs,
			"stage.cap.main"},
		{"the list", frozen.SumsName, replace("pipeline/competition.hcl", "../competition.hcl"), false,
			exit.Differs, frozen.SumsName},
		{"the list that is gone", frozen.SumsName, nil, false, exit.Differs, frozen.SumsName},
		{"the lock that is gone", frozen.LockName, nil, false, exit.CannotVerify, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "frozen")
			if err := os.CopyFS(folder, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			damage(t, folder, tt.path, tt.change, tt.repair)
			if tt.exit == exit.CannotVerify {
				execSmtpipe(t, tt.exit, "verify", folder)
				return
			}
			report := verified(t, tt.exit, folder)
			if !slices.ContainsFunc(report.Differences, func(d verify.Finding) bool {
				return strings.HasPrefix(d.Where, tt.where)
			}) {
				t.Errorf("found %+v, want something about %s", report.Differences, tt.where)
			}
		})
	}
	t.Run("a file that is not listed", func(t *testing.T) {
		t.Parallel()
		folder := filepath.Join(t.TempDir(), "frozen")
		if err := os.CopyFS(folder, os.DirFS(whole)); err != nil {
			t.Fatal(err)
		}
		extra := filepath.Join(folder, "pipeline", "more.hcl")
		if err := os.WriteFile(extra, []byte(`stage "nothing" "at_all" {}`), 0o666); err != nil {
			t.Fatal(err)
		}
		report := verified(t, exit.Differs, folder)
		if len(report.Differences) != 1 || report.Differences[0].Where != "pipeline/more.hcl" {
			t.Errorf("found %+v", report.Differences)
		}
	})
}

// TestLargeTables freezes 20,002 runs, whose tables are stored as compressed CSV. verify must compare the content, not
// the compressed bytes.
func TestLargeTables(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(project, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var runs, names strings.Builder
	runs.WriteString("benchmark,year,track,solver,logic,status,answer,result,cpu_time_s,wall_time_s,memory_bytes,answers\n")
	for i := range 10_001 {
		name := fmt.Sprintf("non-incremental/QF_LIA/f/%05d.smt2", i)
		fmt.Fprintln(&names, name)
		for _, solver := range []string{"fast", "slow"} {
			fmt.Fprintf(&runs, "%s,2022,single_query,%s,QF_LIA,sat,sat,sat,%d.5,1.25,0,-1\n", name, solver, len(solver))
		}
	}
	write("history.csv", runs.String())
	write("benchmarks.txt", names.String())
	write("competition.hcl", `competition {
  name = "many runs"
  year = 2022
}
stage "import" "published" {
  results    = [file("history.csv")]
  kind       = "table"
  track      = "single_query"
  year       = 2022
  wall_time  = "20m"
  cores      = 4
  benchmarks = file("benchmarks.txt")
}
stage "validate" "main" {
  runs       = stage.import.published.executed
  benchmarks = stage.import.published.benchmarks
}
stage "score" "main" {
  verdicts = stage.validate.main.verdicts
  rules    = competition.rules.scoring
}
`)
	execSmtpipe(t, exit.Done, "run", "-p", project, "--progress", "none")
	whole := filepath.Join(project, "frozen")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "-o", whole, "--date", "2022-08-10")
	if report := verified(t, exit.Done, whole); len(report.Differences) > 0 || len(report.Unlisted) > 0 {
		t.Fatalf("of a whole folder, verify says %+v", report)
	}
	if python, err := exec.LookPath("python3"); err == nil {
		out, err := exec.Command(python, filepath.Join(whole, "check.py"), whole).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "20002 runs are those of the root") {
			t.Errorf("check.py: %v\n%s", err, out)
		}
	}
	const verdicts = "stages/stage.validate.main/verdicts.csv"
	recompressed := func(change func([]byte) []byte) func([]byte) []byte {
		return func(b []byte) []byte {
			var out bytes.Buffer
			w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
			if _, err := w.Write(change(gunzip(t, b))); err != nil || w.Close() != nil {
				t.Fatal(err)
			}
			return out.Bytes()
		}
	}
	for name, tt := range map[string]struct {
		change func([]byte) []byte
		found  bool
	}{
		"compressed again": {recompressed(func(b []byte) []byte { return b }), false},
		"a digit": {recompressed(func(b []byte) []byte {
			return bytes.Replace(b, []byte("1.25"), []byte("1.35"), 1)
		}), true},
		"a row more":     {recompressed(func(b []byte) []byte { return append(b, b[len(b)-100:]...) }), true},
		"the end":        {func(b []byte) []byte { return b[:len(b)-9] }, true},
		"not compressed": {func([]byte) []byte { return []byte("benchmark\n") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "frozen")
			if err := os.CopyFS(folder, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			damage(t, folder, verdicts+".gz", tt.change, true)
			report := verified(t, exit.Differs, folder)
			got := slices.ContainsFunc(report.Differences, func(d verify.Finding) bool {
				return d.Where == verdicts+".gz" && (strings.Contains(d.What, "the Parquet table next to it") ||
					strings.Contains(d.What, "cannot be unpacked")) // the lock contains digest and size
			})
			if got != tt.found {
				t.Errorf("found %t, want %t: %+v", got, tt.found, report.Differences)
			}
		})
	}
}

// damage changes or removes a file in a frozen folder.
func damage(t *testing.T, folder, name string, change func([]byte) []byte, repair bool) {
	t.Helper()
	path := filepath.Join(folder, filepath.FromSlash(name))
	if change == nil {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(content)
	if bytes.Equal(changed, content) {
		t.Fatalf("%s is not changed", name)
	}
	if err := os.WriteFile(path, changed, 0o666); err != nil {
		t.Fatal(err)
	}
	if !repair {
		return
	}
	list, err := os.ReadFile(filepath.Join(folder, frozen.SumsName))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := frozen.ParseSums(list)
	if err != nil {
		t.Fatal(err)
	}
	sums[name] = cache.DigestOf(changed)
	if err := os.WriteFile(filepath.Join(folder, frozen.SumsName), sums.Encode(), 0o666); err != nil {
		t.Fatal(err)
	}
}
