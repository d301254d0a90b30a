package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// TestMain raises the time limits: a busy machine must not be mistaken for a slow server.
func TestMain(m *testing.M) {
	lookupTimeout = 20 * time.Second
	os.Exit(m.Run())
}

// server is an HTTP cache in memory that can be made to fail.
type server struct {
	mu       sync.Mutex
	stored   map[string][]byte
	requests int
	fault    func(w http.ResponseWriter, r *http.Request, body []byte) bool // reports whether it answered
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	body, have := s.stored[r.URL.Path]
	fault := s.fault
	s.mu.Unlock()
	switch {
	case fault != nil && fault(w, r, body):
	case r.Method == http.MethodPut:
		b, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.stored[r.URL.Path] = b
		s.mu.Unlock()
	case !have:
		http.NotFound(w, r)
	default:
		w.Write(body)
	}
}

func openStore(t *testing.T) *cache.Store {
	t.Helper()
	s, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// fill stores a record with small and large content.
func fill(t *testing.T, s *cache.Store) (key cache.Key, contents [][]byte) {
	t.Helper()
	contents = [][]byte{[]byte("sat\n"), bytes.Repeat([]byte("large"), 50_000)}
	k := cache.NewKeyWriter("stage/1")
	k.String("kind", "cap")
	a := &cache.Action{Address: "stage.cap.x", Kind: "cap", Components: k.Components(),
		Outputs: map[string]cache.Output{}}
	for i, c := range contents {
		d, err := s.PutBytes(c)
		if err != nil {
			t.Fatal(err)
		}
		a.Outputs[fmt.Sprint("o", i)] = cache.Output{Schema: "blob", Digest: d.String()}
	}
	if err := s.PutAction(k.Key(), a); err != nil {
		t.Fatal(err)
	}
	return k.Key(), contents
}

func backend(t *testing.T, where string) Backend {
	t.Helper()
	b, err := OpenBackend(where)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// roundTrip pushes a record from one store and reads it through an empty one.
func roundTrip(t *testing.T, where string) {
	t.Helper()
	from := openStore(t)
	key, contents := fill(t, from)
	c := NewClient(backend(t, where), from, nil)
	if n, err := c.Push(t.Context(), key); err != nil || n != 3 {
		t.Fatalf("push uploads %d things, %v; want 3", n, err)
	}
	if n, err := c.Push(t.Context(), key); err != nil || n != 1 { // Push writes the record again, but not its content
		t.Errorf("a second push uploads %d things, %v", n, err)
	}
	c.Close(time.Second)

	to := openStore(t)
	c = NewClient(backend(t, where), to, nil)
	defer c.Close(time.Second)
	to.SetRemote(c)
	a, err := to.GetAction(key)
	if err != nil || a == nil || a.Address != "stage.cap.x" {
		t.Fatalf("the record read through is %+v, %v", a, err)
	}
	for _, want := range contents {
		d := cache.DigestOf(want)
		if to.Has(d) {
			t.Error("content came before it was needed")
		}
		if got, err := to.ReadBytes(d); err != nil || !bytes.Equal(got, want) {
			t.Errorf("content of %d bytes: %d came, %v", len(want), len(got), err)
		}
		if !to.Has(d) {
			t.Error("what was downloaded is not kept")
		}
	}
	if _, err := to.ReadBytes(cache.DigestOf([]byte("never stored"))); !errors.As(err, new(*cache.MissingError)) {
		t.Errorf("absent content gives %v", err)
	}
}

func TestRoundTrip(t *testing.T) {
	s := httptest.NewServer(&server{stored: map[string][]byte{}})
	defer s.Close()
	dir := t.TempDir()
	for _, where := range []string{s.URL, s.URL + "/below/", filepath.Join(dir, "plain"), "file://" +
		filepath.Join(dir, "file")} {
		t.Run(strings.ReplaceAll(where, "/", "_"), func(t *testing.T) { roundTrip(t, where) })
	}
}

// TestEvictedContent uses a server that keeps a stage record but loses an output. An output that cannot be reproduced
// then makes the record count as absent, and the client must not store the record, which would later be used even
// without the server.
func TestEvictedContent(t *testing.T) {
	for _, test := range []struct {
		name         string
		kind         string
		evict, local bool
		used         bool
	}{
		{"everything is there", "cap", false, false, true},
		{"an output is gone", "cap", true, false, false},
		{"the store has the output", "cap", true, true, true},
		{"the output can be made again", "filter", true, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			where, from := t.TempDir(), openStore(t)
			key, contents := fill(t, from)
			c := NewClient(backend(t, where), from, nil)
			if _, err := c.Push(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			c.Close(time.Second)
			to := openStore(t)
			if test.local {
				if _, err := to.PutBytes(contents[1]); err != nil {
					t.Fatal(err)
				}
			}
			if test.evict {
				name := cache.DigestOf(contents[1]).String()
				if err := os.Remove(filepath.Join(where, string(Content), name)); err != nil {
					t.Fatal(err)
				}
			}
			c = NewClient(backend(t, where), to, nil)
			c.NeedContent(func(kind string) bool { return kind == test.kind })
			to.SetRemote(c)
			a, err := to.GetAction(key)
			if used := a != nil; err != nil || used != test.used {
				t.Errorf("the record is %+v, %v", a, err)
			}
			c.Close(time.Second)
			to.SetRemote(nil)
			if a, err := to.GetAction(key); err != nil || (a != nil) != test.used {
				t.Errorf("without the server, the record is %+v, %v", a, err)
			}
		})
	}
}

func TestOpenBackendRefuses(t *testing.T) {
	for _, where := range []string{"ftp://x/y", "http:///x", "file://host/x", "http://%zz"} {
		if _, err := OpenBackend(where); err == nil {
			t.Errorf("%s is taken", where)
		}
	}
}

// TestFaults reads through servers with every kind of fault. Requested content then quickly counts as absent, and is
// never wrong.
func TestFaults(t *testing.T) {
	short := func(p *time.Duration, d time.Duration) {
		was := *p
		*p = d
		t.Cleanup(func() { *p = was })
	}
	short(&stallTimeout, 300*time.Millisecond)
	short(&transferGrace, 300*time.Millisecond)
	short(&maxAbsentWait, 300*time.Millisecond)
	short(&slowAbsentMean, 50*time.Millisecond)
	stop := make(chan struct{})
	hang := func(r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}
	tests := []struct {
		name  string
		fault func(w http.ResponseWriter, r *http.Request, body []byte) bool
		note  string
	}{
		{"error", func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			http.Error(w, "no", http.StatusInternalServerError)
			return true
		}, "failed 3 times in a row"},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			http.Error(w, "no", http.StatusForbidden)
			return true
		}, "SMTPIPE_REMOTE_TOKEN"},
		{"silent", func(_ http.ResponseWriter, r *http.Request, _ []byte) bool {
			hang(r)
			return true
		}, "did not answer in 300ms"},
		{"trickles", func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			for _, b := range body {
				w.Write([]byte{b})
				w.(http.Flusher).Flush()
				select {
				case <-time.After(20 * time.Millisecond):
				case <-r.Context().Done():
					return true
				}
			}
			return true
		}, "too slow"},
		{"says slowly that it has nothing", func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			time.Sleep(100 * time.Millisecond)
			http.NotFound(w, r)
			return true
		}, "to report that it lacks a few entries"},
		{"stalls", func(w http.ResponseWriter, r *http.Request, body []byte) bool {
			w.Write(body[:len(body)/2])
			w.(http.Flusher).Flush()
			hang(r)
			return true
		}, "stopped sending"},
		{"flipped byte", func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
			b := bytes.Clone(body)
			if i := bytes.Index(b, []byte("cap")); i >= 0 {
				b[i] ^= 1
			} else {
				b[len(b)/2] ^= 1
			}
			w.Write(b)
			return true
		}, "which is not used"},
		{"cut", func(w http.ResponseWriter, _ *http.Request, body []byte) bool {
			w.Write(body[:len(body)/2])
			return true
		}, "which is not used"},
		{"closes", func(w http.ResponseWriter, _ *http.Request, _ []byte) bool {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				conn.Close()
			}
			return true
		}, "failed 3 times in a row"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			memory := &server{stored: map[string][]byte{}}
			s := httptest.NewServer(memory)
			defer s.Close()
			from := openStore(t)
			key, contents := fill(t, from)
			c := NewClient(backend(t, s.URL), from, nil)
			if _, err := c.Push(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			c.Close(time.Second)
			memory.mu.Lock()
			memory.fault, memory.requests = tt.fault, 0
			memory.mu.Unlock()

			to := openStore(t)
			c = NewClient(backend(t, s.URL), to, nil)
			if tt.name == "silent" {
				c.answerTimeout = 300 * time.Millisecond
			}
			to.SetRemote(c)
			start := time.Now()
			if a, err := to.GetAction(key); a != nil || err != nil {
				t.Errorf("the record is %+v, %v", a, err)
			}
			for range 20 {
				for _, want := range contents {
					if b, err := to.ReadBytes(cache.DigestOf(want)); !errors.As(err, new(*cache.MissingError)) {
						t.Fatalf("content gives %d bytes and %v", len(b), err)
					}
				}
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("41 reads took %v", took)
			}
			memory.mu.Lock()
			requests := memory.requests
			memory.mu.Unlock()
			if requests > 12 { // Go's client retries requests when the server closes a kept-alive connection
				t.Errorf("%d requests were made to a server that fails", requests)
			}
			if notes := strings.Join(c.Close(time.Second), "\n"); !strings.Contains(notes, tt.note) {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
	close(stop)
}

// TestServerThatHangs checks that a server that never answers delays the client only once, by at most a second, however
// many requests are concurrent. Once the server recovers, it is used again.
func TestServerThatHangs(t *testing.T) {
	defer func(p time.Duration) { offlinePause = p }(offlinePause)
	offlinePause = 20 * time.Millisecond
	memory := &server{stored: map[string][]byte{}}
	s := httptest.NewServer(memory)
	defer s.Close()
	from, to := openStore(t), openStore(t)
	key, _ := fill(t, from)
	c := NewClient(backend(t, s.URL), from, nil)
	if _, err := c.Push(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	c.Close(time.Second)
	memory.mu.Lock()
	memory.fault = func(_ http.ResponseWriter, r *http.Request, _ []byte) bool {
		<-r.Context().Done()
		return true
	}
	memory.mu.Unlock()
	c = NewClient(backend(t, s.URL), to, nil)
	defer c.Close(0)
	c.answerTimeout = time.Second
	to.SetRemote(c)
	start := time.Now()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if a, err := to.GetAction(key); a != nil || err != nil {
					t.Errorf("the record is %+v, %v", a, err)
				}
			}
		})
	}
	all.Wait()
	if took := time.Since(start); took < time.Second || took > 15*time.Second {
		t.Errorf("800 look-ups took %v", took)
	}
	memory.mu.Lock()
	memory.fault = nil
	memory.mu.Unlock()
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if a, err := to.GetAction(key); a != nil && err == nil {
			break
		}
		if time.Since(start) > 60*time.Second {
			t.Fatal("the server is well and is not asked")
		}
	}
}

