package remote

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// sharer opens a client for a store that shares all items. A record lists the digests that it refers to, one per line.
func sharer(t *testing.T, s *cache.Store, where string) *Client {
	t.Helper()
	c := NewClient(backend(t, where), s, nil)
	c.ShareItems(func(namespace string) bool { return namespace != "private" },
		func(_ string, record []byte) []cache.Digest {
			var all []cache.Digest
			for line := range strings.Lines(string(record)) {
				if d, err := cache.ParseDigest(strings.TrimSpace(line)); err == nil {
					all = append(all, d)
				}
			}
			return all
		})
	s.SetRemote(c)
	return c
}

func itemKey(who string, i int) cache.Key {
	return cache.Key(cache.DigestOf(fmt.Appendf(nil, "%s %d", who, i)))
}

// makeItems stores n records; the first ones have small and large output.
func makeItems(t *testing.T, s *cache.Store, namespace, who string, n int) {
	t.Helper()
	it, err := s.Items(namespace)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		record := fmt.Sprintf("%s %d\n", who, i)
		if i == 0 {
			for _, output := range [][]byte{[]byte(who + " said sat"), bytes.Repeat([]byte(who), 100_000)} {
				d, err := s.PutBytes(output)
				if err != nil {
					t.Fatal(err)
				}
				record += d.String() + "\n"
			}
		}
		if err := it.Put(itemKey(who, i), []byte(record)); err != nil {
			t.Fatal(err)
		}
	}
}

// pullItems pulls records 0 to n-1 and returns the number that arrived. It checks their content.
func pullItems(t *testing.T, s *cache.Store, namespace, who string, n int) int {
	t.Helper()
	it, err := s.Items(namespace)
	if err != nil {
		t.Fatal(err)
	}
	var want []cache.Key
	for i := range n {
		want = append(want, itemKey(who, i))
	}
	got := it.Pull(t.Context(), want)
	there := 0
	for i, k := range want {
		record, ok, err := it.Get(k)
		if err != nil || ok && !strings.HasPrefix(string(record), fmt.Sprintf("%s %d\n", who, i)) {
			t.Fatalf("record %d of %s is %q, %v", i, who, record, err)
		}
		if ok {
			there++
		}
	}
	if there < got {
		t.Errorf("%d records of %s came and %d are there", got, who, there)
	}
	return got
}

// shareTrip shares the runs of two machines with a third machine that has none.
func shareTrip(t *testing.T, where string) {
	t.Helper()
	for who, n := range map[string]int{"ann": 500, "ben": 300} {
		s := openStore(t)
		c := sharer(t, s, where)
		makeItems(t, s, "execute", who, n)
		makeItems(t, s, "private", who, 3)
		for _, want := range []int{n, 0} { // the second push has nothing left to upload
			if got, err := c.PushItems(t.Context(), "execute"); err != nil || got != want {
				t.Fatalf("%s pushed %d records, %v; want %d", who, got, err, want)
			}
		}
		if notes := c.Close(time.Second); len(notes) > 0 {
			t.Errorf("%s: notes %q", who, notes)
		}
	}
	s := openStore(t)
	c := sharer(t, s, where)
	defer c.Close(time.Second)
	if got := pullItems(t, s, "execute", "ann", 510); got != 500 {
		t.Errorf("%d of 500 records came", got)
	}
	if got := pullItems(t, s, "execute", "ben", 7); got != 7 {
		t.Errorf("%d of 7 records came", got)
	}
	if got := pullItems(t, s, "private", "ann", 3); got != 0 {
		t.Errorf("%d records came that are not shared", got)
	}
	for _, output := range [][]byte{[]byte("ann said sat"), bytes.Repeat([]byte("ben"), 100_000)} {
		if !s.Has(cache.DigestOf(output)) {
			t.Errorf("output of %d bytes did not come with its record", len(output))
		}
	}
	if got, err := c.PushItems(t.Context(), "execute"); err != nil || got != 0 {
		t.Errorf("what others share was pushed again: %d records, %v", got, err)
	}
	if c.notes != nil {
		t.Errorf("notes %q", c.notes)
	}
}

