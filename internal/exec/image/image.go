// Package image reads images of root file systems as saved by container tools. It keeps unpacked images in a store,
// each in a folder named by the image's ID. All pipelines with this store share them, so each image is unpacked only
// once.
//
// An image is an OCI layout (a folder), an OCI archive (a tar archive of a layout), or a Docker archive ("docker
// save"). Reading images requires neither a container tool nor privileges.
package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
)

// Image describes an image by its own metadata. The image's content has not been checked.
type Image struct {
	// ID is the digest of the image's configuration, as shown by "docker images" and "podman images". It covers the
	// content of all layers and the environment, but not how the image was saved or compressed.
	ID cache.Digest
	// Env contains NAME=VALUE settings for commands in the image.
	Env []string
	// Name is the name under which the image was saved, such as debian:10, or "".
	Name string

	layers []solver.Layer
}

// document limits the size of files that describe an image.
var document = limits.Of{What: "a description of an image", Bytes: 4 << 20, Items: 100_000, Nesting: 64}

// maxLayers exceeds the maximum number that Docker creates (125).
const maxLayers = 500

// Open reads an image's metadata.
func Open(file string) (*Image, error) {
	img, err := open(file)
	if err != nil {
		return nil, fmt.Errorf("the image %s: %w", file, err)
	}
	return img, nil
}

func open(file string) (*Image, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	var f files = folder(file)
	if !info.IsDir() {
		if f, err = readArchive(file); err != nil {
			return nil, fmt.Errorf("it is not an image: %w; use an OCI layout or archive, or an image that \"docker "+
				"save\" "+
				"writes, without compression", err)
		}
	}
	switch {
	case has(f, "index.json"):
		return openOCI(f)
	case has(f, "manifest.json"):
		return openDocker(f)
	}
	return nil, errors.New("it is not an image: it has neither index.json, as OCI layouts and archives have, nor " +
		"manifest.json, as \"docker save\" writes")
}

// openOCI reads an OCI layout.
func openOCI(f files) (*Image, error) {
	index, err := read(f, "index.json", "")
	if err != nil {
		return nil, err
	}
	manifests, err := choose(f, index, 0)
	if err != nil {
		return nil, err
	}
	switch len(manifests) {
	case 1:
	case 0:
		return nil, fmt.Errorf("it has no image for linux/%s", runtime.GOARCH)
	default:
		return nil, fmt.Errorf("it has %d images for linux/%s; save only the one you need", len(manifests),
			runtime.GOARCH)
	}
	src, err := blob(f, manifests[0])
	if err != nil {
		return nil, err
	}
	m, err := v1.ParseManifest(bytes.NewReader(src))
	if err != nil {
		return nil, fmt.Errorf("its manifest: %w", err)
	}
	config, err := blob(f, m.Config.Digest)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range m.Layers {
		name, err := blobName(l.Digest)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	img, err := configured(f, config, names)
	if err == nil {
		img.Name = nameIn(index)
	}
	return img, err
}

// nameIn returns an image's name according to an index, or "".
func nameIn(index []byte) string {
	list, _ := v1.ParseIndexManifest(bytes.NewReader(index)) // choose has already parsed the index
	for _, key := range []string{"io.containerd.image.name", refName} {
		for _, m := range list.Manifests {
			if name := m.Annotations[key]; name != "" {
				return name
			}
		}
	}
	return ""
}

// refName is the annotation in OCI layouts for an image's name, which may be only a tag.
const refName = "org.opencontainers.image.ref.name"

// choose returns the manifests in an index that match this machine, without duplicates.
func choose(f files, index []byte, depth int) (all []v1.Hash, err error) {
	if depth > 3 {
		return nil, errors.New("its indexes are nested too deeply")
	}
	list, err := v1.ParseIndexManifest(bytes.NewReader(index))
	if err != nil {
		return nil, fmt.Errorf("its index: %w", err)
	}
	for _, m := range list.Manifests {
		if p := m.Platform; p != nil && (p.OS != "linux" || p.Architecture != runtime.GOARCH) {
			continue
		}
		found := []v1.Hash{m.Digest}
		if m.MediaType.IsIndex() {
			src, err := blob(f, m.Digest)
			if err != nil {
				return nil, err
			}
			if found, err = choose(f, src, depth+1); err != nil {
				return nil, err
			}
		}
		for _, h := range found {
			if !slices.Contains(all, h) {
				all = append(all, h)
			}
		}
	}
	return all, nil
}

// openDocker reads the output of "docker save".
func openDocker(f files) (*Image, error) {
	src, err := read(f, "manifest.json", "")
	if err != nil {
		return nil, err
	}
	var all []struct {
		Config   string
		Layers   []string
		RepoTags []string
	}
	if err := document.DecodeJSON(src, "manifest.json", &all); err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("it has %d images; save only the one you need", len(all))
	}
	config, err := read(f, all[0].Config, "")
	if err != nil {
		return nil, err
	}
	img, err := configured(f, config, all[0].Layers)
	if err == nil && len(all[0].RepoTags) > 0 {
		img.Name = all[0].RepoTags[0]
	}
	return img, err
}

