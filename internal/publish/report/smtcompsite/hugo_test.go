package smtcompsite

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// hugoSite returns the folder of the test's Hugo site, including the generated files.
func hugoSite(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/hugo")); err != nil {
		t.Fatal(err)
	}
	for path, data := range files {
		below, isWeb := strings.CutPrefix(path, "web/")
		if !isWeb {
			continue
		}
		path = filepath.Join(dir, filepath.FromSlash(below))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// hugo builds a site. It returns the pages by address, and Hugo's output.
func hugo(t *testing.T, dir string) (pages map[string]string, said string, err error) {
	t.Helper()
	out := filepath.Join(dir, "public")
	command := exec.Command(testkit.Hugo(t), "--source", dir, "--destination", out)
	command.Env = append(os.Environ(), "HUGO_CACHEDIR="+filepath.Join(dir, "cache"), "HOME="+dir)
	text, err := command.CombinedOutput()
	if err != nil {
		return nil, string(text), err
	}
	pages = map[string]string{}
	err = filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "index.html" {
			return err
		}
		address, err := filepath.Rel(out, filepath.Dir(path))
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		pages["/"+strings.TrimPrefix(filepath.ToSlash(address)+"/", "./")] = string(data)
		return err
	})
	return pages, string(text), err
}

var (
	linkTo     = regexp.MustCompile(`href="?([^" >]+)`)
	stepOfPage = regexp.MustCompile(`class="?step`)
)

// TestHugo builds the site with the test's templates, which read the same keys as the official site's templates and
// fail if a key is missing.
func TestHugo(t *testing.T) {
	all := files(t, sample())
	pages, said, err := hugo(t, hugoSite(t, all))
	if err != nil || strings.Contains(said, "ERROR") || strings.Contains(said, "WARN") {
		t.Fatalf("%v\n%s", err, said)
	}
	results := 0
	for path, data := range all {
		name, ok := strings.CutPrefix(path, pagesFolder)
		if !ok {
			continue
		}
		results++
		built, ok := pages["/results/"+strings.TrimSuffix(name, ".md")+"/"]
		if !ok {
			t.Errorf("%s was not built", path)
		}
		if got, want := len(stepOfPage.FindAllString(built, -1)), countSteps(t, data); got != want {
			t.Errorf("%s has %d lines, want %d", path, got, want)
		}
	}
	if want := results + 3; len(pages) != want { // plus home, overview and participants
		t.Errorf("%d pages, want %d", len(pages), want)
	}
	for address, built := range pages {
		for _, m := range linkTo.FindAllStringSubmatch(built, -1) {
			if _, ok := pages[m[1]]; !ok {
				t.Errorf("%s links to %s, which is not there", address, m[1])
			}
		}
	}
	for _, name := range []string{"results-parallel", "best-overall-single-query", "biggest-lead-single-query",
		"largest-contribution-parallel", "qf_bitvec-parallel", "qf_bitvec-single-query",
		"qf_equality_lineararith-single-query"} {
		if !strings.Contains(pages["/results/"], `href="/results/`+name+`/"`) {
			t.Errorf("the overview does not link %s:\n%s", name, pages["/results/"])
		}
	}
	if participants := pages["/participants/"]; strings.Count(participants, "participant") != 3 ||
		!strings.Contains(participants, "Zoë, B. &#34;C&#34;") ||
		!strings.Contains(participants, "&lt;b&gt;&amp;&#34;Q_1&#34; 100% #2&lt;/b&gt; (32 cores)") {
		t.Errorf("participants:\n%s", participants)
	}
}

// countSteps counts the solvers in all lists of a page.
func countSteps(t *testing.T, data string) int {
	var page map[string]any
	if err := json.Unmarshal([]byte(data), &page); err != nil {
		t.Fatal(err)
	}
	var count func(v any) int
	count = func(v any) int {
		n := 0
		switch v := v.(type) {
		case map[string]any:
			if _, ok := v["name"]; ok {
				return 1
			}
			for _, x := range v {
				n += count(x)
			}
		case []any:
			for _, x := range v {
				n += count(x)
			}
		}
		return n
	}
	return count(page)
}

// TestHugoMissesWhatIsMissing checks that TestHugo would detect a missing key.
func TestHugoMissesWhatIsMissing(t *testing.T) {
	all := files(t, sample())
	for _, test := range []struct{ name, file, from, to, want string }{
		{"participants", "web/data/participants.json", "", "", "data/participants.json is missing"},
		{"a key of a page", "web/content/results/qf_bv-parallel.md", `"n_benchmarks"`, `"benchmarks"`,
			"lacks n_benchmarks"},
		{"a key of a step", "web/content/results/qf_bv-parallel.md", `"CPUScore"`, `"cpuscore"`, "lacks CPUScore"},
		{"a null", "web/content/results/biggest-lead-parallel.md", `"winner_24s": "-"`, `"winner_24s": null`,
			"lacks winner_24s"},
		{"the list of the summary", "web/content/results/results-parallel.md", `"divisions": [`, `"division": [`,
			"lacks divisions"},
		{"the page of a logic", "web/content/results/qf_bv-parallel.md", "", "",
			"there is no page /results/qf_bv-parallel"},
	} {
		t.Run(test.name, func(t *testing.T) {
			changed := maps.Clone(all)
			changed[test.file] = strings.Replace(all[test.file], test.from, test.to, 1)
			switch {
			case test.from == "":
				delete(changed, test.file)
			case changed[test.file] == all[test.file]:
				t.Fatalf("%s has no %s", test.file, test.from)
			}
			_, said, err := hugo(t, hugoSite(t, changed))
			if err == nil || !strings.Contains(said, test.want) {
				t.Errorf("got %v, want ...%s...\n%s", err, test.want, said)
			}
		})
	}
}
