package remote

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestRedirects checks that redirects within the server are followed with credentials. Redirects to another server are
// rejected without any request to it.
func TestRedirects(t *testing.T) {
	t.Setenv("SMTPIPE_REMOTE_TOKEN", "secret")
	var foreign atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		foreign.Add(1)
		w.Write([]byte("content"))
	}))
	defer other.Close()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer secret":
			http.Error(w, "who?", http.StatusUnauthorized)
		case strings.HasSuffix(r.URL.Path, "/far"):
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		case strings.HasSuffix(r.URL.Path, "/near"):
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case r.URL.Path == "/there":
			w.Write([]byte("content"))
		default:
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}
	}))
	defer own.Close()
	backend, err := OpenBackend(own.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"near": "",
		"far":  "redirects to " + other.URL + ", which is another server",
		"loop": "redirects more than 10 times",
	} {
		var got bytes.Buffer
		err := backend.Get(t.Context(), Content, name, &got)
		switch {
		case want == "" && (err != nil || got.String() != "content"):
			t.Errorf("%s: %q, %v", name, got.String(), err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if n := foreign.Load(); n != 0 {
		t.Errorf("%d requests reached another server", n)
	}
}
