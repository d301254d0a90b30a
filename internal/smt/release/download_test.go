package release

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

var content = bytes.Repeat([]byte("0123456789abcdef"), 4096)

// server serves content at /file with an ETag, and at /plain without one. breaks is the number of
// transfers that it interrupts halfway.
func server(t *testing.T, breaks int32, resume bool) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	sent := &atomic.Int64{}
	left := &atomic.Int32{}
	left.Store(breaks)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/file" && r.URL.Path != "/plain" {
			http.NotFound(w, r)
			return
		}
		from := 0
		if resume {
			fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
		}
		rest := content[from:]
		if r.URL.Path == "/file" {
			w.Header().Set("ETag", `"one"`)
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(rest)))
		if from > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
		}
		if left.Add(-1) >= 0 {
			n, _ := w.Write(rest[:len(rest)/2])
			sent.Add(int64(n))
			panic(http.ErrAbortHandler)
		}
		n, _ := w.Write(rest)
		sent.Add(int64(n))
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	t.Cleanup(s.Close)
	return s, sent
}

func noSums(w *Wanted) { w.MD5, w.SHA256 = "", "" }

func client() *Client { return NewClient(1, slog.New(slog.DiscardHandler)) }

func TestDownload(t *testing.T) {
	good := Wanted{Size: int64(len(content)), MD5: fmt.Sprintf("%x", md5.Sum(content)), SHA256: fmt.Sprintf("%x",
		sha256.Sum256(content))}
	tests := []struct {
		name    string
		path    string
		breaks  int32
		resume  bool
		partial []byte // content from an earlier attempt
		change  func(*Wanted)
		want    string // part of the expected error, or empty
		most    int64  // maximum number of bytes that the server sends, or 0 for no check
	}{
		{name: "whole", path: "/file", most: int64(len(content))},
		{name: "taken up", path: "/file", resume: true, partial: content[:1000], most: int64(len(content)) - 1000},
		{name: "complete already", path: "/file", resume: true, partial: content, most: 1},
		{name: "broken off twice", path: "/file", breaks: 2, resume: true, most: int64(len(content))},
		{name: "broken off without resuming", path: "/file", breaks: 2},
		{name: "server does not resume", path: "/file", partial: []byte("something else")},
		{name: "partial of other content", path: "/file", resume: true, partial: []byte("XXXX"), want: "has the MD5"},
		{name: "partial of unknown version and no checksum", path: "/plain", resume: true, partial: []byte("XXXX"),
			change: noSums},
		{name: "broken off without version and checksum", path: "/plain", breaks: 2, resume: true, change: noSums},
		{name: "wrong size", path: "/file", change: func(w *Wanted) { w.Size++ }, want: "has 65536 bytes, want 65537"},
		{name: "too long", path: "/file", change: func(w *Wanted) { w.Size-- }, want: "has 65536 bytes, want 65535"},
		{name: "wrong MD5", path: "/file", change: func(w *Wanted) { w.MD5 = strings.Repeat("0", 32) },
			want: "want 00000000000000000000000000000000; the file or the record was changed"},
		{name: "wrong SHA-256", path: "/file", change: func(w *Wanted) { w.SHA256 = strings.Repeat("0", 64) },
			want: "has the SHA-256"},
		{name: "nothing there", path: "/none", want: "there is nothing at"},
		{name: "breaks off for ever at the same place", path: "/plain", breaks: 1000, change: noSums, want: "get http"},
		{name: "breaks off for ever", path: "/file", breaks: 1000, want: "get http"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, sent := server(t, tt.breaks, tt.resume)
			want := good
			want.URL = s.URL + tt.path
			if tt.change != nil {
				tt.change(&want)
			}
			partial := filepath.Join(t.TempDir(), "partial")
			if tt.partial != nil {
				if err := os.WriteFile(partial, tt.partial, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			var told int64
			err := client().Download(context.Background(), want, partial, func(n int64) { told += n })
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("error %v, want one with %q", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(partial); err != nil || !bytes.Equal(got, content) {
				t.Errorf("got %d bytes, %v", len(got), err)
			}
			if told != int64(len(content)) {
				t.Errorf("progress was told %d bytes of %d", told, len(content))
			}
			if tt.most > 0 && sent.Load() > tt.most {
				t.Errorf("the server sent %d bytes, at most %d were needed", sent.Load(), tt.most)
			}
		})
	}
}

func TestDownloadCancelled(t *testing.T) {
	s, _ := server(t, 0, true)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := client().Download(ctx, Wanted{URL: s.URL + "/file"}, filepath.Join(t.TempDir(), "p"), func(int64) {})
	if err == nil || !strings.Contains(err.Error(), "cancel") {
		t.Errorf("error %v", err)
	}
}

// TestDownloadKilled checks that a partial file's version is stored before its first byte.
func TestDownloadKilled(t *testing.T) {
	partial := filepath.Join(t.TempDir(), "p")
	version := "one"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+version+`"`)
		if version == "one" {
			w.Write([]byte("one"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("two two two"))
	}))
	t.Cleanup(s.Close)
	ctx, cancel := context.WithCancel(context.Background())
	if err := client().Download(ctx, Wanted{URL: s.URL}, partial, func(int64) { cancel() }); err == nil {
		t.Fatal("a download that was cancelled succeeded")
	}
	if err := os.WriteFile(partial, []byte("one"), 0o666); err != nil {
		t.Fatal(err)
	}
	version = "two"
	if err := client().Download(context.Background(), Wanted{URL: s.URL}, partial, func(int64) {}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(partial); err != nil || string(got) != "two two two" {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestDownloadChanged checks that two versions are not mixed, even if the server sends the rest of another version.
func TestDownloadChanged(t *testing.T) {
	partial := filepath.Join(t.TempDir(), "p")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-Range")
		w.Header().Set("ETag", `"two"`)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader("two two two"))
	}))
	t.Cleanup(s.Close)
	for path, text := range map[string]string{partial: "one", partial + ".etag": `"one"`} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	total := int64(0)
	count := func(n int64) { total += n }
	if err := client().Download(context.Background(), Wanted{URL: s.URL}, partial, count); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(partial); err != nil || string(got) != "two two two" || total != int64(len(got)) {
		t.Errorf("got %q, %v, and progress of %d bytes", got, err, total)
	}
}

