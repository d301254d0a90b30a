package report

import (
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// matrixReady waits until all of the sample's data is loaded: 120 benchmarks.
func (b *browser) matrixReady() {
	b.t.Helper()
	b.wait(`document.querySelector("#matrix .line") !== null && !document.querySelector("#matrix[aria-busy]") && ` +
		`document.querySelector("#matrix .line").textContent.match(/\.\d$/) !== null`)
}

const (
	matrixCount = `document.querySelector("#matrix output").textContent`
	matrixFirst = `Array.from(document.querySelector("#matrix .line").children).map((c) => c.textContent).join("|")`
)

func matrixChoose(b *browser, id, value string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`(() => { const s = document.getElementById("m-" + %q); s.value = %q; `+
		`s.dispatchEvent(new Event("change")); })()`, id, value))
}

func matrixHeading(b *browser, key string) {
	b.t.Helper()
	eval[any](b, fmt.Sprintf(`Array.from(document.querySelectorAll("#matrix .head button")).find((x) => `+
		`x.dataset.key === %q).click()`, key))
}

// keepCSV makes the page keep the file that it would save.
const keepCSV = `(() => { const old = URL.createObjectURL; window.saved = ""; URL.createObjectURL = (b) => { ` +
	`b.text().then((t) => { window.saved = t; }); return old.call(URL, b); }; ` +
	`const click = HTMLAnchorElement.prototype.click; ` +
	`HTMLAnchorElement.prototype.click = function () { if (!this.download) click.call(this); }; })()`

func TestMatrixInBrowser(t *testing.T) {
	b := startBrowser(t, sample(false))
	b.open("matrix/single_query.html")
	b.matrixReady()
	if got := eval[string](b, matrixCount); got != "120 of 120 benchmarks" {
		t.Errorf("without filters: %q", got)
	}
	// gamma-wide is wrong on benchmarks 1 and 7 of each of the 3 logics. Only Beta solves benchmark 20, only gamma-wide
	// solves 30, only delta solves 12, 24 and 36, and nobody solves 0.
	for _, c := range [][2]string{{"disagree", "6 of 120 benchmarks"}, {"one", "15 of 120 benchmarks"},
		{"none", "3 of 120 benchmarks"}, {"wrong", "6 of 120 benchmarks"}, {"", "120 of 120 benchmarks"}} {
		show, want := c[0], c[1]
		matrixChoose(b, "show", show)
		if got := eval[string](b, matrixCount); got != want {
			t.Errorf("show %q: %q, want %q", show, got, want)
		}
	}
	// The statuses of benchmarks 0 to 39 cycle through sat, unsat and unknown: 14, 13 and 13 in each logic.
	statuses := `Array.from(document.querySelectorAll("#m-status option")).map((o) => o.textContent).join(" ")`
	if got := eval[string](b, statuses); got != "all (120) sat (42) unknown (39) unsat (39)" {
		t.Errorf("counts of statuses: %q", got)
	}
	matrixChoose(b, "solver", "gamma-wide")
	matrixChoose(b, "answer", "v:wrong")
	matrixChoose(b, "division", "Arith")
	if got := eval[string](b, matrixCount); got != "2 of 120 benchmarks" {
		t.Errorf("wrong answers of gamma-wide in Arith: %q", got)
	}
	eval[any](b, `document.querySelectorAll("#matrix .filters button")[1].click()`)

	// Beta has no answer after 1200.5 s on multiples of 3. Of these, alpha solves the odd ones: 3 first, in 0.04 s.
	matrixChoose(b, "a", "Beta")
	matrixChoose(b, "b", "alpha")
	matrixHeading(b, "difference")
	if got := eval[string](b, matrixFirst); !strings.Contains(got, "LIA/20260101-family0/bench_003.smt2|") ||
		strings.Split(got, "|")[2] != "1200.46" {
		t.Errorf("the greatest difference is in %q", got)
	}
	matrixHeading(b, "difference") // alpha has no answer on even benchmarks; Beta solves 2 in 0.06 s
	if got := eval[string](b, matrixFirst); !strings.Contains(got, "LIA/20260101-family2/bench_002.smt2|") ||
		strings.Split(got, "|")[2] != "-1200.44" {
		t.Errorf("the least difference is in %q", got)
	}
	b.quiet()
}

