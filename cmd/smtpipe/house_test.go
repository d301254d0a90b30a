package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// house is a project that compares its builds: a bare repository with two commits, the second of which loses a family,
// and an archive with benchmarks.
type house struct {
	*testing.T
	dir, base string
	env       []string
}

// newHouse creates a project. The first commit is two days old.
func newHouse(t *testing.T) *house {
	for _, program := range []string{"bash", "curl", "git", "tar", "zstd"} {
		testkit.Program(t, program)
	}
	h := &house{T: t, dir: everyDay(t, "echo sat\n")}
	program, err := exec.LookPath("smtpipe")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	h.env = []string{"PATH=" + h.dir + "/tools:" + os.Getenv("PATH"), "SMTPIPE_STORE=.smtpipe",
		"BUILD=mkdir build && cp solver.sh build/solver && chmod 755 build/solver", "PROGRAM=build/solver",
		"BENCHMARKS=file://" + h.dir + "/benchmarks.tar.zst?download=1", "SMTPIPE_URL=file://" + program,
		fmt.Sprintf("SMTPIPE_SHA256=%x", sha256.Sum256(content)), "OPTIONS="}
	out, code := h.shell(h.dir, `
tar --zstd -cf 'benchmarks.tar.zst?download=1' non-incremental && cp benchmarks* benchmarks.tar.zst
mkdir tools && printf '#!/bin/sh\n' >tools/apt-get && chmod 755 tools/apt-get
git init -q --bare -b main origin.git && git clone -q origin.git first 2>clone.log && cd first
git config user.name n && git config user.email e@example.org
mkdir -p ci && cp -r "$CI_FOLDER" ci/smtpipe
printf '#!/bin/sh\necho sat\n' >solver.sh
git add . && GIT_COMMITTER_DATE="$(date -d '2 days ago')" git commit -qm Start
printf '#!/bin/sh\ncase $(cat "$1") in *or*) exit;; esac\necho sat\n' >solver.sh
git commit -qam "Be faster" && git push -q origin HEAD:main && git rev-parse HEAD^
`, "CI_FOLDER="+absolute(t, "../../examples/every-day/ci"))
	if code != 0 {
		t.Fatal(out)
	}
	h.base = strings.TrimSpace(out)
	return h
}

func absolute(t *testing.T, path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// shell executes a script as GitLab does.
func (h *house) shell(folder, script string, env ...string) (string, int) {
	cmd := exec.Command("bash", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = folder, append(append(os.Environ(), h.env...), env...)
	out, err := cmd.CombinedOutput()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		h.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// clone clones the project as a runner does.
func (h *house) clone(name string) string {
	if out, code := h.shell(h.dir, "git clone -q origin.git "+name); code != 0 {
		h.Fatal(out)
	}
	return filepath.Join(h.dir, name)
}

// regression checks the findings of a comparison in a clone.
func (h *house) regression(clone, out string, code int) {
	h.Helper()
	if code != exit.Differs {
		h.Fatalf("exit code %d, want %d: %s", code, exit.Differs, out)
	}
	comment, err := os.ReadFile(filepath.Join(clone, "comparison/comment.md"))
	title := `^### Regression: [0-9a-f]+ Start \(A\) and [0-9a-f]+ Be faster \(B\) on 20 benchmarks\n`
	if err != nil || !regexp.MustCompile(title).Match(comment) || strings.Count(string(comment), "\n") > 60 ||
		!strings.Contains(string(comment), "\n- lost: 10, allowed 0\n") {
		h.Errorf("%v: %s", err, comment)
	}
	var report compare.Report
	text, err := os.ReadFile(filepath.Join(clone, "comparison/all.json"))
	if err = errors.Join(err, json.Unmarshal(text, &report)); err != nil || !report.Regression ||
		len(report.Findings) != 10 {
		h.Errorf("%v: %s", err, text)
	}
	if page, err := os.ReadFile(filepath.Join(clone, "comparison/page.html")); err != nil || len(page) < 1000 {
		h.Errorf("%v: %s", err, page)
	}
}

// TestInTheirHouse executes the script, the action and the template in a project.
func TestInTheirHouse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	t.Run("script", func(t *testing.T) {
		h.T = t
		clone := h.clone("script")
		out, code := h.shell(clone, `sh ci/smtpipe/compare.sh "$BASE"`, "BASE="+h.base)
		h.regression(clone, out, code)
		// Comparisons at night use seeds and known commits.
		out, code = h.shell(clone, "HISTORY=ours sh ci/smtpipe/compare.sh")
		h.regression(clone, out, code)
		if page, err := os.ReadFile(filepath.Join(clone, "comparison/history.html")); err != nil ||
			!strings.Contains(string(page), "ours: 2 builds on 20 benchmarks") {
			t.Errorf("%v: %s", err, page)
		}
		if !strings.Contains(out, "At most 200 runs for 5 seeds of 20 benchmarks") ||
			!strings.Contains(out, "The budget of 0.4 core hours is enough for 14 of 20 benchmarks") {
			t.Error(out)
		}
		out, code = h.shell(clone, "sh ci/smtpipe/compare.sh '' "+h.base)
		if code != 0 || !strings.HasPrefix(out, "No commit is newer than a day") {
			t.Errorf("%d: %s", code, out)
		}
		if out, code = h.shell(clone, `sh ci/smtpipe/compare.sh "$BASE"`, "BASE="+h.base, "SMTPIPE_SHA256=0"); code == 0 ||
			code == exit.Differs {
			t.Errorf("another program is executed: %s", out)
		}
	})
	t.Run("GitHub", func(t *testing.T) { h.T = t; h.github() })
	t.Run("GitLab", func(t *testing.T) { h.T = t; h.gitlab() })
}

// readYAML reads a file, or the n-th YAML block in docs/tools/every-day.md.
func (h *house) readYAML(file string, n int, v any) {
	h.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		h.Fatal(err)
	}
	if filepath.Ext(file) == ".md" {
		text = regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)[n][1]
	}
	if err := yaml.Unmarshal(text, v); err != nil {
		h.Fatalf("%s: %v", file, err)
	}
}

