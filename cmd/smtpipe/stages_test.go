package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStagePages checks that the pages in docs/stages match the declarations. SMTPIPE_UPDATE=1 rewrites the pages.
func TestStagePages(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "stages")
	if os.Getenv("SMTPIPE_UPDATE") == "1" {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := writeStagePages(dir, nil); err != nil {
			t.Fatal(err)
		}
	}
	pages := stagePages()
	for name, want := range pages {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%v; SMTPIPE_UPDATE=1 go test ./cmd/smtpipe -run StagePages writes it", err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("docs/stages/%s is stale; SMTPIPE_UPDATE=1 go test ./cmd/smtpipe -run StagePages writes it "+
				"again (-want +got):\n%s", name, diff)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if pages[f.Name()] == nil {
			t.Errorf("docs/stages/%s is the page of no kind; remove it", f.Name())
		}
	}
}