func TestMatrixCSVAndAddressInBrowser(t *testing.T) {
	b := startBrowser(t, sample(false))
	b.open("matrix/single_query.html#show=disagree&logic=QF_BV&family=20260101-family1&sort=time%3Aalpha&order=down")
	b.matrixReady()
	eval[any](b, keepCSV)
	eval[any](b, `document.querySelector("#matrix .filters button").click()`)
	b.wait(`window.saved !== ""`)
	// On benchmark k, solver i took 0.01·(k+1)·(i+1) s and (k+10)·(i+1) MB. gamma-wide is the third solver, delta the
	// fourth.
	folder := "non-incremental/QF_BV/20260101-family1/"
	want := "benchmark,status,alpha answer,alpha wall time (s),alpha memory (MB),Beta answer,Beta wall time (s)," +
		"Beta memory (MB),delta answer,delta wall time (s),delta memory (MB),gamma-wide answer," +
		"gamma-wide wall time (s),gamma-wide memory (MB)\n" +
		folder + "bench_007.smt2,unsat,unsat,0.08,17.0,unsat,0.16,34.0,unsat,0.32,68.0,sat (wrong),0.24,51.0\n" +
		folder + "bench_001.smt2,unsat,unsat,0.02,11.0,unsat,0.04,22.0,unsat,0.08,44.0,sat (wrong),0.06,33.0\n"
	if got := eval[string](b, `window.saved`); got != want {
		t.Errorf("CSV:\n%s\nwant:\n%s", got, want)
	}
	shown := eval[string](b, `Array.from(document.querySelectorAll("#matrix .line")).map((r) => `+
		`Array.from(r.children).map((c) => c.textContent).join(",") + "\n").join("")`)
	if _, rows, _ := strings.Cut(want, "\n"); shown != rows {
		t.Errorf("shown:\n%s\nwant:\n%s", shown, rows)
	}
	if got := eval[string](b, `document.querySelector("#matrix .grid").getAttribute("aria-rowcount")`); got != "4" {
		t.Errorf("aria-rowcount is %s, want 2 rows and 2 of headings", got)
	}
	matrixChoose(b, "status", "unsat")
	if got := eval[string](b, `location.hash`); got != "#status=unsat&logic=QF_BV&show=disagree&"+
		"family=20260101-family1&sort=time%3Aalpha&order=down" {
		t.Errorf("the address is %q", got)
	}
	// The arrow keys move to the last solver's answer in the second row, and Enter opens its run.
	b.run(chromedp.Focus(chromedp.CSS("#matrix .grid")), chromedp.KeyEvent(kb.End))
	for range 11 {
		b.run(chromedp.KeyEvent(kb.ArrowRight))
	}
	if got := eval[string](b, `document.querySelector("#matrix .here").textContent`); got != "sat (wrong)" {
		t.Fatalf("the keys lead to %q", got)
	}
	b.run(chromedp.KeyEvent(kb.Enter), chromedp.WaitReady(chromedp.CSS("#run")))
	b.wait(`document.querySelector("#run tr.winner")?.textContent.startsWith("gamma-wide")`)
	b.quiet()
}

