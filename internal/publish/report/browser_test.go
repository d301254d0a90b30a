package report

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// browser is a headless Chromium that shows a site from a folder, through file://.
type browser struct {
	t      *testing.T
	ctx    context.Context
	folder string
	mu     sync.Mutex
	noise  []string // console errors
}

// chromium is the context of a Chromium that all tests of this package share, each with a tab with its own storage.
var chromium struct {
	once   sync.Once
	ctx    context.Context
	err    error
	folder string // of its user's data
}

// TestMain ends the browser that the tests used.
func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.ctx != nil {
		if err := chromedp.Cancel(chromium.ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.RemoveAll(chromium.folder)
	}
	os.Exit(code)
}

func startChromium(program string) {
	if chromium.folder, chromium.err = os.MkdirTemp("", "chromium"); chromium.err != nil {
		return
	}
	chromium.ctx, _ = chromedp.NewContext(context.Background(), chromedp.WithAllocatorOptions(
		chromedp.ExecPath(program), chromedp.UserDataDir(chromium.folder),
		chromedp.Flag("no-sandbox", true), chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("force-device-scale-factor", "1"), chromedp.Flag("font-render-hinting", "none"),
		chromedp.WSURLReadTimeout(90*time.Second)))
	chromium.err = chromedp.Do(chromium.ctx) // the first call starts Chromium
}

// startBrowser returns a browser that shows the input's site. It skips the test if there is no Chromium.
func startBrowser(t *testing.T, in *Input) *browser {
	t.Helper()
	b := openBrowser(t)
	b.folder = t.TempDir()
	in.Evidence = map[string]any{"versions": []any{}} // a published site contains evidence
	sink, err := openDir(b.folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(context.Background(), sink, in); err != nil {
		t.Fatal(err)
	}
	if err := sink.Close(); err != nil {
		t.Fatal(err)
	}
	return b
}

// openBrowser returns a browser without a site. It skips the test if there is no Chromium.
func openBrowser(t *testing.T) *browser {
	t.Helper()
	program := testkit.Program(t, "chromium")
	chromium.once.Do(func() { startChromium(program) })
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	b := &browser{t: t}
	ctx, cancel := chromedp.NewContext(chromium.ctx, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	b.ctx, cancel = context.WithTimeout(ctx, 8*time.Minute)
	t.Cleanup(cancel)
	messages := chromedp.Console(b.ctx)
	go b.listen(messages)
	b.run(chromedp.EmulateViewport(1280, 900))
	return b
}

// listen records the console's errors and warnings until the browser ends.
func (b *browser) listen(messages iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range messages {
		if err != nil {
			return
		}
		if m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning {
			b.mu.Lock()
			b.noise = append(b.noise, m.String())
			b.mu.Unlock()
		}
	}
}

func (b *browser) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open loads a page of the site. The page's name may include # and a fragment.
func (b *browser) open(name string) {
	b.t.Helper()
	file, hash, _ := strings.Cut(name, "#")
	u := url.URL{Scheme: "file", Path: filepath.Join(b.folder, file)}
	address := u.String()
	if hash != "" {
		address += "#" + hash
	}
	b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(address), chromedp.WaitReady(chromedp.CSS("main")))
}

// eval returns an expression's value.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%.200s: %v", expression, err)
	}
	return v
}

// wait polls a condition for at most a minute.
func (b *browser) wait(condition string) {
	b.t.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](condition, chromedp.WithPollingInterval(100*time.Millisecond),
		chromedp.WithPollingTimeout(time.Minute))); err != nil {
		b.t.Fatalf("waiting for %s: %v", condition, err)
	}
}

func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.noise {
		b.t.Errorf("the console says %s", n)
	}
	b.noise = nil
}