func TestShare(t *testing.T) {
	s := httptest.NewServer(&server{stored: map[string][]byte{}})
	defer s.Close()
	dir := t.TempDir()
	for _, where := range []string{s.URL, filepath.Join(dir, "plain"), "file://" + filepath.Join(dir, "file")} {
		t.Run(strings.ReplaceAll(where, "/", "_"), func(t *testing.T) { shareTrip(t, where) })
	}
}

// TestShareInBackground checks that closing the client uploads new records, including those that an earlier process
// left.
func TestShareInBackground(t *testing.T) {
	where := t.TempDir()
	s := openStore(t)
	makeItems(t, s, "execute", "before", 10) // left by a killed process
	c := sharer(t, s, where)
	makeItems(t, s, "execute", "now", 10)
	if notes := c.Close(10 * time.Second); len(notes) > 0 {
		t.Errorf("notes %q", notes)
	}
	to := openStore(t)
	r := sharer(t, to, where)
	defer r.Close(time.Second)
	for _, who := range []string{"before", "now"} {
		if got := pullItems(t, to, "execute", who, 10); got != 10 {
			t.Errorf("%d of 10 records of %s came", got, who)
		}
	}
}

// TestShelfStaysShort pushes a few records many times. By hand: one-record bundles merge like the digits of a binary
// number, so 64 uploads leave at most seven bundles.
func TestShelfStaysShort(t *testing.T) {
	where := t.TempDir()
	s := openStore(t)
	c := sharer(t, s, where)
	defer c.Close(time.Second)
	for i := range 64 {
		makeItems(t, s, "execute", fmt.Sprint("day ", i), 1)
		if _, err := c.PushItems(t.Context(), "execute"); err != nil {
			t.Fatal(err)
		}
	}
	id, err := s.ID()
	if err != nil {
		t.Fatal(err)
	}
	shelf, err := c.shelfOf(t.Context(), "execute", id)
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, b := range shelf.Bundles {
		records += b.Records
	}
	if records != 64 || len(shelf.Bundles) > 7 {
		t.Errorf("%d records in %d bundles", records, len(shelf.Bundles))
	}
	to := openStore(t)
	r := sharer(t, to, where)
	defer r.Close(time.Second)
	for i := range 64 {
		if got := pullItems(t, to, "execute", fmt.Sprint("day ", i), 1); got != 1 {
			t.Fatalf("the record of day %d did not come", i)
		}
	}
}