// TestMatrixIsFluid uses 20 solvers and 93,791 benchmarks, the size of the library for the 2022 single-query track.
func TestMatrixIsFluid(t *testing.T) {
	if os.Getenv("SMTPIPE_SCALE") != "1" {
		t.Skip("takes a while; set SMTPIPE_SCALE=1")
	}
	const n, solvers, divisions = 93_791, 20, 19
	var rows iter.Seq2[results.VerdictRow, error] = func(yield func(results.VerdictRow, error) bool) {
		for k := range n {
			logic := fmt.Sprintf("LOGIC%02d", k*divisions/n)
			for s := range solvers {
				row := results.VerdictRow{
					Limits: run.Limits{WallLimitS: 1200},
					Identity: run.Identity{Track: "single_query", Logic: logic, Solver: fmt.Sprintf("solver%02d", s),
						Benchmark: fmt.Sprintf("non-incremental/%s/family%03d/benchmark-%06d.smt2", logic, k/100, k)},
					Judged: run.Judged{Answer: "sat", Verdict: "correct"},
					Measured: run.Measured{Ending: "exited", Usage: run.Usage{MemoryBytes: int64(k*1000 + s),
						WallTimeS: run.Seconds((k*7919+s*104729)%1_200_000) / 1000}},
					Subject: run.Subject{Division: logic, Family: fmt.Sprintf("family%03d", k/100), Status: "sat"},
				}
				row.CPUTimeS = row.WallTimeS
				if (k+s)%4 == 0 {
					row.Answer, row.Verdict = "", "unknown"
				}
				if !yield(row, nil) {
					return
				}
			}
		}
	}
	b := startBrowser(t, &Input{Competition: Competition{Name: "Scale", Year: 1}, Verdicts: rows})
	start := time.Now()
	b.open("matrix/single_query.html")
	b.wait(`document.querySelectorAll("#matrix .line").length > 5`)
	firstRow := time.Since(start)
	b.matrixReady()
	all := time.Since(start)
	if got := eval[string](b, matrixCount); got != "93,791 of 93,791 benchmarks" {
		t.Errorf("all data: %q", got)
	}
	heap := eval[float64](b, `performance.memory.usedJSHeapSize / 1e6`)
	t.Logf("first row after %v, all after %v, heap of the page %.0f MB", firstRow.Round(time.Millisecond),
		all.Round(time.Millisecond), heap)
	logMemory(t)
	if firstRow > 3*time.Second {
		t.Errorf("the first row is there after %v, want at most 3 s", firstRow)
	}
	matrixChoose(b, "a", "solver01")
	matrixChoose(b, "b", "solver02")
	for name, action := range map[string]string{
		"sort by difference": `document.querySelector("#matrix button[data-key=difference]").click()`,
		"filter by status": `(() => { const s = document.getElementById("m-status"); s.selectedIndex = 1; ` +
			`s.dispatchEvent(new Event("change")); })()`,
		"scroll": `document.querySelector("#matrix .grid").scrollTop = 500000`,
	} {
		ms := eval[float64](b, `(() => { const t = performance.now(); `+action+`; return performance.now() - t; })()`)
		t.Logf("%s: %.0f ms", name, ms)
		if ms > 1000 {
			t.Errorf("%s takes %.0f ms, want at most 1 s", name, ms)
		}
	}
}

// logMemory logs the memory of the largest process that the test started. It fails the test above 500 MB.
func logMemory(t *testing.T) {
	t.Helper()
	parent, size := map[int]int{}, map[int]int{}
	procs, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, p := range procs {
		body, err := os.ReadFile(p)
		if err != nil { // the process has ended
			continue
		}
		var pid, n int
		for l := range strings.Lines(string(body)) {
			if k, _ := fmt.Sscanf(l, "Pid: %d", &n); k == 1 {
				pid = n
			} else if k, _ := fmt.Sscanf(l, "PPid: %d", &n); k == 1 {
				parent[pid] = n
			} else if k, _ := fmt.Sscanf(l, "VmRSS: %d kB", &n); k == 1 {
				size[pid] = n
			}
		}
	}
	most := 0
	for pid, kB := range size {
		up := parent[pid]
		for up > 1 && up != os.Getpid() {
			up = parent[up]
		}
		if up == os.Getpid() {
			most = max(most, kB)
		}
	}
	t.Logf("the largest process of the browser has %d MB", most/1000)
	if most == 0 || most > 500_000 {
		t.Errorf("a process of the browser has %d kB, want at most 500 MB", most)
	}
}
