package main

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// workflow contains what the test needs from a workflow file.
type workflow struct {
	On          map[string]any
	Permissions map[string]string
	Jobs        map[string]struct {
		Env   map[string]string
		Steps []step
	}
}

// step is a step in a job or an action.
type step struct {
	Name, If, Uses, Run string
	With, Env           map[string]string
}

func readWorkflow(t *testing.T, file string) workflow {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var w workflow
	if err := yaml.Unmarshal(data, &w); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return w
}

// execute executes the commands in all of a job's steps as GitHub does, with given values for expressions. It skips
// steps that use an action, whose output must already exist. It returns the output, and whether all steps succeeded.
func (w workflow) execute(t *testing.T, job, folder string, values map[string]string, env ...string) (string, bool) {
	t.Helper()
	env = append(env, withValues(t, w.Jobs[job].Env, values)...)
	out, code := executeSteps(t, w.Jobs[job].Steps, folder, values, env)
	return out, code == 0
}

var expression = regexp.MustCompile(`\$\{\{ *([^}]*?) *\}\}`)

// withValues returns variables in which GitHub's expressions are replaced with values. Of alternatives, the first
// non-empty one counts.
func withValues(t *testing.T, variables, values map[string]string) (env []string) {
	t.Helper()
	for name, value := range variables {
		env = append(env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) (v string) {
			for term := range strings.SplitSeq(expression.FindStringSubmatch(e)[1], " || ") {
				known, ok := values[term]
				if !ok {
					t.Fatalf("%s: no value for %s", name, term)
				}
				v = cmp.Or(v, known)
			}
			return v
		}))
	}
	return env
}

// executeSteps executes the steps' commands, and returns their output and the exit code of the first failing command.
// After a failure, it executes only steps that always run.
func executeSteps(t *testing.T, steps []step, folder string, values map[string]string, env []string) (string, int) {
	t.Helper()
	var out strings.Builder
	code := 0
	for _, step := range steps {
		if step.Run == "" || code != 0 && step.If != "always()" {
			continue
		}
		if expression.MatchString(step.Run) {
			t.Errorf("%s: an expression in a command, where strangers may write", step.Name)
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &out
		cmd.Env = slices.Concat(os.Environ(), env, withValues(t, step.Env, values))
		if err := cmd.Run(); err != nil && code == 0 {
			code = cmd.ProcessState.ExitCode()
		}
	}
	return out.String(), code
}

// submitted returns a submission whose solver archive is on a server.
const submitted = `{
  "name": %q,
  "contributors": ["A. Author"],
  "contacts": ["Ann Secret <secret@private.org>"],
  "archive": {"url": %q},
  "website": "https://solver.example/",
  "system_description": %q,
  "command": ["bin/run"],
  "solver_type": "Standalone",
  "seed": 42,
  "participations": [{"tracks": ["SingleQuery"], "logics": ["QF_UF", "QF_LIA"]}]
}
`

// TestWorkflows checks a pull request that adds three solvers: one correct, one wrong, and one with an invalid
// submission.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	testkit.Program(t, "git")
	testkit.Program(t, "curl")
	testkit.Program(t, "bash")
	dir := t.TempDir()
	if out, err := exec.Command("smtpipe", "check-submission", "--workflows",
		filepath.Join(dir, ".github/workflows")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	check := readWorkflow(t, filepath.Join(dir, ".github/workflows/submissions.yml"))
	comment := readWorkflow(t, filepath.Join(dir, ".github/workflows/submissions-comment.yml"))
	if len(check.Permissions) != 1 || check.Permissions["contents"] != "read" || check.On["pull_request"] == nil {
		t.Errorf("who executes solvers of strangers may %v, on %v", check.Permissions, check.On)
	}

	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	shell := func(script string) {
		t.Helper()
		cmd := exec.Command("bash", "-eu", "-c", script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	shell(`mkdir -p repo/submissions bin tools`)
	write("bin/run", "#!/bin/sh\nif grep -q '(assert (not' \"$1\"; then echo unsat; else echo sat; fi\n")
	shell(`tar czf right.tar.gz bin`)
	write("bin/run", "#!/bin/sh\necho sat\n")
	shell(`tar czf wrong.tar.gz bin`)
	write("repo/submissions/old.json", fmt.Sprintf(submitted, "Old", server.URL+"/none.tar.gz", server.URL))
	shell(`cd repo; git init -q .; git config user.email a@b.org; git config user.name A
git add -A; git commit -qm base; git checkout -q -b theirs`)
	write("repo/submissions/right one.json", fmt.Sprintf(submitted, "Right", server.URL+"/right.tar.gz", server.URL))
	shell(`cd repo; git add -A; git commit -qm right; git checkout -q --detach HEAD~1; git merge -q --no-ff -m merge theirs`)

	summary := filepath.Join(dir, "summary.md")
	program, err := exec.LookPath("smtpipe")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"vars.SMTPIPE_URL": "file://" + program, "vars.SMTPIPE_SHA256": digestOf(t, program),
		"vars.SMTPIPE_RULES": "2026"}
	repo := filepath.Join(dir, "repo")
	out, ok := check.execute(t, "check", repo, values, "GITHUB_STEP_SUMMARY="+summary)
	if !ok {
		t.Errorf("the right solver is refused: %s", out)
	}
	text := read(t, summary)
	for _, want := range []string{"### Right: the file follows the rules", "| 4 of 4 correct |",
		"All 4 runs went as they"} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary has no %q: %s", want, text)
		}
	}
	if strings.Contains(text, "Old") {
		t.Errorf("a solver that was there is in the summary: %s", text)
	}

	write("repo/submissions/wrong.json", fmt.Sprintf(submitted, "Wrong", server.URL+"/wrong.tar.gz", server.URL))
	write("repo/submissions/broken.json", strings.Replace(fmt.Sprintf(submitted, "Broken", "https://a.example/b",
		server.URL), "QF_LIA", "QF_LIB", 1))
	shell(`cd repo; git checkout -q theirs; git add submissions; git commit -qm wrong; git checkout -q --detach HEAD~2
git merge -q --no-ff -m merge theirs; rm ` + summary)
	out, ok = check.execute(t, "check", repo, values, "GITHUB_STEP_SUMMARY="+summary)
	if ok || !strings.Contains(out, "::error file=submissions/broken.json,line=11,col=70,title=/participations/0/"+
		"logics/1::unknown logic") {
		t.Errorf("no annotation: %v, %s", ok, out)
	}
	text = read(t, summary)
	for _, want := range []string{"### Right: the file", "### Wrong: the file", "### Broken: 1 problem",
		"2 of 4 correct, **2 wrong**", "unknown logic"} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary has no %q: %s", want, text)
		}
	}
	if strings.Contains(out+text, "private.org") || strings.Contains(out+text, "Secret") {
		t.Errorf("contacts are public: %s\n%s", out, text)
	}

	values["vars.SMTPIPE_SHA256"] = strings.Repeat("0", 64)
	if out, ok := check.execute(t, "check", repo, values, "GITHUB_STEP_SUMMARY="+summary); ok {
		t.Errorf("another program is executed: %s", out)
	}
	testComment(t, comment, dir, text)
}