// TestFolderThatHangs uses a named pipe: opening it for reading blocks until a writer appears, like opening a file on a
// lost network file system.
func TestFolderThatHangs(t *testing.T) {
	store, dir := openStore(t), t.TempDir()
	key, _ := fill(t, openStore(t))
	path := filepath.Join(dir, "ac", key.String())
	if err := os.Mkdir(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skip(err)
	}
	defer func() { // unblocks the goroutine that opens it
		if f, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
			f.Close()
		}
	}()
	c := NewClient(backend(t, dir), store, nil)
	c.answerTimeout = 50 * time.Millisecond
	store.SetRemote(c)
	if a, err := store.GetAction(key); a != nil || err != nil {
		t.Errorf("the record is %+v, %v", a, err)
	}
	if notes := strings.Join(c.Close(0), "\n"); !strings.Contains(notes, "did not answer in 50ms") {
		t.Errorf("notes %q", notes)
	}
}

// TestUploadsNeverWait stores records while the server accepts no uploads.
func TestUploadsNeverWait(t *testing.T) {
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(stop)
	store := openStore(t)
	c := NewClient(backend(t, s.URL), store, nil)
	c.answerTimeout = time.Second
	key, _ := fill(t, store)
	start := time.Now()
	for range 2 * queueLength {
		c.Stored(key)
	}
	notes := c.Close(100 * time.Millisecond)
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if !strings.Contains(strings.Join(notes, "\n"), "stage records were not uploaded") {
		t.Errorf("notes %q", notes)
	}
}

