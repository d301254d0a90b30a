package cache

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// stormItems is the total number of items that the killed process executes.
const stormItems = 4000

// TestKillStorm kills a process that records items, at random moments and at most SMTPIPE_KILLS times (default 50),
// until it has recorded all of them. An item reported as recorded must stay recorded and must not be executed again.
func TestKillStorm(t *testing.T) {
	kills := 50
	if n, err := strconv.Atoi(os.Getenv("SMTPIPE_KILLS")); err == nil {
		kills = n
	}
	dir := filepath.Join(t.TempDir(), "store")
	executed := map[int]int{}
	for range kills {
		stormProcess(t, dir, 1+rand.IntN(2*stormItems/kills), executed)
	}
	stormProcess(t, dir, -1, executed)
	unsaid := 0 // recorded just before the kill, but not reported
	for i := range stormItems {
		switch executed[i] {
		case 0:
			unsaid++
		case 1:
		default:
			t.Fatalf("item %d was recorded and executed again, %d times in all", i, executed[i])
		}
	}
	if unsaid > kills {
		t.Errorf("%d items were never executed; a kill explains at most one", unsaid)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	it, err := s.Items("storm")
	if err != nil {
		t.Fatal(err)
	}
	for i := range stormItems {
		if got, ok, err := it.Get(Key(key(i))); err != nil || !ok || string(got) != stormRecord(i) {
			t.Fatalf("item %d has %q, %v, %v", i, got, ok, err)
		}
	}
	if v, err := s.Check(); err != nil || len(v.Problems) > 0 {
		t.Errorf("after the storm: %+v, %v", v, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "items", "storm", "*.seg")); len(left) > compactAbove+2 {
		t.Errorf("%d segments are left", len(left))
	}
}

// stormProcess starts the process, kills it after it has recorded most items (-1: never), and counts the recorded
// items.
func stormProcess(t *testing.T, dir string, most int, executed map[int]int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestStormHelper$")
	cmd.Env = append(os.Environ(), "STORM_STORE="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	n := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		i, err := strconv.Atoi(lines.Text())
		if err != nil {
			continue // output of the test framework
		}
		executed[i]++
		if n++; n == most {
			cmd.Process.Kill() // the output so far is still read to its end
		}
	}
}

func stormRecord(i int) string { return fmt.Sprintf("record %d", i) }

// TestStormHelper is not a test: it is the process that TestKillStorm starts.
func TestStormHelper(t *testing.T) {
	dir := os.Getenv("STORM_STORE")
	if dir == "" {
		t.Skip("it is started by another test")
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	it, err := s.Items("storm")
	if err != nil {
		t.Fatal(err)
	}
	for i := range stormItems {
		if it.Has(Key(key(i))) {
			continue
		}
		if err := it.Put(Key(key(i)), []byte(stormRecord(i))); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString(strconv.Itoa(i) + "\n") // one write per item: the process does not buffer output
		if i%64 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
