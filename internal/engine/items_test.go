package engine

import (
	"path/filepath"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// TestSharedItems: two stages that are executed concurrently have an item of one key, as two tracks of one kind have
// for the same script. Both end up with the record that was put first. A record whose content is lost is replaced.
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
