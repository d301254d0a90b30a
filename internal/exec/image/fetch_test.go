package image

import (
	"io"
	"log"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// TestFetch checks that an image fetched from a registry by digest equals the image pushed.
func TestFetch(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	saved := layoutOf(t)
	host := strings.TrimPrefix(server.URL, "http://")
	want, err := Open(saved)
	if err != nil {
		t.Fatal(err)
	}
	index, err := layout.ImageIndexFromPath(saved)
	if err != nil {
		t.Fatal(err)
	}
	list, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	img, err := index.Image(list.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(host + "/solvers/x:latest")
	if err == nil {
		err = remote.Write(tag, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "fetched")
	ref := host + "/solvers/x@" + list.Manifests[0].Digest.String()
	if err := Fetch(t.Context(), ref, dir); err != nil {
		t.Fatal(err)
	}
	got, err := Open(dir)
	if err != nil || got.ID != want.ID {
		t.Fatalf("fetched is %v, %v, want %s", got, err, want.ID)
	}
	root, err := got.Unpack(t.Context(), openStore(t))
	if err != nil || root.Path == "" {
		t.Error(err)
	}
	for ref, want := range map[string]string{
		ref: "already exists", host + "/solvers/x:latest": "a tag can be another image tomorrow",
		host + "/solvers/x@sha256:" + strings.Repeat("0", 64): "fetch ",
	} {
		at := dir
		if want != "already exists" {
			at += "2"
		}
		if err := Fetch(t.Context(), ref, at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", ref, err, want)
		}
	}
}
