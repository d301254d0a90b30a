package docsite

import (
	"context"
	"html"
	"image/png"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// made generates this project's site.
func made(t *testing.T) (dir string, pages map[string]string) {
	t.Helper()
	dir = t.TempDir()
	if err := Write(filepath.Join("..", "..", ".."), dir); err != nil {
		t.Fatal(err)
	}
	pages = map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".html" {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		pages[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, pages
}

var (
	reference = regexp.MustCompile(`(href|src)="([^"]*)"`)
	anchor    = regexp.MustCompile(`id="([^"]*)"`)
)

// TestLinks checks that every link on every page leads to a file and a heading in the site, or is an external link for
// a reader to follow, and that nothing is loaded from outside.
func TestLinks(t *testing.T) {
	dir, pages := made(t)
	if len(pages) < 60 {
		t.Errorf("the site has %d pages, and the project has more documents", len(pages))
	}
	ids := map[string]map[string]bool{}
	for name, body := range pages {
		ids[name] = map[string]bool{}
		for _, m := range anchor.FindAllStringSubmatch(body, -1) {
			if ids[name][m[1]] {
				t.Errorf("%s has the id %s twice", name, m[1])
			}
			ids[name][m[1]] = true
		}
	}
	for name, body := range pages {
		for _, m := range reference.FindAllStringSubmatch(body, -1) {
			to := m[2]
			if strings.Contains(to, ":") {
				if m[1] == "src" || strings.Contains(body, "<link rel=\"stylesheet\" href=\""+to) {
					t.Errorf("%s loads %s", name, to)
				}
				continue
			}
			file, id, _ := strings.Cut(to, "#")
			id, _ = url.PathUnescape(id)
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(dir, target)); err != nil {
				t.Errorf("%s: %s is not in the site", name, to)
			} else if id != "" && !ids[target][id] {
				t.Errorf("%s: there is no %s", name, to)
			}
		}
	}
}

// TestNotebooks checks that a notebook's page contains its code, the code's output, and the pictures that it drew.
func TestNotebooks(t *testing.T) {
	dir, pages := made(t)
	for name, words := range map[string][]string{
		"who-won":      {"year.scores()", "QF_LinearIntArith          ┆ Yices2"},
		"one-rule":     {"smtpipe.what_if(", "Z3++  ┆ cvc5   ┆ n          ┆ 10158 : 8303"},
		"better-build": {"smtpipe.compare(", "benchmarks, solved ["},
	} {
		body := html.UnescapeString(pages["docs/notebooks/"+name+".html"])
		for _, word := range append(words, `src="../../images/`+name+`-1.png"`) {
			if !strings.Contains(body, word) {
				t.Errorf("%s has no %s", name, word)
			}
		}
		picture, err := os.Open(filepath.Join(dir, "images", name+"-1.png"))
		if err != nil {
			t.Fatal(err)
		}
		defer picture.Close()
		if _, err := png.Decode(picture); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSame checks that the same documents produce the same bytes.
func TestSame(t *testing.T) {
	a, _ := made(t)
	b, _ := made(t)
	err := fs.WalkDir(os.DirFS(a), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			return err
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if string(x) != string(y) {
			t.Errorf("%s differs", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestBroken checks that all mistakes in the documents are reported together.
func TestBroken(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join("testdata", "broken"))); err != nil {
		t.Fatal(err)
	}
	err := Write(root, t.TempDir())
	if err == nil {
		t.Fatal("a project without most of its documents has a site")
	}
	for _, want := range []string{"docs/start/tutorial.md has a place in the navigation and is not there",
		"docs/new.md has no place in the navigation"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
}

// TestLinksOfDocuments checks links as written in documents.
func TestLinksOfDocuments(t *testing.T) {
	tests := []struct {
		name, link, want string
		keep             bool
	}{
		{"a page beside it", "store.md", "store.html", true},
		{"a heading of it", "store.md#layout", "store.html#layout", true},
		{"a heading of the page", "#slurm", "#slurm", true},
		{"a folder", "../stages/", "../stages/index.html", true},
		{"above", "../../README.md", "../../index.html", true},
		{"the outside", "https://smt-lib.org/", "https://smt-lib.org/", true},
		{"a file that is no page", "../../Makefile", "", false},
	}
	s, err := load(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, keep, err := s.target(s.by["docs/run/clusters.md"], tt.link)
			if err != nil || got != tt.want || keep != tt.keep {
				t.Errorf("%s: %q, %v, %v, want %q, %v", tt.link, got, keep, err, tt.want, tt.keep)
			}
		})
	}
	if _, _, err := s.target(s.by["docs/run/clusters.md"], "gone.md"); err == nil {
		t.Error("a link that leads nowhere is not an error")
	}
	s.links = []link{{"docs/start/faq.md", "docs/run/store.md", "no-such-heading"}}
	if err := s.checkLinks(); err == nil {
		t.Error("a link to a heading that is not there is no error")
	}
}

// TestSearch searches in a browser, from disk, using only the keyboard.
func TestSearch(t *testing.T) {
	program := testkit.Program(t, "chromium")
	dir, _ := made(t)
	ctx, cancel := chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(chromedp.ExecPath(program),
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("no-sandbox", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-background-networking", true), chromedp.WSURLReadTimeout(90*time.Second)))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	// The browser reports the key and its character separately, so the test removes the character again.
	err := chromedp.Do(ctx,
		chromedp.Navigate("file://"+filepath.Join(dir, "docs", "stages", "cap.html")),
		chromedp.WaitVisible(chromedp.CSS("#q")),
		chromedp.KeyEvent("/"), chromedp.KeyEvent(kb.Backspace), chromedp.KeyEvent("early sample"),
		chromedp.WaitVisible(chromedp.CSS(".found li a")))
	if err != nil {
		t.Fatal(err)
	}
	first, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.querySelector(".found li a").href`))
	if err != nil {
		t.Fatal(err)
	}
	err = chromedp.Do(ctx, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS("#early-sample")))
	if err != nil {
		t.Fatal(err)
	}
	at, err := chromedp.Run(ctx, chromedp.Location())
	if err != nil {
		t.Fatal(err)
	}
	const want = "docs/write/randomness.html#early-sample"
	if !strings.HasSuffix(first, want) || !strings.HasSuffix(at, want) {
		t.Errorf("the first result is %s and Enter leads to %s, want %s", first, at, want)
	}
}
