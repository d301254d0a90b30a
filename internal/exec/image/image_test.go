package image

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/image/imagetest"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
)

func openStore(t *testing.T) *cache.Store {
	t.Helper()
	s, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// layoutOf returns an OCI layout with two layers, the second of which changes the first.
func layoutOf(t *testing.T) string {
	lower, upper := t.TempDir(), t.TempDir()
	write(t, lower+"/usr/bin/tool", "#!/bin/sh\n", 0o4755)
	write(t, lower+"/etc/old", "old", 0o600)
	write(t, upper+"/etc/new", "new", 0o644)
	if err := os.Symlink("usr/bin", lower+"/bin"); err != nil {
		t.Fatal(err)
	}
	return imagetest.Save(t, []string{"PATH=/usr/bin", "HOME=/root", "JAVA_HOME=/opt/java"}, lower, upper)
}

func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err = errors.Join(err, os.WriteFile(name, []byte(text), 0o644), os.Chmod(name, mode)); err != nil {
		t.Fatal(err)
	}
}

// TestForms checks that an image has the same ID and tree as a layout, as an OCI archive, and as saved by Docker.
func TestForms(t *testing.T) {
	dir := layoutOf(t)
	docker := filepath.Join(t.TempDir(), "docker.tar")
	skopeo := exec.Command("skopeo", "copy", "--quiet", "oci:"+dir+":latest", "docker-archive:"+docker+":x/y:latest")
	forms := []string{dir, imagetest.Archive(t, dir)}
	if out, err := skopeo.CombinedOutput(); err == nil {
		forms = append(forms, docker)
	} else {
		t.Logf("skopeo: %v: %s", err, out)
		forms = append(forms, asDocker(t, dir))
	}
	var first solvertree.Folder
	var id cache.Digest
	for i, form := range forms {
		store := openStore(t)
		img, err := Open(form)
		if err != nil {
			t.Fatal(err)
		}
		root, err := img.Unpack(t.Context(), store)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first, id = root, img.ID
		}
		if img.ID != id || root.Digest != first.Digest {
			t.Errorf("%s is the image %s with the tree %s, want %s and %s", form, img.ID, root.Digest, id, first.Digest)
		}
		if want := []string{"latest", "latest", "x/y:latest"}[i]; !strings.HasSuffix(img.Name, want) {
			t.Errorf("%s is called %q, want %q", form, img.Name, want)
		}
		if got := strings.Join(img.Variables(), " "); got != "PATH=/usr/bin JAVA_HOME=/opt/java" {
			t.Errorf("%s sets %s", form, got)
		}
		for name, mode := range map[string]os.FileMode{"usr/bin/tool": 0o755, "etc/old": 0o644, "etc/new": 0o644} {
			if info, err := os.Lstat(filepath.Join(root.Path, name)); err != nil || info.Mode() != mode {
				t.Errorf("%s: %v, %v", name, info, err)
			}
		}
	}
}

// asDocker packs a layout as "docker save" does.
func asDocker(t *testing.T, layout string) string {
	t.Helper()
	img, err := Open(layout)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	manifest := []map[string]any{{"Config": "config.json", "RepoTags": []string{"x/y:latest"}}}
	var layers []string
	for i, l := range img.layers {
		r, err := l.Open()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if _, err := b.ReadFrom(r); err != nil {
			t.Fatal(err)
		}
		layers = append(layers, fmt.Sprintf("%d/layer.tar", i))
		write(t, filepath.Join(dir, layers[i]), b.String(), 0o644)
	}
	manifest[0]["Layers"] = layers
	config, err := os.ReadFile(filepath.Join(layout, "blobs/sha256", img.ID.String()))
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/config.json", string(config), 0o644)
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/manifest.json", string(text), 0o644)
	return imagetest.Archive(t, dir)
}