const (
	everyDayPage = "../../docs/tools/every-day.md"
	houseFiles   = "../../examples/every-day/ci/"
)

// github executes the action with the inputs from the page's workflow, except the build and the addresses.
func (h *house) github() {
	var action struct {
		Inputs map[string]struct {
			Default  string
			Required bool
		}
		Runs struct {
			Using string
			Steps []step
		}
	}
	h.readYAML(houseFiles+"action.yml", 0, &action)
	var w workflow
	h.readYAML(everyDayPage, 0, &w)
	if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" || action.Runs.Using != "composite" {
		h.Errorf("who executes builds of strangers may %v", w.Permissions)
	}
	values := map[string]string{"github.event.pull_request.base.sha": h.base}
	for name, input := range action.Inputs {
		values["inputs."+name] = input.Default
	}
	use := w.Jobs["compare"].Steps[1]
	given := map[string]string{"build": "BUILD", "program": "PROGRAM", "benchmarks": "BENCHMARKS",
		"smtpipe-url": "SMTPIPE_URL", "smtpipe-sha256": "SMTPIPE_SHA256"}
	for name := range use.With {
		if _, ok := values["inputs."+name]; !ok || given[name] == "" {
			h.Errorf("the workflow gives an input %s", name)
		}
		for _, v := range h.env {
			if value, ok := strings.CutPrefix(v, given[name]+"="); ok {
				values["inputs."+name] = value
			}
		}
	}
	for name, input := range action.Inputs {
		if input.Required && use.With[name] == "" {
			h.Errorf("the workflow does not give the input %s", name)
		}
	}
	clone := h.clone("github")
	env := []string{h.env[0], h.env[1], "GITHUB_ACTION_PATH=" + filepath.Join(clone, use.Uses),
		"GITHUB_STEP_SUMMARY=" + filepath.Join(h.dir, "summary")}
	out, code := executeSteps(h.T, action.Runs.Steps, clone, values, env)
	h.regression(clone, out, code)
	comment, err := os.ReadFile(filepath.Join(clone, "comparison/comment.md"))
	summary, err2 := os.ReadFile(filepath.Join(h.dir, "summary"))
	if err := errors.Join(err, err2); err != nil || string(summary) != string(comment) {
		h.Errorf("%v: %s", err, summary)
	}
	// The commenting job receives the files without their folder.
	gh := "#!/bin/sh\nfor last; do :; done\n{ echo $GH_TOKEN \"$@\"; cat $last; } >said\n"
	folder := filepath.Join(clone, "comparison")
	if err := os.WriteFile(filepath.Join(h.dir, "tools/gh"), []byte(gh), 0o755); err != nil {
		h.Fatal(err)
	}
	if out, ok := w.execute(h.T, "comment", folder, map[string]string{"github.token": "secret",
		"github.event.pull_request.number": "7"}, h.env[0], "GITHUB_REPOSITORY=o/r"); !ok {
		h.Error(out)
	}
	said, err := os.ReadFile(filepath.Join(folder, "said"))
	want := "secret pr comment 7 --repo o/r --edit-last --create-if-none --body-file comment.md\n" + string(comment)
	if err != nil || string(said) != want {
		h.Errorf("%v: %s", err, said)
	}
}

// gitlab executes the template's jobs.
func (h *house) gitlab() {
	type job struct{ Script []string }
	var template map[string]job
	h.readYAML(houseFiles+"gitlab.yml", 0, &template)
	var page struct {
		Include   []map[string]string
		Variables map[string]string
	}
	h.readYAML(everyDayPage, 1, &page)
	for name := range page.Variables {
		if !strings.Contains(strings.Join(h.env, "\n")+"\nPACKAGES=", "\n"+name+"=") {
			h.Errorf("the page sets %s", name)
		}
	}
	clone := h.clone("gitlab")
	if _, err := os.Stat(filepath.Join(clone, page.Include[0]["local"])); err != nil {
		h.Error(err)
	}
	out, code := h.shell(clone, strings.Join(template["smtpipe"].Script, "\n"),
		"CI_MERGE_REQUEST_DIFF_BASE_SHA="+h.base)
	h.regression(clone, out, code)
	var said string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		said = r.URL.Path + " " + r.Header.Get("PRIVATE-TOKEN") + " " + r.FormValue("body")
	}))
	defer server.Close()
	out, code = h.shell(clone, strings.Join(template["smtpipe-comment"].Script, "\n"), "CI_API_V4_URL="+server.URL,
		"COMMENT_TOKEN=secret", "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=7")
	if code != 0 || !strings.HasPrefix(said, "/projects/3/merge_requests/7/notes secret ### Regression: ") {
		h.Errorf("exit code %d, %q: %s", code, said, out)
	}
}
