package runner

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// TestInitKillsGenerations closes the driver's end of the socket, as the kernel does when a driver dies. Each
// generation of processes becomes a child of init only when its parent generation is dead, long after the command
// itself.
func TestInitKillsGenerations(t *testing.T) {
	dir := t.TempDir()
	script := "echo $$ >>pids\nif [ $1 -gt 1 ]; then sh generation $(($1-1)) & fi\nexec sleep 32\n"
	if err := os.WriteFile(filepath.Join(dir, "generation"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	starter, err := openInits(false, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer starter.close()
	init, err := starter.start()
	if err != nil {
		t.Fatal(err)
	}
	defer init.end()
	const generations = 8
	request := &initproc.Request{Dir: dir, Command: &initproc.Command{Programs: []string{"/bin/sh"},
		Argv: []string{"sh", "generation", itoa(generations)}, Env: []string{"PATH=/usr/bin:/bin"},
		SoftFiles: 64, HardFiles: 64}}
	null := starter.null
	if err := init.send(request, toolFiles{streams: []int{null, null, null}}); err != nil {
		t.Fatal(err)
	}
	if _, err := init.receive(); err != nil {
		t.Fatal(err)
	}
	var pids []string
	eventually(t, "all generations have started", func() bool {
		pids = readWords(filepath.Join(dir, "pids"))
		return len(pids) == generations
	})
	init.hangUp()
	eventually(t, "all generations are dead", func() bool {
		return !slices.ContainsFunc(pids, func(pid string) bool {
			n, _ := strconv.Atoi(pid)
			_, alive := startTime(n)
			return alive
		})
	})
}

// eventually waits up to ten seconds for a condition.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second * slow); !is(); {
		if time.Now().After(deadline) {
			t.Fatalf("it is not true that %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
