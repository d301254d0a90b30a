package smtcompsite

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// withCharts returns the sample with runs in the parallel track: two benchmarks have runs of both solvers, the third
// has a run of only one, and the fourth was removed.
func withCharts() *Site {
	s := sample()
	s.Charts = true
	s.Recognitions = append(s.Recognitions, results.RecognitionRow{Track: "parallel", Kind: "disagreement",
		Division: "QF_Bitvec", Place: 1, Item: "b4"})
	for i := range s.Scores {
		if s.Scores[i].Track == "parallel" {
			s.Scores[i].Benchmarks = 3
		}
	}
	runs := []Run{
		{Benchmark: "b1", Solver: derived, Answer: "sat", CPUS: 20},
		{Benchmark: "b1", Solver: hostile, Answer: "sat", CPUS: 0.5},
		{Benchmark: "b2", Solver: derived, Answer: "Timeout", CPUS: 10},
		{Benchmark: "b2", Solver: hostile, Answer: "sat", CPUS: 0.1},
		{Benchmark: "b3", Solver: derived, Answer: "unsat", CPUS: 0},
		{Benchmark: "b4", Solver: derived, Answer: "unsat", CPUS: 1},
		{Benchmark: "b4", Solver: hostile, Answer: "sat", CPUS: 1},
	}
	for i := range runs {
		runs[i].Track, runs[i].Division, runs[i].Logic = "parallel", "QF_Bitvec", "QF_BV"
	}
	s.Runs = slices.Values(runs)
	return s
}

var chartSpec = regexp.MustCompile(`(?s)vegaEmbed\("#vis", (\{.*\})\);`)

// TestCharts checks figures that were computed by hand. Both solvers have the times 20 and 10, and 0.5 and 0.1: two
// points are on a line. The first solver alone has the times 20, 10 and 0.
func TestCharts(t *testing.T) {
	all := files(t, withCharts())
	var charts []string
	for path := range all {
		if strings.HasSuffix(path, "-chart.html") {
			charts = append(charts, path)
		}
	}
	slices.Sort(charts)
	want := []string{pagesFolder + "qf_bitvec-parallel-chart.html", pagesFolder + "qf_bv-parallel-chart.html"}
	if diff := cmp.Diff(want, charts); diff != "" {
		t.Fatalf("charts (-want +got):\n%s", diff)
	}
	page := all[want[0]]
	if !strings.HasPrefix(page, "---\nlayout: chart\ntitle: Chart for division QF_Bitvec\n---\n") ||
		!strings.HasPrefix(all[want[1]], "---\nlayout: chart\ntitle: Chart for logic QF_BV\n---\n") {
		t.Errorf("the front matter is\n%.80s\n%.80s", page, all[want[1]])
	}
	m := chartSpec.FindStringSubmatch(page)
	if m == nil || strings.Contains(m[1], "<b>") {
		t.Fatalf("no specification, or a name that is HTML: %s", page)
	}
	var got struct {
		Datasets struct {
			Pairs  []map[string]any
			Counts []map[string]any
		}
	}
	if err := json.Unmarshal([]byte(m[1]), &got); err != nil {
		t.Fatal(err)
	}
	pair := func(a, b string) map[string]any { return map[string]any{"solver": a, "solver2": b, "corr": 1.0} }
	if diff := cmp.Diff([]map[string]any{pair(hostile, hostile), pair(hostile, derived), pair(derived, hostile),
		pair(derived, derived)}, got.Datasets.Pairs); diff != "" {
		t.Errorf("pairs (-want +got):\n%s", diff)
	}
	count := func(a, b string, bucket, bucket2 float64, n float64, answer, answer2 string) map[string]any {
		return map[string]any{"solver": a, "solver2": b, "bucket": bucket, "bucket2": bucket2, "len": n,
			"answer": answer, "answer2": answer2, "logic": "QF_BV", "division": "QF_Bitvec"}
	}
	if diff := cmp.Diff([]map[string]any{
		count(hostile, hostile, 0.1, 0.1, 2, "sat", "sat"),
		count(hostile, derived, 0.1, 10, 1, "sat", "Timeout"),
		count(hostile, derived, 0.1, 10, 1, "sat", "sat"),
		count(derived, hostile, 10, 0.1, 1, "Timeout", "sat"),
		count(derived, hostile, 10, 0.1, 1, "sat", "sat"),
		count(derived, derived, 0, 0, 1, "unsat", "unsat"),
		count(derived, derived, 10, 10, 1, "Timeout", "Timeout"),
		count(derived, derived, 10, 10, 1, "sat", "sat"),
	}, got.Datasets.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	for path, data := range files(t, sample()) {
		if all[path] != data && !strings.Contains(path, "parallel") {
			t.Errorf("%s is another page with charts", path)
		}
	}

	without := sample()
	without.Charts = true
	if _, err := without.Files(); err == nil || !strings.Contains(err.Error(), "charts need the runs") {
		t.Errorf("charts without runs: %v", err)
	}
}

// TestCorrelation uses the textbook example: x = 1, 2, 3 and y = 2, 1, 3 have covariance 1 and variances 2, so the
// coefficient is 1/2.
func TestCorrelation(t *testing.T) {
	if got := pearson([]float64{1, 2, 3}, []float64{2, 1, 3}); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
	if got := pearson([]float64{1, 2}, []float64{3, 3}); got == got { // only NaN differs from itself
		t.Errorf("got %v, want none", got)
	}
	for cpu, want := range map[float64]float64{0: 0, 0.5: 0.1, 0.1: 0.1, 10: 10, 999: 100, 1000: 1000} {
		if got := number(bucketOf(cpu)); got != number(want) {
			t.Errorf("%v is in %v, want %v", cpu, got, want)
		}
	}
}

// TestHugoCharts checks that the charts are pages that the overview links to.
func TestHugoCharts(t *testing.T) {
	pages, said, err := hugo(t, hugoSite(t, files(t, withCharts())))
	if err != nil || strings.Contains(said, "ERROR") || strings.Contains(said, "WARN") {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, name := range []string{"qf_bitvec-parallel-chart", "qf_bv-parallel-chart"} {
		built := pages["/results/"+name+"/"]
		if !strings.Contains(built, "vegaEmbed") || !strings.Contains(built, "Chart for") {
			t.Errorf("%s is built as %.200s", name, built)
		}
	}
}
