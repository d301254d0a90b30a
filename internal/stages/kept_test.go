package stages

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// TestKept checks that what is kept is read again only by the same kind, version and build, and not after damage.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	kind := &Kind{Name: "score", Version: 1}
	in := func(store *cache.Store, kind *Kind) *Kept {
		k, err := KeptIn(store, kind)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	content := strings.Repeat("kept ", 100_000) // too large for a pack
	write := func(w io.Writer) error { _, err := io.WriteString(w, content); return err }
	has := func(k *Kept, id string) bool {
		return k.Kept(id, func(r io.Reader) error {
			if got, err := io.ReadAll(r); err != nil || string(got) != content {
				t.Errorf("%s: other content: %v", id, err)
			}
			return nil
		})
	}
	over, err := store.Overlay(filepath.Join(dir, "over"))
	if err != nil {
		t.Fatal(err)
	}
	defer over.Close()
	for k, id := range map[*Kept]string{
		in(store, kind): "a", in(over, kind): "in an overlay", nil: "nowhere",
	} {
		if err := k.Keep(id, write); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		what string
		k    *Kept
		id   string
		want bool
	}{
		{"the same", in(store, kind), "a", true},
		{"in an overlay", in(over, kind), "a", true},
		{"another id", in(store, kind), "b", false},
		{"another version of the kind", in(store, &Kind{Name: "score", Version: 2}), "a", false},
		{"another kind", in(store, &Kind{Name: "report", Version: 1}), "a", false},
		{"kept in an overlay", in(store, kind), "in an overlay", false},
		{"nothing", nil, "nowhere", false},
	} {
		if got := has(test.k, test.id); got != test.want {
			t.Errorf("%s: %v, want %v", test.what, got, test.want)
		}
	}
	f, _ := in(store, kind).File("a")
	name := f.Digest.String()
	files, _ := filepath.Glob(filepath.Join(dir, "store", "blobs", name[:2], name+"*"))
	if len(files) != 1 {
		t.Fatalf("the blob has the files %v", files)
	}
	if err := os.Chmod(files[0], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(strings.Repeat("kept!", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if has(in(store, kind), "a") {
		t.Error("damaged content was read")
	}
	of := in(store, kind)
	if err := of.Keep("b", write); err != nil || !has(of, "b") {
		t.Error("nothing was kept", err)
	}
	old := program
	defer func() { program = old }()
	if program = func() string { return "another build" }; has(of, "b") {
		t.Error("what another build kept was read")
	}
	for env, want := range map[*Env]bool{{Store: store}: true, {Store: store, Healing: true}: false,
		{Store: store, Recheck: true}: false} {
		if k, err := env.Kept(kind); err != nil || (k != nil) != want {
			t.Errorf("%+v: %v, %v", env, k, err)
		}
	}
}
