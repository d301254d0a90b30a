package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/examples/quickstart"
)

// slowPipeline takes long enough to be watched: one solver waits for a file, and the other fails immediately.
const slowPipeline = `
stage "fetch" "library" {
  path = "release"
  only = ["QF_UF"]
}
stage "index" "library" { source = stage.fetch.library.files }
stage "scramble" "main" {
  benchmarks = stage.index.library.benchmarks
  track      = "single_query"
  seed       = 7
}
solver "waits" { command = ["./waits.sh"] }
solver "fails" { command = ["./fails.sh"] }
executor "local" "here" { isolation = "none" }
stage "execute" "main" {
  scripts  = stage.scramble.main.scripts
  solvers  = solver
  keep_failing = true
  track    = "single_query"
  executor = executor.local.here
  limits {
    wall_time = "60s"
    memory    = "500MB"
  }
}
stage "validate" "main" {
  runs       = stage.execute.main.runs
  benchmarks = stage.index.library.benchmarks
}
stage "score" "main" {
  verdicts = stage.validate.main.verdicts
  rules    = "2026"
}
stage "report" "site" {
  year     = 2026
  scores   = [stage.score.main.scores]
  verdicts = [stage.validate.main.verdicts]
  runs     = [stage.execute.main.runs]
}
`

// TestServeFollowsRun serves a competition before it starts, while it runs and after it has ended.
func TestServeFollowsRun(t *testing.T) {
	const total = 120 // 60 benchmarks in QF_UF and two solvers
	dir := t.TempDir()
	if err := os.CopyFS(dir, quickstart.Files); err != nil {
		t.Fatal(err)
	}
	gate := filepath.Join(dir, "gate")
	write(t, filepath.Join(dir, "competition.hcl"), slowPipeline, 0o666)
	// The first ten runs pass; the others wait until the gate exists.
	write(t, filepath.Join(dir, "waits.sh"), "#!/bin/sh\necho >> "+gate+".count\n[ $(wc -l < "+gate+
		".count) -le 10 ] || while ! [ -e "+gate+" ]; do sleep 0.05; done\necho unsat\n", 0o777)
	write(t, filepath.Join(dir, "fails.sh"), "#!/bin/sh\nexit 3\n", 0o777)

	base, stop := startServe(t, dir)
	p := getProgress(t, base)
	if !p.Running || p.Done != 0 || !p.More {
		t.Errorf("before the run: %+v, want a competition that is not done", p)
	}
	run := exec.Command("smtpipe", "run", "-p", dir, "--progress", "none", "-j", "2")
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { run.Process.Kill() })

	p = waitProgress(t, base, func(p progressReply) bool { return p.Done >= 10 })
	// Wrong answers on the first site may precede the failures.
	failed := func(line string) bool { return strings.Contains(line, "exit code 3") }
	if !p.Running || p.Total != total || p.Failed == 0 || !slices.ContainsFunc(p.Failures, failed) {
		t.Errorf("while it runs: %+v, want %d runs in total and failures with exit code 3", p, total)
	}
	if len(p.Divisions) != 1 || p.Divisions[0].Total != "120" || p.Divisions[0].Left == "–" {
		t.Errorf("while it runs: divisions %+v, want one of 120 runs with the time left", p.Divisions)
	}
	waitPage(t, base, "index.html", func(page string) bool { return strings.Contains(page, `<th scope="row">QF_UF</th>`) })
	waitPage(t, base, "tracks/single_query.html", func(page string) bool {
		return strings.Contains(page, "Partial results") && strings.Contains(page, "waits")
	})
	if out, err := exec.Command("smtpipe", "report", "-p", dir, "-o", filepath.Join(dir, "partial"),
		"--partial").CombinedOutput(); err != nil || !strings.Contains(string(out), "of 120 runs are done") {
		t.Errorf("report --partial: %v\n%s", err, out)
	}
	if out, err := exec.Command("smtpipe", "report", "-p", dir, "-o",
		filepath.Join(dir, "whole")).CombinedOutput(); err == nil || !strings.Contains(string(out), "--partial") {
		t.Errorf("report of a competition that runs: %v\n%s", err, out)
	}

	write(t, gate, "", 0o666)
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	waitProgress(t, base, func(p progressReply) bool { return !p.Running })
	waitPage(t, base, "tracks/single_query.html", func(page string) bool {
		return !strings.Contains(page,
			"Partial results")
	})
	stop()
	checkNothingLeft(t, filepath.Join(dir, ".smtpipe", "tmp"))
}

// startServe starts the server on a free port. stop interrupts the server and requires that it ends normally and soon.
func startServe(t *testing.T, dir string) (base string, stop func()) {
	t.Helper()
	cmd := exec.Command("smtpipe", "serve", "-p", dir, "--addr", "127.0.0.1:0", "--refresh", "100ms")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("serve gave no address: %v\n%s", err, stderr.String())
	}
	return strings.TrimSpace(line), func() {
		t.Helper()
		cmd.Process.Signal(os.Interrupt)
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("serve ended with %v\n%s", err, stderr.String())
			}
		case <-time.After(10 * time.Second):
			t.Error("serve does not end")
		}
	}
}

type progressReply struct {
	Running  bool
	More     bool
	Done     int64
	Total    int64
	Failed   int64
	Note     string
	Failures []string

	Divisions []struct{ Done, Total, Left string }
}

func getProgress(t *testing.T, base string) (p progressReply) {
	t.Helper()
	if err := json.Unmarshal([]byte(get(t, base, "progress.json")), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func waitProgress(t *testing.T, base string, enough func(progressReply) bool) progressReply {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		p := getProgress(t, base)
		if enough(p) {
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("the progress stays at %+v", p)
		}
	}
}

// waitPage waits until a page exists and has the expected content. It must wait because the site is rebuilt less often
// than runs are counted.
func waitPage(t *testing.T, base, path string, wanted func(string) bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		status, page := ask(t, base, path)
		if status == http.StatusOK && wanted(page) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s stays as it is, with status %d:\n%.600s", path, status, page)
		}
	}
}

// get requests an existing page.
func get(t *testing.T, base, path string) string {
	t.Helper()
	status, body := ask(t, base, path)
	if status != http.StatusOK {
		t.Fatalf("GET %s: %d\n%s", path, status, body)
	}
	return body
}

// ask checks the properties that every response must have.
func ask(t *testing.T, base, path string) (status int, text string) {
	t.Helper()
	r, err := http.Get(base + path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	if r.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(r.Header.Get("Content-Security-Policy"),
		"default-src 'none'") {
		t.Errorf("GET %s has the headers %v", path, r.Header)
	}
	return r.StatusCode, string(body)
}

// TestServeRefuses sends requests that the server must reject.
func TestServeRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, quickstart.Files); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "competition.hcl"), slowPipelineWithTrue(), 0o666)
	base, stop := startServe(t, dir)
	defer stop()
	tests := []struct {
		name, method, host string
		status             int
	}{
		{"a write", http.MethodPost, "", http.StatusMethodNotAllowed},
		{"another host", http.MethodGet, "evil.example", http.StatusMisdirectedRequest},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := http.NewRequest(test.method, base, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Host = test.host
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != test.status {
				t.Errorf("status %d, want %d", answer.StatusCode, test.status)
			}
		})
	}
}

// slowPipelineWithTrue returns slowPipeline with solvers that every machine provides.
func slowPipelineWithTrue() string {
	return strings.NewReplacer("./waits.sh", "true", "./fails.sh", "false").Replace(slowPipeline)
}

func checkNothingLeft(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "work-") {
			t.Errorf("%s is left in the store's temporary folder", e.Name())
		}
	}
}
