package report

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

func write(t testing.TB, in *Input) map[string][]byte {
	t.Helper()
	var m Memory
	if err := Write(context.Background(), &m, in); err != nil {
		t.Fatal(err)
	}
	return m.Files()
}

// sampleSite returns a sample's site, which is written only once for all tests.
func sampleSite(t testing.TB, evil bool) map[string][]byte {
	t.Helper()
	site := &plainSite
	if evil {
		site = &evilSite
	}
	site.once.Do(func() { site.files = write(t, sample(evil)) })
	return site.files
}

var plainSite, evilSite struct {
	once  sync.Once
	files map[string][]byte
}

func TestEqualInputEqualBytes(t *testing.T) {
	first := sampleSite(t, true)
	in := sample(true)
	slices.Reverse(in.Scores)
	slices.Reverse(in.Solvers)
	slices.Reverse(in.Recognitions)
	second := write(t, in)
	for name, body := range first {
		if strings.HasPrefix(name, "export/scores.") || strings.HasPrefix(name, "export/solvers.") ||
			strings.HasPrefix(name, "export/recognitions.") {
			continue // exports keep the order of the rows; stored tables are sorted
		}
		if !bytes.Equal(body, second[name]) {
			t.Errorf("%s differs when the rows come in another order", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d files and %d files", len(first), len(second))
	}
}

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	handler   = regexp.MustCompile(`<[^>]*\s(on[a-z]+|style)\s*=`)
	quoted    = regexp.MustCompile(`"[^"]*"`)
	anyScript = regexp.MustCompile(`<script[^>]*>`)
	goodTag   = regexp.MustCompile(`^<script (defer )?src="[./]*assets/[A-Za-z.]+">$`)
)

// unescape reverses html/template's entities.
func unescape(s string) string {
	return strings.NewReplacer("&#43;", "+", "&amp;", "&", "&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;",
		">").Replace(s)
}

func TestLinksAndScripts(t *testing.T) {
	for _, evil := range []bool{false, true} {
		files := sampleSite(t, evil)
		for name, body := range files {
			if !strings.HasSuffix(name, ".html") {
				continue
			}
			checkPage(t, files, name, string(body))
		}
	}
}

func checkPage(t *testing.T, files map[string][]byte, name, page string) {
	for _, tag := range anyScript.FindAllString(page, -1) {
		if !goodTag.MatchString(tag) {
			t.Errorf("%s has the script tag %s", name, tag)
		}
	}
	if bad := handler.FindString(quoted.ReplaceAllString(page, `""`)); bad != "" {
		t.Errorf("%s has an inline handler or style: %s", name, bad)
	}
	if !strings.Contains(page, `http-equiv="Content-Security-Policy"`) || strings.Contains(page, "unsafe-inline") {
		t.Errorf("%s has no strict Content-Security-Policy", name)
	}
	for _, m := range reference.FindAllStringSubmatch(page, -1) {
		u, err := url.Parse(unescape(m[1]))
		if err != nil {
			t.Errorf("%s has the address %q: %v", name, m[1], err)
			continue
		}
		if u.Scheme == "https" && (u.Host == "example.org" || u.Host == "github.com") && !strings.HasPrefix(m[0],
			"src=") {
			continue
		}
		if u.Scheme != "" || u.Host != "" {
			t.Errorf("%s refers to %q", name, m[1])
			continue
		}
		if u.Path == "" {
			continue
		}
		if target := path.Join(path.Dir(name), u.Path); files[target] == nil {
			t.Errorf("%s links to %q, which is not in the site", name, target)
		}
	}
}

// TestDataIsInert checks that no content of a data file can escape from its string or its script.
func TestDataIsInert(t *testing.T) {
	files := sampleSite(t, true)
	n := 0
	for name, body := range files {
		if !strings.HasPrefix(name, "data/") {
			continue
		}
		n++
		if bytes.ContainsAny(body, "<>&\u2028\u2029") {
			t.Errorf("%s has characters that can end a script", name)
		}
		call, found := bytes.CutPrefix(bytes.TrimSuffix(body, []byte(");\n")), []byte("smtpipe.put("))
		var parts []any
		if err := json.Unmarshal(append(append([]byte("["), call...), ']'), &parts); err != nil || !found ||
			len(parts) != 2 {
			t.Errorf("%s is not one call with two JSON values: %v", name, err)
		}
	}
	if n < 4 {
		t.Errorf("%d data files, want those of two divisions with details", n)
	}
}

func TestPicturesAreXML(t *testing.T) {
	n := 0
	for name, body := range sampleSite(t, true) {
		if !strings.HasSuffix(name, ".svg") {
			continue
		}
		n++
		d := xml.NewDecoder(bytes.NewReader(body))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
			if e, ok := token.(xml.StartElement); ok && slices.Contains([]string{"script", "img", "foreignObject", "a"},
				e.Name.Local) {
				t.Errorf("%s has the element %s", name, e.Name.Local)
			}
		}
	}
	if n < 8 {
		t.Errorf("%d pictures, want three per division and the pipeline", n)
	}
}