// configured returns the image described by a configuration. layers names the files with its layers.
func configured(f files, config []byte, layers []string) (*Image, error) {
	if err := document.CheckJSON(config, "its configuration"); err != nil {
		return nil, err
	}
	c, err := v1.ParseConfigFile(bytes.NewReader(config))
	if err != nil {
		return nil, fmt.Errorf("its configuration: %w", err)
	}
	switch {
	case c.OS != "linux" || c.Architecture != runtime.GOARCH:
		return nil, fmt.Errorf("it is for %s/%s, and this machine is linux/%s", c.OS, c.Architecture, runtime.GOARCH)
	case len(layers) != len(c.RootFS.DiffIDs):
		return nil, fmt.Errorf("it has %d layers, but its configuration names %d", len(layers), len(c.RootFS.DiffIDs))
	case len(layers) == 0 || len(layers) > maxLayers:
		return nil, fmt.Errorf("it has %d layers; an image must have 1 to %d", len(layers), maxLayers)
	}
	img := &Image{ID: sha256.Sum256(config), Env: c.Config.Env}
	for i, name := range layers {
		if c.RootFS.DiffIDs[i].Algorithm != "sha256" {
			return nil, fmt.Errorf("layer %d has the digest %s; only SHA-256 is known", i+1, c.RootFS.DiffIDs[i])
		}
		if !has(f, name) {
			return nil, fmt.Errorf("layer %d, %s, is not in it", i+1, name)
		}
		img.layers = append(img.layers, solver.Layer{SHA256: c.RootFS.DiffIDs[i].Hex,
			Open: func() (io.ReadCloser, error) { return openLayer(f, name) }})
	}
	return img, nil
}

// openLayer opens a layer. A blob in an OCI layout must match the digest in its name: the later check covers only the
// uncompressed content, which other compressed bytes could also produce.
func openLayer(f files, name string) (io.ReadCloser, error) {
	want, isBlob := strings.CutPrefix(name, blobs)
	if isBlob {
		r, err := f.open(name)
		if err != nil {
			return nil, err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, r)
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != want {
			return nil, changed(name, got)
		}
	}
	return f.open(name)
}

func changed(name, sum string) error {
	return fmt.Errorf("%s has the SHA-256 %s; save or fetch the image again", name, sum)
}

// blobs is the folder of blobs in an OCI layout.
const blobs = "blobs/sha256/"

// blobName returns the path of a blob in an OCI layout.
func blobName(h v1.Hash) (string, error) {
	if h.Algorithm != "sha256" || len(h.Hex) != 2*sha256.Size {
		return "", fmt.Errorf("%q is not a SHA-256", h)
	}
	return blobs + h.Hex, nil
}

// blob reads a JSON document by digest.
func blob(f files, h v1.Hash) ([]byte, error) {
	name, err := blobName(h)
	if err != nil {
		return nil, err
	}
	return read(f, name, h.Hex)
}

// read reads a JSON document and, unless digest is empty, checks its digest.
func read(f files, name, digest string) ([]byte, error) {
	r, err := f.open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	src, err := document.Read(r, name)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(src)
	if got := hex.EncodeToString(sum[:]); digest != "" && got != digest {
		return nil, changed(name, got)
	}
	return src, document.CheckJSON(src, name)
}

// files gives access to an image's files.
type files interface {
	open(name string) (io.ReadCloser, error)
}

func has(f files, name string) bool {
	r, err := f.open(name)
	if err != nil {
		return false
	}
	r.Close()
	return true
}

// folder is an OCI layout on disk.
type folder string

func (dir folder) open(name string) (io.ReadCloser, error) {
	if !filepath.IsLocal(name) {
		return nil, errors.New("its name leads out of the image")
	}
	return limits.Open(filepath.Join(string(dir), name))
}

// archive is a tar archive together with the offsets of its files.
type archive struct {
	path  string
	spans map[string]span
}

type span struct{ at, size int64 }

// maxFiles is the maximum number of files in an image's archive.
const maxFiles = 10_000

// readArchive finds the files in an archive.
func readArchive(name string) (*archive, error) {
	f, err := limits.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a := &archive{name, map[string]span{}}
	links := map[string]string{}
	t := tar.NewReader(f)
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			a.follow(links)
			return a, nil
		case err != nil:
			return nil, err
		case len(a.spans)+len(links) >= maxFiles:
			return nil, fmt.Errorf("it has more than %d files", maxFiles)
		}
		member := path.Clean(h.Name)
		switch h.Typeflag {
		case tar.TypeReg:
			at, err := f.Seek(0, io.SeekCurrent)
			if err != nil {
				return nil, err
			}
			a.spans[member] = span{at, h.Size}
		case tar.TypeSymlink:
			links[member] = path.Join(path.Dir(member), h.Linkname)
		case tar.TypeLink:
			links[member] = path.Clean(h.Linkname)
		}
	}
}

// follow lets links name the files that they lead to. Older Docker versions store equal layers as links.
func (a *archive) follow(links map[string]string) {
	const most = 40 // as in Linux
	for name, to := range links {
		for n := 0; links[to] != "" && n < most; n++ {
			to = links[to]
		}
		a.spans[name] = a.spans[to]
	}
}

func (a *archive) open(name string) (io.ReadCloser, error) {
	s, ok := a.spans[path.Clean(name)]
	if !ok || s.at == 0 {
		return nil, fs.ErrNotExist
	}
	f, err := os.Open(a.path)
	if err != nil {
		return nil, err
	}
	return struct {
		io.Reader
		io.Closer
	}{io.NewSectionReader(f, s.at, s.size), f}, nil
}

// Variables returns the image's environment settings that a command receives. Variables that describe the run keep
// smtpipe's values, wherever the run is executed.
func (img *Image) Variables() []string {
	return slices.DeleteFunc(slices.Clone(img.Env), func(kv string) bool {
		name, _, ok := strings.Cut(kv, "=")
		return !ok || name == "" || strings.IndexByte(kv, 0) >= 0 ||
			slices.Contains([]string{"HOME", "TMPDIR", "USER", "LOGNAME", "PWD", "HOSTNAME", "SHELL"}, name)
	})
}