// pagesOf lists the folder's HTML files.
func (b *browser) pagesOf() []string {
	var names []string
	err := filepath.WalkDir(b.folder, func(p string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(p, ".html") {
			rel, _ := filepath.Rel(b.folder, p)
			names = append(names, rel)
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return names
}

// TestHostileTextsInBrowser opens every page of a site whose texts try to run scripts, narrow and wide. No script may
// run, and no page may scroll sideways, contain a broken image, or write to the console.
func TestHostileTextsInBrowser(t *testing.T) {
	b := startBrowser(t, sample(true))
	widths := []int64{1280, 390}
	for _, name := range b.pagesOf() {
		slices.Reverse(widths) // every second page is loaded narrow
		b.run(chromedp.EmulateViewport(widths[0], 900))
		b.open(name)
		if strings.HasPrefix(name, "runs/") {
			b.wait(`document.querySelectorAll(".grid .line").length > 5`)
			eval[any](b, `document.querySelector(".grid .line").click()`)
			b.wait(`document.querySelector(".detail pre, .detail code") !== null`)
		}
		for _, width := range widths {
			b.run(chromedp.EmulateViewport(width, 900))
			if over := eval[int](b,
				`document.documentElement.scrollWidth - document.documentElement.clientWidth`); over > 0 {
				t.Errorf("%s at %d px: the page is %d px too wide", name, width, over)
			}
		}
		if eval[bool](b, `"hacked" in window`) {
			t.Errorf("%s: a text of the input was run", name)
		}
		if n := eval[int](b,
			`document.querySelectorAll("main script, main img[onerror], main svg[onload], [onmouseover]").length`); n != 0 {
			t.Errorf("%s: %d elements were made of texts", name, n)
		}
		if n := eval[int](b,
			`Array.from(document.images).filter((i) => i.complete && i.loading !== "lazy" && i.naturalWidth === 0).length`); n != 0 {
			t.Errorf("%s: %d pictures are broken", name, n)
		}
	}
	b.quiet()
}

func TestTablesInBrowser(t *testing.T) {
	b := startBrowser(t, sample(false))
	b.open("divisions/single_query/QF_Bitvec.html")
	if n := eval[int](b, `document.querySelectorAll("[role=tab]").length`); n != 4 {
		t.Errorf("%d tabs, want one per view", n)
	}
	names := `Array.from(document.querySelectorAll(".tab:not([hidden]) tbody th a")).map((a) => a.textContent).join(" ")`
	if got := eval[string](b, names); got != "alpha Beta gamma-wide delta" {
		t.Errorf("ranking %q", got)
	}
	heading := func(text string) string {
		return fmt.Sprintf(
			`Array.from(document.querySelectorAll(".tab:not([hidden]) thead button")).find((x) => x.textContent === %q).click()`, text)
	}
	eval[any](b, heading("Solver"))
	if got := eval[string](b, names); got != "alpha Beta delta gamma-wide" {
		t.Errorf("sorted by name %q", got)
	}
	eval[any](b, heading("CPU time"))
	eval[any](b, heading("CPU time"))
	if got := eval[string](b, names); got != "alpha Beta gamma-wide delta" {
		t.Errorf("sorted by CPU time, ascending after two clicks: %q", got)
	}
	if got := eval[string](b,
		`document.querySelector(".tab:not([hidden]) th[aria-sort]").getAttribute("aria-sort")`); got != "ascending" {
		t.Errorf("aria-sort is %q", got)
	}
	b.run(chromedp.Focus(chromedp.CSS(`[role=tab][aria-selected=true]`)), chromedp.KeyEvent(kb.ArrowRight))
	if got := eval[string](b, `document.querySelector(".tab:not([hidden])").dataset.title`); got != "Sequential" {
		t.Errorf("after the arrow key the view is %q", got)
	}
	b.open("benchmarks/single_query.html")
	eval[any](b,
		`(() => { const f = document.querySelector("input[data-filter=families]"); f.value = "qf_bv family2"; f.dispatchEvent(new Event("input")); })()`)
	if got := eval[string](b, `document.querySelector("output[data-count=families]").textContent`); got != "1 of 9" {
		t.Errorf("filtered families: %q", got)
	}
	b.quiet()
}

func TestPlotsInBrowser(t *testing.T) {
	b := startBrowser(t, sample(false))
	b.open("divisions/single_query/Arith.html")
	eval[any](b, `document.querySelector(".plots").scrollIntoView()`)
	b.wait(`document.querySelectorAll("figure[data-drawn=true]").length === 1 || (document.querySelector("figure[data-plot]:not([data-drawn])")?.scrollIntoView(), document.querySelectorAll("figure[data-drawn=true]").length === 3)`)
	b.wait(`document.querySelectorAll("figure[data-drawn=true]").length === 3`)
	// An empty canvas would have a single colour.
	ink := `Array.from(document.querySelectorAll(".plot canvas")).map((c) => { const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; const s = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200) s.add((d[i] << 16) | (d[i + 1] << 8) | d[i + 2]); return s.size; })`
	for i, n := range eval[[]int](b, ink) {
		if n < 5 {
			t.Errorf("plot %d has %d colours", i, n)
		}
	}
	// alpha solves 20 of 40 benchmarks (k odd), beta 26 (k%3 != 0). Both solve the odd k that are not multiples of 3:
	// 20 - 7 = 13.
	note := `document.querySelector("figure[data-plot=scatter] .note").textContent`
	for _, pair := range []struct{ x, y, want string }{{"alpha", "Beta", "13 solved by both, 7 only by alpha, 13 " +
		"only by Beta."}} {
		eval[any](b,
			fmt.Sprintf(
				`(() => { const s = document.querySelectorAll("figure[data-plot=scatter] select"); for (const [e, v] of [[s[0], %q], [s[1], %q]]) { e.value = Array.from(e.options).find((o) => o.textContent === v).value; e.dispatchEvent(new Event("change")); } })()`, pair.x, pair.y))
		if got := eval[string](b, note); !strings.HasPrefix(got, pair.want) {
			t.Errorf("note %q, want %q", got, pair.want)
		}
	}
	// The VBS solves every benchmark that any solver solves: benchmark k is solved by beta unless it is divisible by 3,
	// otherwise by alpha if it is odd, by gamma unless it is divisible by 4, or by delta unless it is divisible by 5.
	// All fail only on k = 0.
	eval[any](b, `(() => { const e = document.querySelectorAll("figure[data-plot=scatter] select")[1]; e.value = "-1"; e.dispatchEvent(new Event("change")); })()`)
	if got := eval[string](b, note); !strings.HasPrefix(got, "20 solved by both, 0 only by alpha, 19 only by VBS.") {
		t.Errorf("against the VBS: %q", got)
	}
	legend := `Array.from(document.querySelectorAll("figure[data-plot=cactus] .legend button")).map((b) => b.textContent).join(" ")`
	if got := eval[string](b, legend); got != "alpha Beta delta gamma-wide VBS" {
		t.Errorf("legend %q", got)
	}
	// Clicking on a line opens the run of the clicked point.
	eval[any](b, `document.querySelector("figure[data-plot=cactus]").scrollIntoView()`)
	over := eval[[]float64](b, `(() => { const r = document.querySelector("figure[data-plot=cactus] .u-over").getBoundingClientRect(); `+
		`return [r.left, r.top, r.width, r.height]; })()`)
	for y := over[1] + 2; y < over[1]+over[3]; y += 8 {
		b.run(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, over[0]+over[2]/2, y))
		if eval[bool](b, `document.querySelector("figure[data-plot=cactus] .u-over").style.cursor === "pointer"`) {
			b.run(chromedp.MouseClickXY(over[0]+over[2]/2, y))
			break
		}
	}
	b.run(chromedp.WaitReady(chromedp.CSS("#run tr.winner")))
	b.quiet()
}

func TestExplorerInBrowser(t *testing.T) {
	b := startBrowser(t, sample(false))
	b.open("runs/single_query/QF_Bitvec.html#solver=gamma-wide&verdict=wrong")
	b.wait(`document.querySelectorAll(".grid .line").length > 0`)
	count := `document.querySelector(".filters output").textContent`
	if got := eval[string](b, count); got != "4 of 320 runs" {
		t.Errorf("wrong answers of gamma-wide: %q, want 2 in each of 2 logics", got)
	}
	b.run(chromedp.Click(chromedp.CSS(".grid .line")))
	b.wait(`document.querySelector(".detail")?.textContent.includes("Run key")`)
	detail := eval[string](b, `document.querySelector(".detail").textContent`)
	for _, want := range []string{"gamma-wide", "wrong (contradicts the status)", "./gamma-wide --smt2",
		"30.0 GB memory", "4 cores", fakeDigest(9001)} {
		if !strings.Contains(detail, want) {
			t.Errorf("the details do not say %q:\n%s", want, detail)
		}
	}
	eval[any](b,
		`(() => { for (const s of document.querySelectorAll(".filters select")) { s.value = ""; s.dispatchEvent(new Event("change")); } })()`)
	if got := eval[string](b, count); got != "320 of 320 runs" {
		t.Errorf("without filters: %q", got)
	}
	eval[any](b,
		`Array.from(document.querySelectorAll(".head button")).find((x) => x.textContent.startsWith("Memory")).click()`)
	first := `Array.from(document.querySelectorAll(".grid .line")).sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))[0].textContent`
	// The memory of delta (factor 4) on benchmark 39 is 4 * (39 + 10) MB.
	if got := eval[string](b, first); !strings.Contains(got, "bench_039") || !strings.HasSuffix(got, "196 MB") {
		t.Errorf("the greatest memory is in %q", got)
	}
	if n := eval[int](b, `document.querySelectorAll(".grid .line").length`); n >= 100 {
		t.Errorf("%d rows are in the page at one time", n)
	}
	b.run(chromedp.Focus(chromedp.CSS(".grid")), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown),
		chromedp.KeyEvent(kb.End))
	if got := eval[string](b, `document.querySelector(".grid .line.current")?.id ?? ""`); got != "row-319" {
		t.Errorf("the End key leads to %q", got)
	}
	b.quiet()
}

// TestRunInBrowser opens a run's page by its address, and then another run from that page.
func TestRunInBrowser(t *testing.T) {
	b := startBrowser(t, sample(false))
	benchmark := "non-incremental/LIA/20260101-family1/bench_001.smt2"
	page := "run/single_query/Arith.html#solver=gamma-wide&benchmark="
	b.open(page + url.QueryEscape(benchmark))
	b.wait(`document.querySelector("#run")?.textContent.includes("Run key")`)
	text := eval[string](b, `document.querySelector("#run").textContent`)
	for _, want := range []string{benchmark, "wrong (contradicts the status)", "./gamma-wide --smt2", "0.125 s wall",
		"1200 s wall, 4800 s CPU, 30.0 GB memory, 4 cores", "truncated", "Intel Xeon E5-2620 v4", "cgroup",
		"2026-05-01T12:00:00Z, smtpipe 1.0.0", fakeDigest(9001),
		"smtpipe logs --script 'stage.execute.single_query::" + benchmark + "@gamma-wide'",
		"/' 'stage.execute.single_query::" + benchmark + "@gamma-wide'"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	rows := `Array.from(document.querySelectorAll("#run tbody tr")).map((r) => r.cells[0].textContent + " " + r.cells[2].textContent).join(", ")`
	if got := eval[string](b, rows); got != "Beta correct, alpha correct, delta correct, gamma-wide wrong" {
		t.Errorf("the runs of the benchmark: %q", got)
	}
	eval[any](b, `document.querySelector("#run tbody a").click()`)
	b.wait(`document.querySelector("#run tr.winner")?.cells[0].textContent === "Beta"`)
	if got := eval[string](b, "document.title"); got != "Beta on "+benchmark {
		t.Errorf("title %q", got)
	}
	for hash, want := range map[string]string{"": "names no run", "#benchmark=a&solver=b": "has no run of b on a"} {
		b.open("run/single_query/Arith.html" + hash)
		b.wait(fmt.Sprintf(`document.querySelector("#run .notice")?.textContent.includes(%q)`, want))
	}
	b.quiet()
}

// TestPagesDoNotShiftInBrowser loads pages and measures how much their content moves by itself (cumulative layout
// shift, of which Core Web Vitals considers up to 0.1 good).
func TestPagesDoNotShiftInBrowser(t *testing.T) {
	b := startBrowser(t, sample(false))
	for _, name := range []string{"index.html", "divisions/single_query/Arith.html", "runs/single_query/Arith.html",
		"solvers/gamma-wide.html"} {
		b.open(name)
		if strings.HasPrefix(name, "divisions/") {
			b.wait(`(document.querySelector("figure[data-plot]:not([data-drawn])")?.scrollIntoView(), document.querySelectorAll("figure[data-drawn=true]").length === 3)`)
		}
		shift := eval[float64](b,
			`(() => { let sum = 0; const o = new PerformanceObserver(() => {}); o.observe({ type: "layout-shift", buffered: true }); for (const e of o.takeRecords()) sum += e.value; return sum; })()`)
		if shift > 0.1 {
			t.Errorf("%s shifts by %.3f", name, shift)
		}
		t.Logf("%s shifts by %.3f", name, shift)
	}
}

// TestExplorerIsFluid sorts, filters and scrolls 110,069 runs.
func TestExplorerIsFluid(t *testing.T) {
	if os.Getenv("SMTPIPE_SCALE") != "1" {
		t.Skip("takes a while; set SMTPIPE_SCALE=1")
	}
	b := startBrowser(t, official2022(t))
	b.open("runs/single_query/QF_NonLinearIntArith.html")
	b.wait(`document.querySelectorAll(".grid .line").length > 5`)
	for name, action := range map[string]string{
		"sort by wall time": `Array.from(document.querySelectorAll(".head button")).find((x) => x.textContent.startsWith("Wall")).click()`,
		"filter by verdict": `(() => { const s = document.getElementById("by-verdict"); s.selectedIndex = 1; s.dispatchEvent(new Event("change")); })()`,
		"scroll":            `document.querySelector(".grid").scrollTop = 500000`,
	} {
		ms := eval[float64](b, `(() => { const t = performance.now(); `+action+`; return performance.now() - t; })()`)
		t.Logf("%s of 110,069 runs: %.0f ms", name, ms)
		if ms > 1000 {
			t.Errorf("%s takes %.0f ms", name, ms)
		}
	}
	b.open("index.html")
	load := eval[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("the overview loads in %.0f ms", load)
	if load > 1000 {
		t.Errorf("the overview loads in %.0f ms, want at most 1 s", load)
	}
}

// TestScreenshots compares pages with reviewed images. SMTPIPE_UPDATE=1 replaces the images. Because fonts differ
// between machines, it compares only the mean colours of 16-pixel blocks.
func TestScreenshots(t *testing.T) {
	b := startBrowser(t, sample(false))
	shots := []struct{ name, page string }{
		{"overview", "index.html"}, {"track", "tracks/single_query.html"},
		{"division", "divisions/single_query/QF_Bitvec.html"},
		{"solver", "solvers/gamma-wide.html"}, {"runs", "runs/single_query/QF_Bitvec.html"},
		{"run", "run/single_query/Arith.html#solver=gamma-wide&benchmark=" +
			url.QueryEscape("non-incremental/LIA/20260101-family1/bench_001.smt2")},
		{"provenance", "provenance.html"},
	}
	for _, mode := range []string{"light", "dark"} {
		for _, width := range []int64{1280, 390} {
			if mode == "dark" && width == 390 {
				continue
			}
			b.run(chromedp.EmulateViewport(width, 900), colorScheme(mode))
			for _, s := range shots {
				b.open(s.page)
				if s.name == "division" {
					b.wait(`(document.querySelector("figure[data-plot]:not([data-drawn])")?.scrollIntoView(), document.querySelectorAll("figure[data-drawn=true]").length === 3)`)
					eval[any](b, `window.scrollTo(0, 0)`)
				}
				if s.name == "run" {
					b.wait(`document.querySelector("#run")?.textContent.includes("Run key")`)
				}
				if s.name == "runs" {
					b.wait(`document.querySelectorAll(".grid .line").length > 5`)
					eval[any](b, `document.querySelectorAll(".grid .line")[2].click()`)
					b.wait(`document.querySelector(".detail")?.textContent.includes("Run key")`)
				}
				shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
				if err != nil {
					t.Fatal(err)
				}
				compareShot(t, fmt.Sprintf("%s-%d-%s.png", s.name, width, mode), shot)
			}
		}
	}
	b.quiet()
}

func colorScheme(mode string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: mode}}})
		return err
	})
}

