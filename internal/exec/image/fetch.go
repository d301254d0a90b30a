package image

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Fetch downloads an image from a registry by digest and writes it as an OCI layout to a folder that does not exist
// yet. It checks digests while downloading and sends no credentials to the registry.
func Fetch(ctx context.Context, reference, dir string) (err error) {
	ref, err := name.NewDigest(reference)
	if err != nil {
		return fmt.Errorf("%w; name the image by its digest, as registry.example.org/name@sha256:…, since a tag can be another "+
			"image tomorrow", err)
	}
	img, err := remote.Image(ref, remote.WithContext(ctx), remote.WithPlatform(v1.Platform{OS: "linux",
		Architecture: runtime.GOARCH}))
	if err != nil {
		return fmt.Errorf("fetch %s: %w", reference, err)
	}
	if _, err := os.Lstat(dir); err == nil {
		return fmt.Errorf("%s already exists; name a new folder", dir)
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), ".image-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temp))
		}
	}()
	if err := os.Chmod(temp, 0o755); err != nil {
		return err
	}
	path, err := layout.Write(temp, empty.Index)
	if err != nil {
		return err
	}
	if err := path.AppendImage(img, layout.WithAnnotations(map[string]string{refName: reference})); err != nil {
		return fmt.Errorf("fetch %s: %w", reference, err)
	}
	if _, err := Open(temp); err != nil {
		return fmt.Errorf("the downloaded content is not an image: %w", err)
	}
	return os.Rename(temp, dir)
}
