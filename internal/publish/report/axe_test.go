package report

import (
	"encoding/json"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// violation is an axe-core rule that a page violates.
type violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// TestAccessibilityInBrowser checks every page of a site with axe-core (WCAG 2.1 A and AA, and axe-core's best
// practices). Pages alternate between wide and light, and narrow and dark; with SMTPIPE_LONG, each page is checked in
// all four combinations.
func TestAccessibilityInBrowser(t *testing.T) {
	axe, err := os.ReadFile(filepath.Join(testkit.Npm(t, "axe"), "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	b := startBrowser(t, sample(false))
	type look struct {
		width  int64
		scheme string
	}
	looks, all := []look{{1280, "light"}, {390, "dark"}}, os.Getenv("SMTPIPE_LONG") != ""
	if all {
		looks = append(looks, look{1280, "dark"}, look{390, "light"})
	}
	for turn, look := range looks {
		b.run(chromedp.EmulateViewport(look.width, 900), colorScheme(look.scheme))
		for i, page := range b.pagesOf() {
			if !all && (i%len(looks) != turn || oneOfMany(page)) {
				continue
			}
			switch path.Dir(page) {
			case "run/single_query":
				b.open("run/single_query/Arith.html#solver=alpha&benchmark=" +
					url.QueryEscape("non-incremental/LIA/20260101-family1/bench_001.smt2"))
				b.wait(`document.querySelector("#run")?.textContent.includes("Run key")`)
			case "runs/single_query":
				b.open(page)
				b.wait(`document.querySelectorAll(".grid .line").length > 0`)
				eval[any](b, `document.querySelector(".grid .line").click()`)
				b.wait(`document.querySelector(".detail")?.textContent.includes("Run key")`)
			default:
				b.open(page)
			}
			eval[bool](b, string(axe)+"; true")
			eval[bool](b, `axe.run(document, {resultTypes: ["violations"], preload: false}).then(
				r => { window.found = JSON.stringify(r.violations) }, e => { window.found = String(e) }); true`)
			b.wait("window.found !== undefined")
			text := eval[string](b, "window.found")
			var found []violation
			if err := json.Unmarshal([]byte(text), &found); err != nil {
				t.Fatalf("%s: %s", page, text)
			}
			for _, v := range found {
				for _, n := range v.Nodes {
					t.Errorf("%s, %d px, %s: %s: %s\n%s\n%s", page, look.width, look.scheme, v.ID, v.Help, n.HTML,
						n.Summary)
				}
			}
		}
	}
	b.quiet()
}

// oneOfMany reports whether a page is about a family in a division for which another family's page is tested.
func oneOfMany(page string) bool {
	return path.Dir(path.Dir(path.Dir(page))) == "families" && !strings.Contains(page, "family1")
}