// TestOnce checks that an image is unpacked only once, unless the store's copy has changed.
func TestOnce(t *testing.T) {
	store := openStore(t)
	img, err := Open(layoutOf(t))
	if err != nil {
		t.Fatal(err)
	}
	root, err := img.Unpack(t.Context(), store)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(root.Path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := img.Unpack(t.Context(), store)
	if after, statErr := os.Stat(again.Path); err != nil || statErr != nil || !os.SameFile(before, after) {
		t.Errorf("it was unpacked again: %v, %v", err, statErr)
	}
	write(t, root.Path+"/etc/new", "forged", 0o644)
	if again, err = img.Unpack(t.Context(), store); err != nil || again.Digest != root.Digest {
		t.Fatalf("%s, want %s: %v", again.Digest, root.Digest, err)
	}
	if b, err := os.ReadFile(again.Path + "/etc/new"); string(b) != "new" {
		t.Errorf("the file has %q, %v", b, err)
	}
}

// TestRefused checks that anything that is not an image, or that is for another machine, ambiguous or modified, is
// rejected with the reason.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/text", "no image", 0o644)
	write(t, dir+"/other/index.json", `{"manifests": []}`, 0o644)
	write(t, dir+"/empty/x", "", 0o644)
	write(t, dir+"/bad/index.json", `{`, 0o644)
	write(t, dir+"/large/index.json", strings.Repeat(" ", 5<<20), 0o644)
	write(t, dir+"/deep/index.json", strings.Repeat("[", 1000), 0o644)
	for form, want := range map[string]string{
		"text": "it is not an image", "empty": "neither index.json", "other": "no image for linux/",
		"bad":   "unexpected EOF",
		"large": "at most 4194304", "deep": "nested", "nothing": "no such file",
	} {
		if _, err := Open(filepath.Join(dir, form)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", form, err, want)
		}
	}
	good := layoutOf(t)
	img, err := Open(good)
	if err != nil {
		t.Fatal(err)
	}
	blobs := filepath.Join(good, "blobs/sha256")
	err = filepath.WalkDir(blobs, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		other := bytes.Clone(text)
		other[len(other)/2] ^= 1
		write(t, name, string(other), 0o644)
		changed, err := Open(good)
		if err == nil {
			_, err = changed.Unpack(t.Context(), openStore(t))
		}
		if err == nil {
			t.Errorf("the image is taken although %s is changed", d.Name())
		}
		if err := os.Remove(name); err != nil {
			return err
		}
		if _, err := Open(good); err == nil {
			t.Errorf("the image is taken although %s is gone", d.Name())
		}
		write(t, name, string(text), 0o644)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(blobs, img.ID.String()))
	if err != nil {
		t.Fatal(err)
	}
	for old, want := range map[string]string{`"os":"linux"`: "it is for plan9/",
		`"diff_ids":[`: "its configuration names 3"} {
		text := strings.Replace(string(config), old, map[string]string{`"os":"linux"`: `"os":"plan9"`,
			`"diff_ids":[`: `"diff_ids":["sha256:` + strings.Repeat("0", 64) + `",`}[old], 1)
		if text == string(config) {
			t.Fatalf("the configuration has no %s: %s", old, config)
		}
		_, err := configured(folder(good), []byte(text), []string{"index.json", "index.json"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", old, err, want)
		}
	}
}

// TestManyFiles unpacks a tree of 30,000 files, about as many as a Java runtime has. The gate unpacks a tenth of them.
func TestManyFiles(t *testing.T) {
	n := 3_000
	if os.Getenv("SMTPIPE_LONG") == "1" {
		n = 30_000
	}
	tree := t.TempDir()
	for i := range n {
		write(t, fmt.Sprintf("%s/usr/lib/jvm/modules/%d/%d.class", tree, i%200, i), fmt.Sprint(i), 0o644)
	}
	img, err := Open(imagetest.Save(t, nil, tree))
	if err != nil {
		t.Fatal(err)
	}
	root, err := img.Unpack(t.Context(), openStore(t))
	if err != nil {
		t.Fatal(err)
	}
	last := fmt.Sprintf("%s/usr/lib/jvm/modules/199/%d.class", root.Path, n-1)
	if b, err := os.ReadFile(last); string(b) != fmt.Sprint(n-1) {
		t.Errorf("the last file has %q, %v", b, err)
	}
}

// TestLinksToLinks finds the layer at the end of a chain of links, and no end of a circle.
func TestLinksToLinks(t *testing.T) {
	var packed bytes.Buffer
	w := tar.NewWriter(&packed)
	for name, to := range map[string]string{"1/layer.tar": "../2/layer.tar", "2/layer.tar": "../3/layer.tar",
		"3/layer.tar": "../4/layer.tar", "a": "b", "b": "a"} {
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: to}); err != nil {
			t.Fatal(err)
		}
	}
	err := w.WriteHeader(&tar.Header{Name: "4/layer.tar", Typeflag: tar.TypeReg, Size: 5, Mode: 0o644})
	_, wrote := w.Write([]byte("layer"))
	file := filepath.Join(t.TempDir(), "image.tar")
	if err := errors.Join(err, wrote, w.Close(), os.WriteFile(file, packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		a, err := readArchive(file)
		if err != nil || !has(a, "1/layer.tar") || has(a, "a") {
			t.Fatalf("got %v, %v", a, err)
		}
	}
}
