package report_test

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/report"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, report.Kind, stagetest.Case{}) }

// reported executes a pipeline and returns the digests of the files in stage.report.site, by path.
func reported(t *testing.T, archive string) (store *cache.Store, r *engine.Result, files map[string]cache.Digest) {
	t.Helper()
	dir := stagetest.Folder(t, archive)
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	p, diags := config.Load(config.Options{Path: filepath.Join(dir, "pipeline.hcl"), Kinds: []*stages.Kind{report.Kind,
		stagetest.Rows}, Files: stagetest.Files(dir, store), Version: "0.0.0"})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e, err := engine.New(p, engine.Options{Store: store, Folder: dir, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, diags, err = e.Run(context.Background())
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	site, _ := stages.ArtifactOf(r.Known["stage.report.site"]["files"])
	m, err := artifact.ReadTree(store, site)
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]cache.Digest{}
	for _, f := range m.Files {
		files[f.Path] = f.Digest
	}
	return store, r, files
}

// TestPages generates pages of the official site and checks what the stage takes from its tables and attributes.
func TestPages(t *testing.T) {
	store, _, files := reported(t, "testdata/pages.txtar")
	for name, want := range map[string][]string{
		"web/content/results/qf_bitvec-single-query.md": {`"time_limit": 1199,`, `"mem_limit": 28610,`,
			`"resultdate": "2026-07-27",`, `"year": 2026,`, `"is_competitive": true,`, `"winner_par": "a",`,
			`"baseSolver": "a-base",`},
		// The stage's own limits apply to its logics. A division has the largest of its logics' limits.
		"web/content/results/qf_linearintarith-single-query.md": {`"time_limit": 300,`, `"mem_limit": 2048,`},
		"web/content/results/qf_idl-single-query.md":            {`"time_limit": 60,`, `"mem_limit": 2048,`},
		"web/content/results/qf_bitvec-parallel.md":             {`"time_limit": 1200,`, `"mem_limit": 102400,`},
		"web/data/participants.json": {`[{"name": "a", "authors": ["Ann", "\u00c9mile"], `,
			`"tracks": {"SingleQuery": {"QF_Bitvec": ["QF_BV"]}}, "seed": 5}]`},
		"data/latex-certificates/input_for_certificates.tex": {
			`\MakeOnePage{a}{}{\withtrack{QF\_Bitvec}{\paral}, \withtrack{QF\_LinearIntArith}{\paral}}{}{s}{}`},
	} {
		page, err := store.ReadBytes(files[name])
		if err != nil {
			t.Fatal(name, err)
		}
		for _, text := range want {
			if !strings.Contains(string(page), text) {
				t.Errorf("%s lacks %s:\n%s", name, text, page)
			}
		}
	}
}

// TestFiles checks the contents that come from the runs and from the stored tables.
func TestFiles(t *testing.T) {
	store, r, files := reported(t, "testdata/site.txtar")
	verdicts, _ := stages.ArtifactOf(r.Known["stage.rows.v"]["verdicts"])
	if files["export/verdicts.parquet"] != verdicts.Digest {
		t.Errorf("export/verdicts.parquet is %v, want the stored table %v", files["export/verdicts.parquet"],
			verdicts.Digest)
	}
	page, err := store.ReadBytes(files["provenance.html"])
	if want := verdicts.Digest.String(); err != nil || !strings.Contains(string(page), "stage.rows.v") ||
		strings.Count(string(page), want) != 2 {
		t.Errorf("provenance.html does not have the digest %s both as an output of stage.rows.v and as an input (%v)",
			want, err)
	}
	for name, want := range map[string]string{
		"tracks/single_query.html":      "30 GB",
		"provenance.html":               "Testium 9000 at 2 cores",
		"provenance.svg":                "rows.v",
		"solvers/a.html":                "82f777475f3d8d6418b2bae11c23f40f567e2a0e647ba49bdea2d9249b75c32a",
		"solvers/b.html":                "https://solver.example/b.pdf",
		"divisions/single_query/D.html": ">25.0<", // last year's share: 2 of 8
		"data/single_query/D.detail-0.js": `"settings":[{"hardware":"Testium 9000 at 2 cores","isolation":"full",` +
			`"measured_with":"0.1.0","flags":"truncated","wall_limit_s":0,"cpu_limit_s":0,` +
			`"memory_limit_bytes":30000000000,"cores":1}]`,
	} {
		page, err := store.ReadBytes(files[name])
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("%s lacks %q (%v)", name, want, err)
		}
	}
	page, err = store.ReadBytes(files["data/single_query/D.detail-0.js"])
	if want := `"2026-05-01T12:00:00Z",0.375]`; err != nil || !strings.Contains(string(page), want) {
		t.Errorf("the details of the run lack %s (%v):\n%s", want, err, page)
	}
	page, err = store.ReadBytes(files["solvers/b.html"])
	digest := regexp.MustCompile(`<td class="code"><code>[0-9a-f]{64}`)
	if text := string(page); err != nil || !digest.MatchString(text) || strings.Contains(text, "/bin/sh") {
		t.Errorf("solvers/b.html lacks the digest of sh, or says where it is installed (%v):\n%s", err, page)
	}
}

// TestMerged reads two tables of a track as one: the runs are ordered by benchmark and solver, and have the rankings'
// divisions.
func TestMerged(t *testing.T) {
	store, _, files := reported(t, "testdata/merged.txtar")
	parquet, err := store.ReadBytes(files["export/verdicts.parquet"])
	if err != nil {
		t.Fatal(err)
	}
	rows, err := results.Read[results.VerdictRow](bytes.NewReader(parquet), int64(len(parquet)))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rows {
		got = append(got, strings.Join([]string{r.Track, r.Benchmark, r.Solver, r.Division}, " "))
	}
	want := []string{"parallel n/QF_BV/f/x.smt2 a QF_BV", "single_query n/QF_BV/f/x.smt2 a D",
		"single_query n/QF_BV/f/x.smt2 b D", "single_query n/QF_BV/f/y.smt2 a D", "single_query n/QF_LIA/z.smt2 b Own"}
	if !slices.Equal(got, want) {
		t.Errorf("runs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
