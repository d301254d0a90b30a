package report_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/config"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/report"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, report.Kind, stagetest.Case{}) }

// TestFiles looks at what comes from the runs and from the stored tables.
func TestFiles(t *testing.T) {
	dir := stagetest.Folder(t, "testdata/site.txtar")
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p, diags := config.Load(config.Options{Path: filepath.Join(dir, "pipeline.hcl"), Kinds: []*stages.Kind{report.Kind,
		stagetest.Rows}, Files: stagetest.Files(dir, store), Version: "0.0.0"})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e, err := engine.New(p, engine.Options{Store: store, Folder: dir, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, diags, err := e.Run(context.Background())
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	site, _ := stages.ArtifactOf(r.Known["stage.report.site"]["files"])
	m, err := artifact.ReadTree(store, site)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]cache.Digest{}
	for _, f := range m.Files {
		files[f.Path] = f.Digest
	}
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
		"tracks/single_query.html": "30 GB",
		"provenance.html":          "Testium 9000 at 2 cores",
		"provenance.svg":           "rows.v",
	} {
		page, err := store.ReadBytes(files[name])
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("%s lacks %q (%v)", name, want, err)
		}
	}
}
