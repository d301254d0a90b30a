package verify

import (
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// TestDifferencesAreInOrder verifies a folder with many stages and outputs that its pipeline lacks.
func TestDifferencesAreInOrder(t *testing.T) {
	lock := &frozen.Lock{Stages: map[string]frozen.Entry{}, Outputs: map[string]frozen.Entry{}}
	for c := 'a'; c <= 'z'; c++ {
		lock.Stages["stage.cap."+string(c)] = nil
		lock.Outputs["stage.cut."+string(c)+".kept"] = nil
	}
	v := &verification{folder: &frozen.Folder{Lock: lock}, report: &Report{}}
	v.judge(&engine.Rechecked{})
	lock.Stages = nil // their records are not read
	if err := v.records(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.tabled()
	for _, prefix := range []string{"stage.cap.", "stage.cut."} {
		var got []string
		for _, d := range v.report.Differences {
			if strings.HasPrefix(d.Where, prefix) {
				got = append(got, d.Where)
			}
		}
		if len(got) != 26 || !slices.IsSorted(got) {
			t.Errorf("got differences at %q", got)
		}
	}
}

// TestFirstMissingFile checks that a folder without the files of its pipeline names the first of them.
func TestFirstMissingFile(t *testing.T) {
	f := &frozen.Folder{Dir: t.TempDir(), Sums: map[string]cache.Digest{}}
	for c := 'a'; c <= 'z'; c++ {
		f.Sums["pipeline/"+string(c)+".smt"] = cache.Digest{}
	}
	v := &verification{folder: f, Options: Options{Temp: t.TempDir()}}
	if _, err := v.load(); err == nil || !strings.Contains(err.Error(), "pipeline/a.smt") {
		t.Errorf("got the error %v", err)
	}
}
