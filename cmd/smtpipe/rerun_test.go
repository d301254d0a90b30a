package main

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// TestRerunReusesNothing replaces everything that a report keeps for later ones. "cache verify --rerun" must not be
// affected, because it must generate the site's files instead of taking kept ones.
func TestRerunReusesNothing(t *testing.T) {
	t.Parallel()
	project := smallProjectOf(t, smallPipeline+`
stage "report" "site" {
  scores   = [stage.score.main.scores]
  verdicts = [stage.verdicts.main.verdicts]
  runs     = [stage.execute.main.runs]
}
`)
	forgeKept(t, filepath.Join(project, ".smtpipe"))
	out, _ := smtpipe(t, "cache", "verify", "-p", project, "--rerun")
	if !strings.Contains(out, " 0 outputs differ") {
		t.Error(out)
	}
}

// forgeKept makes every file and all data that reports keep in a store the same forged text.
func forgeKept(t *testing.T, dir string) {
	t.Helper()
	store, err := cache.Open(dir, cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	const text = "forged"
	d, err := store.PutBytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	items, err := store.Items("report")
	if err != nil {
		t.Fatal(err)
	}
	var keys []cache.Key
	if err := items.Each(func(key cache.Key, _ []byte) error { keys = append(keys, key); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(keys) == 0 {
		t.Fatal("the report kept nothing")
	}
	for _, key := range keys {
		if err := items.Put(key, binary.BigEndian.AppendUint64(d[:], uint64(len(text)))); err != nil {
			t.Fatal(err)
		}
	}
}