func compareShot(t *testing.T, name string, shot []byte) {
	t.Helper()
	golden := filepath.Join("testdata", "screenshots", name)
	if dir := os.Getenv("SMTPIPE_SHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name), shot, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	small := blocks(got)
	if os.Getenv("SMTPIPE_UPDATE") == "1" {
		var out bytes.Buffer
		if err := png.Encode(&out, small); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	body, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	want, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if share := difference(small, want); share > 0.12 {
		t.Errorf("%s: %.0f %% of the page looks different; look at it and take it anew with SMTPIPE_UPDATE=1", name,
			100*share)
	}
}

const blockSize = 16

// blocks reduces an image to the mean colours of its blocks.
func blocks(img image.Image) *image.RGBA {
	r := img.Bounds()
	w, h := (r.Dx()+blockSize-1)/blockSize, (r.Dy()+blockSize-1)/blockSize
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for by := range h {
		for bx := range w {
			var sum [3]uint32
			n := uint32(0)
			for y := by * blockSize; y < min((by+1)*blockSize, r.Dy()); y++ {
				for x := bx * blockSize; x < min((bx+1)*blockSize, r.Dx()); x++ {
					cr, cg, cb, _ := img.At(r.Min.X+x, r.Min.Y+y).RGBA()
					sum[0], sum[1], sum[2], n = sum[0]+cr>>8, sum[1]+cg>>8, sum[2]+cb>>8, n+1
				}
			}
			out.SetRGBA(bx, by, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
	return out
}

// difference returns the share of blocks that differ visibly, or 1 if the sizes differ by more than a tenth.
func difference(a, b image.Image) float64 {
	w, h := min(a.Bounds().Dx(), b.Bounds().Dx()), min(a.Bounds().Dy(), b.Bounds().Dy())
	if 10*w < 9*max(a.Bounds().Dx(), b.Bounds().Dx()) || 10*h < 9*max(a.Bounds().Dy(), b.Bounds().Dy()) {
		return 1
	}
	n := 0
	for y := range h {
		for x := range w {
			ar, ag, ab, _ := a.At(x, y).RGBA()
			br, bg, bb, _ := b.At(x, y).RGBA()
			d := func(p, q uint32) int { return int(p>>8) - int(q>>8) }
			if abs(d(ar, br))+abs(d(ag, bg))+abs(d(ab, bb)) > 90 {
				n++
			}
		}
	}
	return float64(n) / float64(w*h)
}

func abs(x int) int { return max(x, -x) }
