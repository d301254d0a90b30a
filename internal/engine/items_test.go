package engine

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// TestSharedItems executes two stages concurrently that share an item, like two tracks of the same kind with the same
// script. Both must use the record that was stored first. A record whose content is lost must be replaced.
func TestSharedItems(t *testing.T) {
	store, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	source := &itemSource{store: store, observer: Discard{}}
	open := func() *items {
		it, err := source.Open(t.Context(), "execute", "runs", 1, func(int) cache.Key { return cache.Key{7} })
		if err != nil {
			t.Fatal(err)
		}
		return it.(*items)
	}
	put := func(it *items, record string) {
		if err := it.Put(0, []byte(record)); err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, it *items, want string) {
		if got, err := it.Record(0); string(got) != want || err != nil || !it.Recorded(0) {
			t.Errorf("%s: %q, %v, want %q", what, got, err, want)
		}
	}
	a, b := open(), open()
	if a.Recorded(0) {
		t.Error("there is a record at the beginning")
	}
	put(a, "first")
	check("the other stage", b, "first")
	put(b, "second")
	check("the first stage", a, "first")
	check("the second stage", b, "first")

	lost := open()
	lost.Forget(0)
	if lost.Recorded(0) {
		t.Error("a record that was forgotten counts")
	}
	put(lost, "again")
	if got, err := lost.Record(0); string(got) != "again" || err != nil {
		t.Errorf("replaced: %q, %v", got, err)
	}
}

// TestManyItems checks that a stage that reads many new records locates them all at once, and that it reads the new
// version of a replaced one.
func TestManyItems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	const n = 10_000
	open := func() (*cache.Store, *items) {
		store, err := cache.Open(dir, cache.Options{Durability: cache.Relaxed})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		it, err := (&itemSource{store: store, observer: Discard{}}).Open(t.Context(), "execute", "runs", n,
			func(i int) cache.Key { return cache.Key{byte(i), byte(i >> 8)} })
		if err != nil {
			t.Fatal(err)
		}
		return store, it.(*items)
	}
	put := func(it *items, from, to int, text string) {
		t.Helper()
		for i := from; i < to; i++ {
			if err := it.Put(i, []byte(text+strconv.Itoa(i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(it *items, i int, want string) {
		t.Helper()
		if got, err := it.Record(i); string(got) != want+strconv.Itoa(i) || err != nil {
			t.Fatalf("item %d is %q, %v, want %s", i, got, err, want)
		}
	}
	store, it := open()
	put(it, 0, n/2, "old ")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	_, it = open()
	it.Forget(0)
	put(it, n/2, n, "new ")
	for i := range n {
		check(it, i, []string{"old ", "new "}[i/(n/2)])
	}
	if it.located != n/2 {
		t.Errorf("records were located after %d were put, want %d", it.located, n/2)
	}
	put(it, 0, 1, "again ")
	check(it, 0, "again ")
}
