package cache

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// garden is a store with two records of one stage, the later of which is in use, and with the content that each needs.
type garden struct {
	dir      string
	old, new Key
	content  map[string]Digest
}

func plant(t *testing.T) *garden {
	t.Helper()
	g := &garden{dir: filepath.Join(t.TempDir(), "store"), content: map[string]Digest{}}
	s, err := Open(g.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, b []byte) Digest {
		d, err := s.PutBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		g.content[name] = d
		return d
	}
	large := func(c byte) []byte { return bytes.Repeat([]byte{c}, packLimit+1) }
	put("part of old", []byte("part of old"))
	put("part of new", []byte("part of new"))
	put("orphan", large('o'))
	put("printed by a run", large('p'))
	record := func(name string, seed int64, b []byte) Key {
		k := NewKeyWriter("stage/1")
		k.Int("seed", seed)
		a := &Action{Address: "stage.cap.x", Components: k.Components(), Outputs: map[string]Output{
			"rows": {Schema: "table", Digest: put(name, b).String()},
			"n":    {Value: []byte("1")},
		}}
		if err := s.PutAction(k.Key(), a); err != nil {
			t.Fatal(err)
		}
		return k.Key()
	}
	g.old, g.new = record("old", 1, large('a')), record("new", 2, large('b'))
	it, err := s.Items("execute")
	if err != nil {
		t.Fatal(err)
	}
	if err := it.Put(Key{1}, []byte(g.content["printed by a run"].String())); err != nil {
		t.Fatal(err)
	}
	if err := s.SaveState(&State{Pipeline: "/p",
		Latest: map[string]string{"stage.cap.x": g.new.String()}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Hour)
	for i, k := range []Key{g.old, g.new} {
		os.Chtimes(s.actionPath(k), then.Add(time.Duration(i)*time.Minute), then.Add(time.Duration(i)*time.Minute))
	}
	for _, d := range g.content {
		os.Chtimes(s.blobPath(d), then, then)
	}
	return g
}

// collect opens the store, collects garbage, and returns which of the planted content is left, such as "new orphan".
func (g *garden) collect(t *testing.T, opt GCOptions) (left string, got *Collected) {
	t.Helper()
	s, err := Open(g.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	opt.Refers = func(schema string, d Digest) ([]Digest, error) {
		if schema != "table" {
			return nil, fmt.Errorf("schema %q", schema)
		}
		for _, name := range []string{"old", "new"} {
			if d == g.content[name] {
				return []Digest{g.content["part of "+name]}, nil
			}
		}
		return nil, nil
	}
	opt.ItemRefers = func(namespace string, record []byte) []Digest {
		d, err := ParseDigest(string(record))
		if err != nil || namespace != "execute" {
			t.Errorf("record %q of %s", record, namespace)
		}
		return []Digest{d}
	}
	if got, err = s.GC(opt); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, name := range []string{"old", "part of old", "new", "part of new", "orphan", "printed by a run"} {
		if s.Has(g.content[name]) {
			if _, err := s.ReadBytes(g.content[name]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, ", "), got
}

func TestGC(t *testing.T) {
	const all = "old, part of old, new, part of new, orphan, printed by a run"
	tests := []struct {
		name    string
		opt     GCOptions
		left    string
		actions int
	}{
		{"what nothing needs", GCOptions{}, "new, part of new, printed by a run", 1},
		{"dry run", GCOptions{DryRun: true}, all, 1},
		{"last two", GCOptions{KeepLast: 2}, "old, part of old, new, part of new, printed by a run", 0},
		{"room for all", GCOptions{MaxSize: 1 << 20}, "old, part of old, new, part of new, printed by a run", 0},
		{"no room", GCOptions{MaxSize: packLimit}, "new, part of new, printed by a run", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := plant(t)
			left, got := g.collect(t, tt.opt)
			if left != tt.left || got.Actions != tt.actions {
				t.Errorf("left: %s; %d records went. Want %s and %d", left, got.Actions, tt.left, tt.actions)
			}
			if again, second := g.collect(t, tt.opt); !tt.opt.DryRun && (second.Bytes != 0 || again != left) {
				t.Errorf("a second collection frees %d bytes", second.Bytes)
			}
		})
	}
}

// TestGCBesideProcess collects garbage while the store is open in another process, which found the older record.
func TestGCBesideProcess(t *testing.T) {
	g := plant(t)
	other := holdOpen(t, g.dir, g.old)
	left, got := g.collect(t, GCOptions{})
	if want := "old, part of old, new, part of new, printed by a run"; left != want || !got.PacksSkipped {
		t.Errorf("beside a process is left: %s; want %s", left, want)
	}
	other.Process.Kill()
	other.Wait()
	os.Chtimes((&Store{dir: g.dir}).actionPath(g.old), time.Unix(1, 0), time.Unix(1, 0))
	if left, got := g.collect(t, GCOptions{}); left != "new, part of new, printed by a run" || got.PacksSkipped {
		t.Errorf("after it was killed is left: %s", left)
	}
}

// TestGCAfterClockWasSetBack collects garbage while another process has the store open. That process opened it before
// the clock was set back by an hour, and has stored something since.
func TestGCAfterClockWasSetBack(t *testing.T) {
	g := plant(t)
	holdOpen(t, g.dir, g.old)
	files, err := filepath.Glob(filepath.Join(g.dir, "lock", presencePrefix+"*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	opened := time.Now().Add(time.Hour)
	if err := os.Chtimes(files[0], opened, opened); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	os.Chtimes((&Store{dir: g.dir}).actionPath(g.old), now, now)
	if left, got := g.collect(t, GCOptions{}); left != "old, part of old, new, part of new, printed by a run" {
		t.Errorf("is left: %s; %+v", left, got)
	}
}

// holdOpen starts a process that opens a store, looks up a record and waits.
func holdOpen(t *testing.T, dir string, key Key) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^TestHoldOpenHelper$")
	cmd.Env = append(os.Environ(), "HOLD_STORE="+dir, "HOLD_KEY="+key.String())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestHoldOpenHelper is not a test: it is the process that holdOpen starts.
func TestHoldOpenHelper(t *testing.T) {
	dir := os.Getenv("HOLD_STORE")
	if dir == "" {
		t.Skip("it is started by other tests")
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseKey(os.Getenv("HOLD_KEY"))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := s.GetAction(key); a == nil || err != nil {
		t.Fatal("no record", err)
	}
	fmt.Println("ready")
	time.Sleep(time.Minute)
}

func TestCheck(t *testing.T) {
	g := plant(t)
	s, err := Open(g.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := s.Check()
	if err != nil || len(v.Problems) > 0 || v.Blobs != 6 || v.Records != 1 || v.Actions != 2 || v.Missing != 0 {
		t.Fatalf("a sound store gives %+v, %v", v, err)
	}
	path := s.blobPath(g.content["new"])
	os.Chmod(path, 0o666)
	if err := os.WriteFile(path, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.actionPath(g.old), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, check := range []func() (*Verified, error){s.Check, s.Repair} { // the first one, Check, changes nothing
		if v, err = check(); err != nil || len(v.Problems) != 2 {
			t.Errorf("with two kinds of damage it gives %+v, %v", v, err)
		}
	}
	if v, err = s.Check(); err != nil || len(v.Problems) != 0 || v.Actions != 1 || v.Missing != 1 {
		t.Errorf("after repair it gives %+v, %v", v, err)
	}
}

// TestGCRemovesLocks checks that the lock files of stages are removed if no other process has the store open.
func TestGCRemovesLocks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	open := func() *Store {
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := open()
	lock, _, err := s.Lock("stage-x")
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
	other := open()
	for i, want := range []int{1, 0} {
		if _, err := s.GC(GCOptions{}); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "lock", "stage-*")); len(left) != want {
			t.Errorf("collection %d left the locks %v, want %d", i, left, want)
		}
		other.Close()
	}
}