func unzip(t *testing.T, body []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCSVHasNoFormulas(t *testing.T) {
	files := sampleSite(t, true)
	for name, body := range files {
		if strings.HasSuffix(name, ".csv.gz") {
			body = unzip(t, body)
		} else if !strings.HasSuffix(name, ".csv") {
			continue
		}
		records, err := csv.NewReader(bytes.NewReader(body)).ReadAll()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, rec := range records[1:] {
			for _, cell := range rec {
				if cell != "" && strings.ContainsRune("=+@\t\r", rune(cell[0])) {
					t.Errorf("%s has the cell %q", name, cell)
				}
			}
		}
	}
}

// TestOfficialFormat reads the export with the reader of the organisers' files.
func TestOfficialFormat(t *testing.T) {
	in := sample(false)
	body := unzip(t, sampleSite(t, false)["export/results-sq-2026.json.gz"])
	var got []results.HistoryRow
	if err := intake.ReadResults(bytes.NewReader(body), 2026, func(r *results.HistoryRow) error {
		got = append(got, *r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	k := 0
	for v := range in.Verdicts {
		want := v.Answer
		if v.Ending == "wall_timeout" {
			want = "Timeout"
		} else if v.Answer == "" {
			want = "unknown"
		}
		g := got[k]
		if g.Benchmark != v.Benchmark || g.Solver != v.Solver || g.Result != want || g.CPUTimeS != v.CPUTimeS ||
			g.WallTimeS != v.WallTimeS || g.MemoryBytes != v.MemoryBytes {
			t.Fatalf("run %d: got %+v, want that of %+v", k, g, v)
		}
		k++
	}
	if k != len(got) || k != 480 {
		t.Errorf("%d runs written, %d given, want 480", len(got), k)
	}
}

// TestOfficialCounts checks the numbers of answers in the organisers' format: correct and wrong checks of a dialogue,
// the size of a core, and otherwise 1. Runs without details have them, too.
func TestOfficialCounts(t *testing.T) {
	row := func(solver string, j run.Judged) results.VerdictRow {
		id := run.Identity{Benchmark: "incremental/LIA/f/x.smt2", Solver: solver, Logic: "LIA"}
		return results.VerdictRow{Identity: id, Judged: j, Measured: run.Measured{Ending: "exited"}}
	}
	for track, rows := range map[string][]struct {
		run.Judged
		want int64
	}{
		"Incremental": {
			{run.Judged{Verdict: "correct", Checks: 1, ChecksCorrect: 1}, 1},
			{run.Judged{Verdict: "wrong", Checks: 1, ChecksWrong: 1}, 1},
			{run.Judged{Verdict: "unknown", Checks: 1}, 0},
			{run.Judged{Verdict: "wrong", Checks: 9, ChecksCorrect: 4, ChecksWrong: 1}, 5},
		},
		"UnsatCore": {
			{run.Judged{Verdict: "unknown", CoreSize: -1}, 0},
			{run.Judged{Verdict: "correct", Answer: "unsat", CoreSize: 3}, 3},
			{run.Judged{Verdict: "unknown", Assertions: 5, CoreSize: -1}, 0},
		},
		"SingleQuery": {{run.Judged{Verdict: "unknown", CoreSize: -1}, 1}},
	} {
		table := newRunTable()
		for i, r := range rows {
			v := row(fmt.Sprint("s", i), r.Judged)
			if err := table.add(&v); err != nil {
				t.Fatal(err)
			}
		}
		var body bytes.Buffer
		err := table.official(&body, track)
		var got []struct {
			NbAnswers int64 `json:"nb_answers"`
		}
		if err = errors.Join(err, json.Unmarshal(fmt.Appendf(nil, "[%s]", body.Bytes()), &got)); err != nil {
			t.Fatalf("%s: %v in %s", track, err, body.Bytes())
		}
		for i, r := range rows {
			if len(got) != len(rows) || got[i].NbAnswers != r.want {
				t.Errorf("%s, run %d: got %v, want %d", track, i, got, r.want)
			}
		}
	}
	endless := row("s", run.Judged{})
	endless.CPUTimeS = run.Seconds(math.Inf(1))
	table := newRunTable()
	if err := table.add(&endless); err != nil {
		t.Fatal(err)
	}
	if err := table.official(io.Discard, "SingleQuery"); err == nil ||
		!strings.Contains(err.Error(), "run of s on incremental/LIA/f/x.smt2: JSON has no number for the times +Inf and 0") {
		t.Errorf("an infinite time: %v", err)
	}
}

func TestOfficialResult(t *testing.T) {
	tests := []struct {
		name, track string
		row         results.VerdictRow
		want        string
	}{
		{"answer after the limit of memory", "SingleQuery", results.VerdictRow{
			Judged: run.Judged{Answer: "sat"}, Measured: run.Measured{Ending: "out_of_memory"},
		},
			"sat"},
		{"memory", "SingleQuery", results.VerdictRow{Measured: run.Measured{Ending: "out_of_memory"}}, "OutOfMemory"},
		{"published answer", "SingleQuery", results.VerdictRow{
			Judged: run.Judged{Answer: "memout"}, Measured: run.Measured{Ending: "exited"},
		}, "OutOfMemory"},
		{"incremental", "Incremental", results.VerdictRow{Judged: run.Judged{ChecksCorrect: 3}}, "incremental"},
		{"incremental, stopped", "Incremental", results.VerdictRow{
			Judged: run.Judged{ChecksCorrect: 3}, Measured: run.Measured{Ending: "cpu_timeout"},
		}, "Timeout"},
		{"incremental, wrong", "Incremental", results.VerdictRow{
			Judged: run.Judged{ChecksWrong: 1}, Measured: run.Measured{Ending: "wall_timeout"},
		},
			"IncrementalError"},
		{"core", "UnsatCore", results.VerdictRow{Judged: run.Judged{Answer: "unsat", Validation: "valid"}}, "unsat"},
		{"core refuted", "UnsatCore", results.VerdictRow{
			Judged: run.Judged{Answer: "unsat", Validation: "invalid"},
		},
			"UnsatCoreNotValidated"},
		{"model", "ModelValidation", results.VerdictRow{
			Judged: run.Judged{Answer: "sat", Validation: "VALID"},
		}, "sat"},
		{"model refuted", "ModelValidation", results.VerdictRow{
			Judged: run.Judged{Answer: "sat", Validation: "INVALID"},
		},
			"ModelNotValidated"},
		{"model of an unsatisfiable benchmark", "ModelValidation", results.VerdictRow{
			Judged: run.Judged{Answer: "sat"}, Subject: run.Subject{Status: "unsat"},
		},
			"ModelUnsat"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := officialResult(&test.row, test.track); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			run := `{"results": [{"track": "` + test.track + `", "solver": "S", "file": {"incremental": false, "logic": "LIA", "family": [],
				"name": "x.smt2"}, "result": "` + test.want + `", "cpu_time": 0, "wallclock_time": 0, "memory_usage": 0}]}`
			if err := intake.ReadResults(strings.NewReader(run), 2026,
				func(*results.HistoryRow) error { return nil }); err != nil {
				t.Errorf("the reader of the organisers' files: %v", err)
			}
		})
	}
}

// escapes are the escaped control characters in the hostile names, as documented in docs/publish/report.md.
var escapes = strings.NewReplacer("\x00", `\x00`, "\x1b", `\x1b`, "\x07", `\x07`)

// TestBenchExecFormat reads the export with the reader of BenchExec's files.
func TestBenchExecFormat(t *testing.T) {
	in, files := sample(true), sampleSite(t, true)
	want := map[string]results.VerdictRow{}
	for v := range in.Verdicts {
		want[escapes.Replace(v.Solver+v.Benchmark)] = v
	}
	seen := 0
	for name, body := range files {
		if !strings.HasPrefix(name, "export/benchexec/") {
			continue
		}
		var header benchexec.Header
		var runs []benchexec.Run
		text := unzip(t, body)
		categories := categoriesOf(t, text)
		header, err := benchexec.Read(bytes.NewReader(text), func(_ *benchexec.Header, r benchexec.Run) error {
			runs = append(runs, r)
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, r := range runs {
			v, ok := want[header.Tool+r.Name]
			if !ok {
				t.Fatalf("%s: unknown run %q of %q", name, r.Name, header.Tool)
			}
			if r.WallTimeS != v.WallTimeS || r.CPUTimeS != v.CPUTimeS || r.MemoryBytes != v.MemoryBytes {
				t.Fatalf("%s: got %+v, want that of %+v", name, r, v)
			}
			if (v.Verdict == "wrong") != (categories[r.Name] == "wrong") {
				t.Errorf("%s: verdict %s became category %s", name, v.Verdict, categories[r.Name])
			}
		}
		seen += len(runs)
	}
	if seen != 480 {
		t.Errorf("%d runs, want 480", seen)
	}
}

// categoriesOf returns the column category of each run in a results file.
func categoriesOf(t *testing.T, text []byte) map[string]string {
	t.Helper()
	var file struct {
		Runs []struct {
			Name    string `xml:"name,attr"`
			Columns []struct {
				Title string `xml:"title,attr"`
				Value string `xml:"value,attr"`
			} `xml:"column"`
		} `xml:"run"`
	}
	if err := xml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	categories := map[string]string{}
	for _, r := range file.Runs {
		for _, c := range r.Columns {
			if c.Title == "category" {
				categories[r.Name] = c.Value
			}
		}
	}
	return categories
}

func TestParquetExportReadsBack(t *testing.T) {
	in, body := sample(false), sampleSite(t, false)["export/scores.parquet"]
	got, err := results.Read[results.ScoreRow](bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(in.Scores) {
		t.Errorf("%d rows, want %d", len(got), len(in.Scores))
	}
}

func TestLaTeXAndMarkdownAreInert(t *testing.T) {
	files := sampleSite(t, true)
	n := 0
	for name, body := range files {
		switch {
		case strings.HasSuffix(name, ".tex"):
			n++
			if bytes.Contains(body, []byte(`\input`)) || bytes.Contains(body, []byte("$x_1")) {
				t.Errorf("%s has a command of a name", name)
			}
		case strings.HasSuffix(name, ".md") && name != "export/README.md":
			n++
			if bytes.Contains(body, []byte("<script")) || bytes.Contains(body, []byte("](javascript")) {
				t.Errorf("%s has mark-up of a name", name)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d files, want Markdown and LaTeX of two divisions", n)
	}
}

func TestLogs(t *testing.T) {
	in, files := sample(false), sampleSite(t, false)
	var logs []string
	for name := range files {
		if strings.HasPrefix(name, "logs/") {
			logs = append(logs, name)
		}
	}
	// gamma is wrong on benchmarks 1 and 7 of each logic (k%4 is 1 and 3), and each wrong output has its own digest.
	// delta is killed by a signal on 3, 13, 23 and 33 (k%5 is 3, so none of them is a timeout).
	if len(logs) != 6 {
		t.Errorf("logs %v, want those of two wrong answers and four crashes", logs)
	}
	in.LogBytes = 200
	files = write(t, in)
	size := 0
	for name, body := range files {
		if strings.HasPrefix(name, "logs/") {
			size += len(body)
		}
	}
	if size == 0 || size > 200 {
		t.Errorf("logs of %d bytes within a budget of 200", size)
	}
}

func TestRefusals(t *testing.T) {
	broken := errors.New("disk on fire")
	tests := []struct {
		name string
		in   *Input
		want string
	}{
		{"unsorted", &Input{Verdicts: Rows([]results.VerdictRow{{
			Identity: run.Identity{Track: "t", Benchmark: "b"},
		},
			{Identity: run.Identity{Track: "t", Benchmark: "a"}}})}, "not sorted"},
		{"twice", &Input{Verdicts: Rows([]results.VerdictRow{{
			Identity: run.Identity{Track: "t", Benchmark: "b", Solver: "s"},
		},
			{Identity: run.Identity{Track: "t", Benchmark: "b", Solver: "s"}}})}, "name a run twice"},
		{"unreadable", &Input{Verdicts: func(yield func(results.VerdictRow, error) bool) {
			yield(results.VerdictRow{},
				broken)
		}}, "disk on fire"},
		{"no division", &Input{Scores: []results.ScoreRow{{Track: "t", Solver: "s", View: "par"}}},
			"no track, division, view or solver"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var m Memory
			if err := Write(context.Background(), &m, test.in); err == nil || !strings.Contains(err.Error(),
				test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(broken)
	var m Memory
	if err := Write(ctx, &m, sample(false)); !errors.Is(err, broken) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestEmptyInput(t *testing.T) {
	files := write(t, &Input{})
	for _, name := range []string{"index.html", "provenance.html", "downloads.html", "solvers/index.html"} {
		if files[name] == nil {
			t.Errorf("no %s", name)
			continue
		}
		checkPage(t, files, name, string(files[name]))
	}
}

// TestPlaces checks how places follow from ranks: only eligible solvers have places, and solvers with equal ranks share
// a place.
func TestPlaces(t *testing.T) {
	row := func(solver string, rank int64, competes bool) results.ScoreRow {
		return results.ScoreRow{Track: "t", Division: "d", View: "par", Solver: solver, Rank: rank,
			Competitive: competes, Eligible: competes, Contested: true}
	}
	m, err := build(context.Background(), &Input{Scores: []results.ScoreRow{row("e", 5, true), row("b", 2, true),
		row("a", 1, false), row("c", 2, true), row("d", 4, false), row("f", 0, true)}})
	if err != nil {
		t.Fatal(err)
	}
	r := m.tracks[0].divisions[0].rankings[0]
	var got []string
	for i, s := range r.rows {
		got = append(got, s.Solver+":"+grouped(r.place[i]))
	}
	want := []string{"a:0", "b:1", "c:1", "d:0", "e:3", "f:0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// TestMedals checks that only eligible solvers win medals: b is derived from c and not better, so c wins the gold
// medal.
func TestMedals(t *testing.T) {
	row := func(solver string, rank int64, eligible, winner bool) results.ScoreRow {
		return results.ScoreRow{Track: "t", Division: "d", View: "par", Solver: solver, Rank: rank,
			Competitive: solver != "a", Eligible: eligible, Winner: winner, Contested: true}
	}
	files := write(t, &Input{Scores: []results.ScoreRow{row("a", 1, false, false), row("b", 2, false, false),
		row("c", 3, true, true), row("d", 4, true, false), row("e", 4, true, false), row("f", 6, true, false)}})
	text := regexp.MustCompile(`(?s)<table[^>]* id="medals".*?</table>`).FindString(string(files["index.html"]))
	var got []string
	for _, tr := range regexp.MustCompile(`(?s)<tr.*?</tr>`).FindAllString(text, -1)[1:] {
		got = append(got, strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(tr, " ")), " "))
	}
	want := []string{"c 1 0 0 1", "d 0 1 0 1", "e 0 1 0 1", "b 0 0 0 1", "f 0 0 0 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("medals (-want +got):\n%s", diff)
	}
}

// TestNoWinner checks that a ranking that nobody won has no medals, and that the overview, the page next to the ranking
// and the texts for copying explain why.
func TestNoWinner(t *testing.T) {
	row := func(solver string, rank int64) results.ScoreRow {
		return results.ScoreRow{Track: "t", Division: "d", View: "par", Solver: solver, Rank: rank, Competitive: true,
			Eligible:  true,
			Contested: true, NoWinner: "nobody solved anything"}
	}
	files := write(t, &Input{Scores: []results.ScoreRow{row("a", 1), row("b", 2), row("c", 3)}})
	overview := string(files["index.html"])
	if !strings.Contains(overview, `title="nobody solved anything"`) || !strings.Contains(overview, ">no winner<") {
		t.Error("the overview does not say that there is no winner")
	}
	found := false
	for _, page := range files {
		found = found || strings.Contains(string(page), "No winner: nobody solved anything")
	}
	if !found {
		t.Error("no page of the division says why there is no winner")
	}
	m, err := build(context.Background(), &Input{Scores: []results.ScoreRow{row("a", 1), row("b", 2)}})
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]*[4]int64{}
	(&site{m: m}).countPlaces(m.tracks[0].divisions[0].rankings[0], counts)
	for solver, c := range counts {
		if c[0]+c[1]+c[2] != 0 {
			t.Errorf("%s has the medals %v", solver, *c)
		}
	}
}

// TestConfidence checks that a narrow winner is marked, and that the page contains the table's figures.
func TestConfidence(t *testing.T) {
	files := sampleSite(t, false)
	if !strings.Contains(string(files["index.html"]), `>close<`) {
		t.Error("the overview does not mark the close winner")
	}
	page := regexp.MustCompile(`\s+`).ReplaceAllString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(
		string(files["confidence.html"]), " "), " ")
	for _, want := range []string{
		"Arith Parallel alpha close 50.0 % 3 2 to 3 1 1.25 × 7", // the winner's line
		"Beta 2 1 to 3 33 30.2 to 39.0 50.0 % 3",                // the next solver's line
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q:\n%s", want, page)
		}
	}
	for name, b := range write(t, &Input{Scores: []results.ScoreRow{{Track: "t", Division: "d", View: "par",
		Solver: "a", Rank: 1}}}) {
		if strings.Contains(string(b), "confidence.html") {
			t.Errorf("%s leads to a page that is not there", name)
		}
	}
}

// TestBaseSolverMarks checks that a table explains why a derived solver cannot win.
func TestBaseSolverMarks(t *testing.T) {
	why := "its base solver foo is not there"
	row := results.ScoreRow{Track: "t", Division: "d", View: "par", Solver: "foo-mine", Rank: 1, Competitive: true,
		BaseSolver: "foo", Barred: why}
	var got []string
	for _, b := range (&model{in: &Input{}}).marks(&row) {
		got = append(got, b.Text+": "+b.Tip)
	}
	want := []string{"derived from foo: a derived solver wins only if it does better than its base solver",
		"not eligible: " + why}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("badges (-want +got):\n%s", diff)
	}
	entered := solver{competitive: true, base: "foo", entries: []results.SolverRow{{}, {Problem: why}}}
	if b := solverMarks(&entered); len(b) != 2 || b[1].Text != "cannot win" || b[1].Tip != why {
		t.Errorf("badges of the solver: %v", b)
	}
}

func TestFormats(t *testing.T) {
	tests := []struct{ name, got, want string }{
		{"grouped", grouped(1234567), "1\u202f234\u202f567"},
		{"negative", grouped(-1234), "−1\u202f234"},
		{"small", grouped(999), "999"},
		{"seconds", seconds(333501.284), "333\u202f501.28"},
		{"rounding up", seconds(999.999), "1\u202f000.00"},
		{"whole score", number(8283), "8\u202f283"},
		{"fraction", number(0.12345), "0.1235"},
		{"bytes", words.Bytes(30_000_000_000), "30 GB"},
		{"few bytes", words.Bytes(912), "912 B"},
		{"megabytes", words.Bytes(999_600), "1 MB"},
		{"years", longTime(5.32 * 365 * 86400), "5.32 years"},
		{"clean", clean("a\x00b\u202Ec\xff"), "a\uFFFDbc\uFFFD"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, test.got, test.want)
		}
	}
}

// TestLetters: a letter of several bytes stays whole at the beginning of a title and at the end of a short text.
func TestLetters(t *testing.T) {
	for got, want := range map[string]string{trackTitle("échange_œuvre"): "Échange Œuvre", clip("aéé", 2): "a…",
		clip("aéé", 3): "aé…", clip("aé", 3): "aé", clip("\x80\x80", 1): "\x80…"} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSlugsDoNotCollide(t *testing.T) {
	s := newSlugs()
	seen := map[string]string{}
	for _, text := range append([]string{"z3", "Z3", "z 3", "z/3", "index", "con", "", "..", ".", "a.",
		"QF_Equality+Bitvec", strings.Repeat("x", 300), strings.Repeat("x", 301)}, hostile...) {
		g := s.of(text)
		if g == "" || strings.ContainsAny(g, "/\\ <>\"'") || reserved(g) || len(g) > 80 {
			t.Errorf("%q became %q", text, g)
		}
		if other, dup := seen[strings.ToLower(g)]; dup {
			t.Errorf("%q and %q share %q", text, other, g)
		}
		seen[strings.ToLower(g)] = text
		if s.of(text) != g {
			t.Errorf("%q has two names", text)
		}
	}
	for _, text := range []string{"é", "z 3"} { // somebody chose the name that another text would get
		chosen := newSlugs()
		if taken := newSlugs().of(text); chosen.of(taken) == chosen.of(text) {
			t.Errorf("%q and %q share %[2]q", text, taken)
		}
	}
	if s.of("z3") != "z3" || s.of("QF_Equality+Bitvec") != "QF_Equality+Bitvec" {
		t.Error("ordinary names are changed")
	}
}

// TestDivisionNamedMatrix checks that a division may have the name of its track's matrix.
func TestDivisionNamedMatrix(t *testing.T) {
	rows := fourBenchmarks()
	for i := range rows {
		rows[i].Division = "matrix"
	}
	files := write(t, &Input{Verdicts: Rows(rows)})
	checkPage(t, files, "tracks/single_query.html", string(files["tracks/single_query.html"]))
}

// TestUnfit checks that a track's page lists its excluded benchmarks with their reasons.
func TestUnfit(t *testing.T) {
	body := string(sampleSite(t, false)["benchmarks/single_query.html"])
	for _, want := range []string{
		"retired before the selection", "non-incremental/LIA/retired.smt2", "not well-formed",
		"removed after the runs", "bench_005", "the status is wrong",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page of the benchmarks does not say %q", want)
		}
	}
	if strings.Contains(body, "of the other collection") {
		t.Error("the page lists a benchmark of the incremental collection")
	}
}

// TestVerify checks that the provenance page explains what its commands need, and does not promise that runs can be
// reproduced exactly.
func TestVerify(t *testing.T) {
	body := strings.Join(strings.Fields(string(sampleSite(t, false)["provenance.html"])), " ")
	for _, want := range []string{"the competition's store", "Solver runs are taken from the store"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page on provenance does not say %q", want)
		}
	}
	if strings.Contains(body, "Every number on this site") {
		t.Error("the page on provenance promises to compute every number again")
	}
}
