package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// image writes an OCI archive with an image for each architecture. Each root folder is named after its architecture; CA
// certificates are added to it.
func image(o options, folders []string) error {
	date := time.Unix(o.date, 0).UTC()
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, folder := range folders {
		arch := filepath.Base(folder)
		img, err := imageOf(folder, arch, o.version, date)
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	dir, err := os.MkdirTemp("", "smtpipe-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	// The image's name within an archive, which tools display and look up.
	name := map[string]string{"org.opencontainers.image.ref.name": o.version}
	if err := path.AppendIndex(index, layout.WithAnnotations(name)); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := writeTar(&b, dir, date, nil); err != nil {
		return err
	}
	return os.WriteFile(o.out, b.Bytes(), 0o644)
}

func imageOf(root, arch, version string, date time.Time) (v1.Image, error) {
	var roots bytes.Buffer
	for r := range bundle.Roots() {
		if err := pem.Encode(&roots, &pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate}); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	certificates := map[string][]byte{"etc/ssl/certs/ca-certificates.crt": roots.Bytes()}
	if err := writeTar(&b, root, date, certificates); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if img, err = mutate.ConfigFile(img, &v1.ConfigFile{OS: "linux", Architecture: arch, Created: v1.Time{Time: date},
		RootFS: v1.RootFS{Type: "layers"}, Config: v1.Config{
			Entrypoint: []string{"/usr/bin/smtpipe"}, WorkingDir: "/work", Env: []string{"PATH=/usr/bin:/bin"},
			Labels: map[string]string{"org.opencontainers.image.title": "smtpipe",
				"org.opencontainers.image.licenses": "Apache-2.0",
				"org.opencontainers.image.version":  version}}}); err != nil {
		return nil, err
	}
	return mutate.Append(img, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: date},
		CreatedBy: "smtpipe release"}})
}

// writeTar packs a folder and additional files, all owned by root and with the same modification time.
func writeTar(w io.Writer, root string, date time.Time, more map[string][]byte) error {
	tw := tar.NewWriter(w)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		link := ""
		if d.Type() == fs.ModeSymlink {
			if link, err = os.Readlink(path); err != nil {
				return err
			}
		}
		h, err := tar.FileInfoHeader(info, link)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		*h = tar.Header{Typeflag: h.Typeflag, Name: name, Linkname: link, Size: h.Size, Mode: 0o644, ModTime: date}
		if d.IsDir() {
			h.Name += "/"
		}
		if d.IsDir() || info.Mode()&0o100 != 0 {
			h.Mode = 0o755
		}
		if name == "tmp" {
			h.Mode = 0o1777
		}
		var data []byte
		if d.Type().IsRegular() {
			if data, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		return add(tw, h, data)
	})
	if err != nil {
		return err
	}
	for name, data := range more {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o644, ModTime: date}
		if err := add(tw, h, data); err != nil {
			return err
		}
	}
	return tw.Close()
}

func add(tw *tar.Writer, h *tar.Header, data []byte) error {
	if err := tw.WriteHeader(h); err != nil {
		return err
	}
	_, err := tw.Write(data)
	return err
}