// TestShareFaults uses servers that damage, lose, reject and delay data. The client never accepts wrong data, never
// fails and does not take long.
func TestShareFaults(t *testing.T) {
	defer func(g, h, s time.Duration) { transferGrace, headerTimeout, stallTimeout = g, h, s }(transferGrace,
		headerTimeout, stallTimeout)
	transferGrace, headerTimeout, stallTimeout = 400*time.Millisecond, 300*time.Millisecond, 300*time.Millisecond
	path := func(r *http.Request, kind Kind) bool { return strings.HasPrefix(r.URL.Path, "/"+string(kind)+"/") }
	flip := func(body []byte) []byte {
		b := bytes.Clone(body)
		b[len(b)/2] ^= 1
		return b
	}
	tests := []struct {
		name  string
		come  int // minimum number of records that arrive; 50 without a fault
		notes bool
		fault func(w http.ResponseWriter, r *http.Request, body []byte) bool
	}{
		{"none", 50, false, nil},
		{"a flipped byte in content", 0, true, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			if r.Method == http.MethodGet && path(r, Content) && body != nil {
				w.Write(flip(body))
				return true
			}
			return false
		}},
		{"a flipped byte in records", 0, true, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			if r.Method == http.MethodGet && path(r, Records) && body != nil {
				w.Write(flip(body))
				return true
			}
			return false
		}},
		{"other content, well formed", 0, true, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			if r.Method == http.MethodGet && path(r, Content) && body != nil {
				w.Write([]byte(keysMagic))
				return true
			}
			return false
		}},
		{"lost content", 0, false, func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if r.Method == http.MethodGet && path(r, Content) {
				http.NotFound(w, r)
				return true
			}
			return false
		}},
		{"errors", 0, true, func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			http.Error(w, "no", http.StatusInternalServerError)
			return true
		}},
		{"a server that trickles", 0, true, func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			for i := range body {
				if w.Write(body[i : i+1]); r.Context().Err() != nil {
					break
				}
				w.(http.Flusher).Flush()
				time.Sleep(50 * time.Millisecond)
			}
			return body != nil
		}},
		{"a server that never answers", 0, true, func(_ http.ResponseWriter, r *http.Request, _ []byte) bool {
			select {
			case <-r.Context().Done():
			case <-time.After(5 * time.Second):
			}
			return true
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := &server{stored: map[string][]byte{}}
			s := httptest.NewServer(srv)
			defer s.Close()
			from := openStore(t)
			c := sharer(t, from, s.URL)
			makeItems(t, from, "execute", "ann", 50)
			if n, err := c.PushItems(t.Context(), "execute"); err != nil || n != 50 {
				t.Fatalf("pushed %d, %v", n, err)
			}
			c.Close(time.Second)
			srv.mu.Lock()
			srv.fault = tt.fault
			srv.mu.Unlock()
			to := openStore(t)
			r := sharer(t, to, s.URL)
			if tt.name == "a server that never answers" {
				r.answerTimeout = 300 * time.Millisecond
			}
			began := time.Now()
			if got := pullItems(t, to, "execute", "ann", 50); got < tt.come || tt.come == 0 && got > 0 {
				t.Errorf("%d records came", got)
			}
			makeItems(t, to, "execute", "eve", 5) // the server is too slow for this upload
			if took := time.Since(began); took > 12*time.Second {
				t.Errorf("it took %v", took)
			}
			if notes := r.Close(500 * time.Millisecond); tt.notes != (len(notes) > 0) {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// TestLostBundle evicts a bundle from the server and uploads its records again.
func TestLostBundle(t *testing.T) {
	srv := &server{stored: map[string][]byte{}}
	s := httptest.NewServer(srv)
	defer s.Close()
	from := openStore(t)
	for range 2 {
		c := sharer(t, from, s.URL)
		makeItems(t, from, "execute", "ann", 20)
		if n, err := c.PushItems(t.Context(), "execute"); err != nil || n != 20 {
			t.Fatalf("pushed %d, %v; want 20", n, err)
		}
		c.Close(time.Second)
		for path := range srv.stored {
			if strings.Contains(path, "/cas/") {
				delete(srv.stored, path)
			}
		}
	}
}

// TestCopiedStore copies a store: the two diverge and must not share a shelf.
func TestCopiedStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	s, err := cache.Open(dir, cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	one, err := s.ID()
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.ID()
	if err != nil || one != again || len(one) != 32 {
		t.Errorf("IDs %q, again %q, %v", one, again, err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	c, err := cache.Open(copied, cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if id, err := c.ID(); err != nil || id == one {
		t.Errorf("a copy has the ID %q, the store %q, %v", id, one, err)
	}
}

func FuzzReadBundle(f *testing.F) {
	b := &bundle{}
	b.add(entryContent, cache.DigestOf([]byte("out")), []byte("out"))
	b.add(entryRecord, itemKey("ann", 1), []byte("record"))
	content, keys, err := b.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(keys)
	f.Add([]byte{})
	f.Fuzz(func(_ *testing.T, content []byte) {
		readBundle(content, func(byte, [32]byte, []byte) error { return nil })
		readKeys(content)
	})
}