// testComment uses a program gh that knows one pull request and keeps the comment.
func testComment(t *testing.T, comment workflow, dir, text string) {
	t.Helper()
	gh := `#!/bin/sh
case "$* " in
"api "*" repos/o/r/pulls "*" head=someone:theirs "*) echo 7 ;;
"pr comment 7 --repo o/r --edit-last --create-if-none --body-file "*) cp "$9" said.md ;;
esac
`
	if err := os.WriteFile(filepath.Join(dir, "tools/gh"), []byte(gh), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, ok := comment.On["workflow_run"]; !ok || comment.Permissions["pull-requests"] != "write" {
		t.Errorf("comments are written on %v by who may %v", comment.On, comment.Permissions)
	}
	values := map[string]string{"github.token": "none", "github.event.workflow_run.head_branch": "theirs",
		"github.event.workflow_run.head_repository.owner.login": "someone"}
	repo := filepath.Join(dir, "repo")
	env := []string{"PATH=" + filepath.Join(dir, "tools") + ":" + os.Getenv("PATH"), "GITHUB_REPOSITORY=o/r"}
	if out, ok := comment.execute(t, "comment", repo, values, env...); !ok {
		t.Fatalf("no comment: %s", out)
	}
	if said := read(t, filepath.Join(repo, "said.md")); said != text {
		t.Errorf("the comment is %s, and not the summary %s", said, text)
	}
	values["github.event.workflow_run.head_branch"] = "gone"
	if out, ok := comment.execute(t, "comment", repo, values, env...); !ok || !strings.Contains(out, "someone:gone") {
		t.Errorf("a pull request that is closed: %v, %s", ok, out)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func digestOf(t *testing.T, file string) string {
	t.Helper()
	out, err := exec.Command("sha256sum", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	digest, _, _ := strings.Cut(string(out), " ")
	return digest
}

// TestDeadDescription checks that a system description whose address leads nowhere raises a question. The address is
// checked only with --download.
func TestDeadDescription(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		code, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
		w.WriteHeader(code)
	}))
	defer server.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	file := filepath.Join(t.TempDir(), "s.json")
	for _, row := range []struct{ address, question string }{
		{server.URL + "/200", ""},
		{server.URL + "/403", ""}, // the server rejects programs
		{server.URL + "/404", "there is nothing at " + server.URL + "/404 (404 Not Found); is the address right?"},
		{server.URL + "/410", "there is nothing at " + server.URL + "/410 (410 Gone); is the address right?"},
		{gone.URL + "/d.pdf", "connection refused; is the address right?"},
	} {
		text := fmt.Sprintf(submitted, "S", "https://solver.example/s.tar.gz", row.address)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		asked.Store(0)
		_, said := smtpipe(t, "check-submission", "--no-run", file)
		if asked.Load() > 0 || strings.Contains(said, "is the address right") {
			t.Errorf("%s: without --download, %d requests, %s", row.address, asked.Load(), said)
		}
		_, said = smtpipe(t, "check-submission", "--no-run", "--download", file)
		if question := strings.Contains(said, "s.json:7:25: /system_description: "); question != (row.question != "") ||
			!strings.Contains(said, row.question) {
			t.Errorf("%s: %s", row.address, said)
		}
	}
}