func TestDownloadStalls(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	c := client()
	c.stall = 10 * time.Millisecond
	err := c.Download(context.Background(), Wanted{URL: s.URL}, filepath.Join(t.TempDir(), "p"), func(int64) {})
	if err == nil || !strings.Contains(err.Error(), "nothing came for 10ms") {
		t.Errorf("error %v", err)
	}
}

func TestWalk(t *testing.T) {
	pack := func(names ...string) []byte {
		var buf bytes.Buffer
		w := tar.NewWriter(&buf)
		for _, name := range names {
			h := &tar.Header{Name: name, Mode: 0o644, Size: 5}
			if err := w.WriteHeader(h); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte("12345")); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return buf.Bytes()
	}
	two := pack("a", "b")
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := z.EncodeAll(two, nil)
	wrongSum := bytes.Clone(packed)
	wrongSum[len(wrongSum)-1] ^= 1
	onlyExtension := bytes.Clone(two)
	onlyExtension[1024+156] = tar.TypeGNULongName
	sign(onlyExtension[1024:1536])
	tests := []struct {
		name string
		data []byte
		want string // part of the expected error, or empty
	}{
		{"whole", two, ""},
		{"no members", pack(), ""},
		{"padded", append(bytes.Clone(two), make([]byte, 10240)...), ""},
		{"one block of the end mark", two[:len(two)-512], ""},
		{"odd name", pack("non-incremental/LIA/a b/ü'\"$.smt2"), ""},
		{"cut between members", two[:1024], "archive x.tar is cut: it has no mark of its end"},
		{"empty file", nil, "archive x.tar is empty; fetch it again"},
		{"page of a server", []byte("<!DOCTYPE html><title>Not found</title>"), "archive x.tar is a web page"},
		{"second archive behind the first", append(bytes.Clone(two), two...), "goes on after the mark of its end"},
		{"compressed", packed, ""},
		{"compressed, cut", packed[:len(packed)-20], "archive x.tar is cut: it ends before its content does; fetch " +
			"it again"},
		{"compressed, without its checksum", packed[:len(packed)-4],
			"archive x.tar is cut: it ends before its content does; fetch it again"},
		{"compressed, wrong checksum", wrongSum, "archive x.tar is damaged: "},
		{"compressed, something behind", append(bytes.Clone(packed), "more"...), "archive x.tar is damaged: "},
		{"cut inside of a header", two[:1024+100], "archive x.tar is cut: it ends before its content does"},
		{"cut inside of a content", two[:1024+514], "archive x.tar is cut: it ends before its content does"},
		{"cut behind a content", two[:1024+520], "archive x.tar is cut: it has no mark of its end"},
		{"extension without a member", onlyExtension, "archive x.tar is damaged: archive/tar: invalid tar header"},
		{"sparse file", sparseArchive(t), "archive x.tar: holes is a sparse file"},
		{"escapes", pack("../a"), "escapes its folder"},
		{"absolute", pack("/a"), "escapes its folder"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := Walk("x.tar", bytes.NewReader(tt.data), limits, func(Member, io.Reader) error { return nil })
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestReadRecord(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"good", `{"metadata": {"title": "T"}, "files": [{"key": "a.tar.zst", "size": 3, "checksum": "md5:00", "links": {"self": "https://x/a"}}]}`, ""},
		{"old name", `{"files": [{"filename": "a.tar.zst"}]}`, ""},
		{"no JSON", `<html>`, "is not JSON"},
		{"no files", `{"files": []}`, "lists no files"},
		{"other checksum", `{"files": [{"key": "a", "checksum": "crc:1"}]}`, "only md5:HEX is known"},
		{"negative size", `{"files": [{"key": "a", "size": -1}]}`, "has the size -1"},
		{"escape", `{"files": [{"key": "../a"}]}`, "escapes its folder"},
		{"absolute", `{"files": [{"key": "/a"}]}`, "escapes its folder"},
		{"twice", `{"files": [{"key": "a"}, {"key": "a"}]}`, `lists the file "a" twice`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec, err := ReadRecord(strings.NewReader(tt.text))
			if tt.want == "" {
				if err != nil || len(rec.Files) != 1 || rec.Files[0].Key != "a.tar.zst" {
					t.Errorf("got %+v, %v", rec, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func FuzzReadRecord(f *testing.F) {
	f.Add(`{"files": [{"key": "a", "size": 3, "checksum": "md5:00", "links": {"self": "https://x/a"}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := ReadRecord(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, file := range rec.Files {
			if !filepath.IsLocal(file.Key) {
				t.Errorf("the name %q is not local", file.Key)
			}
		}
	})
}

func FuzzWalk(f *testing.F) {
	f.Add([]byte("no archive"))
	f.Fuzz(func(t *testing.T, data []byte) {
		Walk("a.tar", bytes.NewReader(data), limits, func(m Member, r io.Reader) error {
			if !filepath.IsLocal(m.Path) {
				t.Errorf("the path %q is not local", m.Path)
			}
			_, err := io.Copy(io.Discard, r)
			return err
		})
	})
}

func TestSelect(t *testing.T) {
	names := []string{"incremental/QF_BV.tar.zst", "non-incremental/QF_BV.tar.zst", "non-incremental/QF_LIA.tar.zst"}
	tests := []struct {
		name     string
		patterns []string
		want     string
		err      string
	}{
		{"all", nil, "incremental/QF_BV.tar.zst non-incremental/QF_BV.tar.zst non-incremental/QF_LIA.tar.zst", ""},
		{"collection", []string{"non-incremental/*"}, "non-incremental/QF_BV.tar.zst non-incremental/QF_LIA.tar.zst",
			""},
		{"logic", []string{"QF_BV"}, "incremental/QF_BV.tar.zst non-incremental/QF_BV.tar.zst", ""},
		{"file", []string{"QF_LIA.tar.zst"}, "non-incremental/QF_LIA.tar.zst", ""},
		{"slip", []string{"QF_LIA", "QF_BB"}, "", `matches "QF_BB"`},
		{"bad pattern", []string{"[x"}, "", "syntax error in pattern"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Select(names, tt.patterns)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil || strings.Join(got, " ") != tt.want {
				t.Errorf("got %v, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestFileName(t *testing.T) {
	for address, want := range map[string]string{
		"https://zenodo.org/api/records/7/files/QF_BV.tar.zst/content": "QF_BV.tar.zst",
		"https://solver.example/get/my%20solver.zip?version=2#top":     "my solver.zip",
		"https://solver.example":                                       ".",
	} {
		if got := FileName(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
