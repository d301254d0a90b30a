package frozen

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// TestOpenWithinLimits checks that files that are too large are rejected before they are read into memory.
func TestOpenWithinLimits(t *testing.T) {
	lock := (&Lock{Version: "0", Pipeline: "pipeline"}).Encode()
	for _, name := range []string{SumsName, LockName} {
		for what, grow := range map[string]func(path string) error{
			"a sparse file of 1 GB": func(path string) error { return os.Truncate(path, 1<<30) },
			"a million lines and one": func(path string) error {
				return os.WriteFile(path, []byte(strings.Repeat("\n", 1_000_001)), 0o666)
			},
		} {
			dir := t.TempDir()
			for file, content := range map[string][]byte{SumsName: nil, LockName: lock} {
				if err := os.WriteFile(filepath.Join(dir, file), content, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := grow(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Open(dir)
			runtime.ReadMemStats(&after)
			if _, ok := errors.AsType[*limits.Error](err); !ok {
				t.Errorf("%s as %s: %v", what, name, err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
				t.Errorf("%s as %s takes %d bytes", what, name, used)
			}
		}
	}
}
