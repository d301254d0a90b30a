package main

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/audit/verify"
	"github.com/smtpipe/smtpipe/internal/base/exit"
)

// TestVerifyDownloads checks that an archive at an address or in a record is downloaded, checked and verified. Partial
// downloads must resume, finished downloads must not be repeated, and a different file must not be used.
func TestVerifyDownloads(t *testing.T) {
	project := smallProject(t)
	archive := filepath.Join(t.TempDir(), "small.tar.zst")
	execSmtpipe(t, exit.Done, "freeze", "-p", project, "-o", archive)
	content, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	sum := md5.Sum(content)
	digest := sha256.Sum256(content)

	var from atomic.Value // the last Range header requested
	var asked atomic.Int64
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		switch r.URL.Path {
		case "/api/records/4711":
			fmt.Fprintf(w, `{"files": [{"key": "README.md", "size": 3, "links": {"self": "%[1]s/README.md"}}, {"key": "small.tar.zst",
				"size": %[2]d, "checksum": "md5:%[3]x", "links": {"self": "%[1]s/files/small.tar.zst?download=1"}}]}`,
				server.URL, len(content), sum)
		case "/api/records/4712":
			fmt.Fprintf(w, `{"files": [{"key": "a.zip", "links": {"self": "%[1]s/a"}}, {"key": "b.zip", "links": {"self": "%[1]s/b"}}]}`,
				server.URL)
		case "/files/small.tar.zst":
			from.Store(r.Header.Get("Range"))
			w.Header().Set("ETag", `"one"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	address := server.URL + "/files/small.tar.zst"
	verifyIn := func(folder string, want int, args ...string) string {
		t.Helper()
		var stdout, stderr bytes.Buffer
		args = append([]string{"verify", "--into", folder}, args...)
		if got := run(args, strings.NewReader(""), &stdout, &stderr); got != want {
			t.Fatalf("smtpipe %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, &stdout, &stderr)
		}
		return stdout.String() + stderr.String()
	}

	folder := t.TempDir()
	for _, source := range []string{address, server.URL + "/records/4711"} {
		into := t.TempDir()
		if text := verifyIn(into, exit.Done, source); !strings.Contains(text, "is the same: 4 stages") {
			t.Errorf("%s: %s", source, text)
		}
		if got, err := os.ReadFile(filepath.Join(into, "small.tar.zst")); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: what is kept is another file (%v)", source, err)
		}
		before := asked.Load()
		text := verifyIn(into, exit.Done, source)
		// Only the record may be requested again.
		if !strings.Contains(text, "small.tar.zst already exists here") || asked.Load() > before+1 {
			t.Errorf("%s was downloaded again: %s", source, text)
		}
	}

	// A partial download left by an earlier command resumes.
	partial := filepath.Join(folder, "small.tar.zst.partial")
	write(t, partial, string(content[:1000]), 0o666)
	write(t, partial+".etag", `"one"`, 0o666)
	verifyIn(folder, exit.Done, address)
	if got := from.Load(); got != "bytes=1000-" {
		t.Errorf("the rest was asked for as %q", got)
	}
	if left, err := filepath.Glob(folder + "/*"); err != nil || len(left) != 1 {
		t.Errorf("left are %q, %v", left, err)
	}

	// The given digest must equal the file's, both for a file here and for one on the server.
	right, wrong := hex.EncodeToString(digest[:]), strings.Repeat("0", 64)
	refused := func(folder, want string, args ...string) {
		t.Helper()
		if text := verifyIn(folder, exit.CannotVerify, args...); !strings.Contains(text, want) {
			t.Errorf("verify says %s, want %q", text, want)
		}
	}
	verifyIn(folder, exit.Done, address, "--sha256", right)
	refused(folder, "exists here and is another file", address, "--sha256", wrong)
	refused(t.TempDir(), "has the SHA-256 "+right, address, "--sha256", wrong)
	write(t, filepath.Join(folder, "small.tar.zst"), "something else", 0o666)
	refused(folder, "is another file; move it away", server.URL+"/records/4711")

	for source, want := range map[string]string{
		server.URL + "/records/4712":     "record 4712 has 2 archives ending in .zip or .tar.zst; name the address of one: a.zip, b.zip",
		server.URL + "/records/4713":     "there is nothing at " + server.URL + "/api/records/4713",
		server.URL + "/none.zip":         "there is nothing at",
		server.URL + "/a/page":           "is neither a record nor an archive",
		"http://127.0.0.1:1/nobody.zip":  "get http://127.0.0.1:1/nobody.zip",
		"https://%zz/small.zip":          "invalid URL escape",
		server.URL + "/..%2f..%2fup.zip": "there is nothing at",
	} {
		refused(t.TempDir(), want, source)
	}
}

func TestAddresses(t *testing.T) {
	for name, want := range map[string]bool{"frozen": false, "f.zip": false, "10.5281/zenodo.123": true,
		"doi:10.5281/zenodo.123": true, "https://doi.org/10.5281/zenodo.123": true, "http://a/b": true,
		"10.1000/182": false} {
		if verify.IsAddress(name) != want {
			t.Errorf("%s is an address: %v, want %v", name, !want, want)
		}
	}
	if m := verify.ZenodoDOI().FindStringSubmatch("https://doi.org/10.5281/zenodo.123"); m == nil || m[1] != "123" {
		t.Errorf("the record of a DOI is %q", m)
	}
}
