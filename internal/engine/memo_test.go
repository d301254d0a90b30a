package engine

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// TestMemo checks that a snapshot's records go only to the memo, never to the store, and that the next snapshot uses
// both.
func TestMemo(t *testing.T) {
	store, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	key := func(i int) cache.Key { return cache.Key{byte(i + 1)} }
	stored, err := store.Items("models")
	if err != nil {
		t.Fatal(err)
	}
	if err := stored.Put(key(0), []byte("stored")); err != nil {
		t.Fatal(err)
	}
	memo := &Memo{}
	open := func(namespace string, memo *Memo) (missing []int, put func(int, string), get func(int) string) {
		source := &memoSource{itemSource{store: store, observer: Discard{}}, memo}
		it, err := source.Open(context.Background(), namespace, "models", 3, key)
		if err != nil {
			t.Fatal(err)
		}
		put = func(i int, s string) {
			if err := it.Put(i, []byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		get = func(i int) string {
			b, err := it.Record(i)
			if err != nil {
				return "error"
			}
			return string(b)
		}
		return it.Missing(), put, get
	}
	missing, put, get := open("models", memo)
	if !slices.Equal(missing, []int{1, 2}) || get(0) != "stored" || get(1) != "error" {
		t.Errorf("at first %v are missing, and the records are %s and %s", missing, get(0), get(1))
	}
	put(1, "computed")
	if got := get(1); got != "computed" {
		t.Errorf("the record that was put is %q", got)
	}
	if stored.Has(key(1)) {
		t.Error("the store has a record of a snapshot")
	}
	if missing, _, get := open("models", memo); !slices.Equal(missing, []int{2}) || get(1) != "computed" {
		t.Errorf("later %v are missing, and the record is %s", missing, get(1))
	}
	if missing, _, _ := open("models", nil); !slices.Equal(missing, []int{1, 2}) {
		t.Errorf("without the memo %v are missing", missing)
	}
	if missing, _, _ := open("others", memo); !slices.Equal(missing, []int{0, 1, 2}) {
		t.Errorf("of another namespace %v are missing", missing)
	}
}
