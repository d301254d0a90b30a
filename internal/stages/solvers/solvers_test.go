package solvers_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/stages/solvers"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) {
	stagetest.Run(t, solvers.Kind, stagetest.Case{Prepare: func(t *testing.T, folder string) {
		dir := filepath.Join(folder, "archives")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		writeZip(t, filepath.Join(dir, "a.zip"), map[string]string{"bin/run": "#!/bin/sh\necho sat\n"})
		writeZip(t, filepath.Join(dir, "b.zip"), map[string]string{"run": "#!/bin/sh\necho unsat\n"})
	}})
}

// writeZip writes a zip archive whose bytes depend only on the files.
func writeZip(t *testing.T, target string, files map[string]string) {
	t.Helper()
	f, err := os.Create(target)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	for name, text := range files {
		h := &zip.FileHeader{Name: name, Modified: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
		h.SetMode(0o755)
		member, err := w.CreateHeader(h)
		if err == nil {
			_, err = member.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