func TestAuthorisation(t *testing.T) {
	var got string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		http.NotFound(w, r)
	}))
	defer s.Close()
	netrc := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(netrc, []byte("machine other login o password p\nmachine 127.0.0.1\n\tlogin ada password "+
		"countess\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, netrc, token, user, want string }{
		{"none", "/nowhere", "", "", ""},
		{"netrc", netrc, "", "", "Basic YWRhOmNvdW50ZXNz"},
		{"token", netrc, "secret", "", "Bearer secret"},
		{"in the URL", netrc, "", "ada:x@", "Basic YWRhOng="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("NETRC", tt.netrc)
			t.Setenv("SMTPIPE_REMOTE_TOKEN", tt.token)
			b := backend(t, strings.Replace(s.URL, "http://", "http://"+tt.user, 1))
			if err := b.Get(t.Context(), Records, "ab", io.Discard); !errors.Is(err, ErrAbsent) {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("authorised by %q, want %q", got, tt.want)
			}
		})
	}
}

func TestParseNetrc(t *testing.T) {
	tests := []struct{ name, text, login, password string }{
		{"one line", "machine h login l password p", "l", "p"},
		{"default", "machine x login a password b\ndefault login l password p", "l", "p"},
		{"macro", "macdef m\nmachine h login no password no\n\nmachine h login l password p", "l", "p"},
		{"comment", "# machine h login no\nmachine h login l password p # end", "l", "p"},
		{"number sign", "machine h login l password #p # end\nmachine x login a password b", "l", "#p"},
		{"other", "machine x login a password b", "", ""},
	}
	for _, tt := range tests {
		if l, p, ok := parseNetrc(tt.text, "h"); l != tt.login || p != tt.password || ok != (tt.login != "") {
			t.Errorf("%s: %q, %q, %v", tt.name, l, p, ok)
		}
	}
}
