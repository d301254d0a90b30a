package fanout

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/image"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Image is a root file system for programs, used instead of the machine's programs and libraries.
type Image struct {
	ID cache.Digest // part of the keys of everything that is executed in the image

	image *image.Image // nil if the image is not on this machine
	name  string
	mu    sync.Mutex
	root  solvertree.Folder // empty until the image is unpacked
}

// ReadImage reads the value of an attribute "image"; nil if it is not given or not known yet.
func ReadImage(v cty.Value) (*Image, error) {
	f, ok := stages.FileOf(v)
	switch {
	case !ok:
		return nil, nil
	case f.Absent:
		return &Image{ID: f.Tree, name: f.Name}, nil
	}
	return OpenImage(f.Path)
}

// OpenImage reads an image's metadata on this machine.
func OpenImage(path string) (*Image, error) {
	img, err := image.Open(path)
	if err != nil {
		return nil, err
	}
	return &Image{ID: img.ID, image: img, name: path}, nil
}

// Unpack ensures that the store contains the image unpacked exactly as it was first unpacked.
func (i *Image) Unpack(ctx context.Context, store *cache.Store) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.root.Path != "":
		return nil
	case i.image == nil:
		return fmt.Errorf("the image %s is not on this machine", i.name)
	}
	var err error
	i.root, err = i.image.Unpack(ctx, store)
	return err
}

// Path returns the unpacked image's folder.
func (i *Image) Path() string { return i.root.Path }

// String returns the image's file, its name in the file, and its ID.
func (i *Image) String() string {
	called := ""
	if i.image != nil && i.image.Name != "" {
		called = i.image.Name + ", "
	}
	return fmt.Sprintf("%s (%ssha256:%s)", filepath.Base(i.name), called, i.ID)
}

// Variables returns the environment settings of the image.
func (i *Image) Variables() []string { return i.image.Variables() }

// Apply makes the unpacked image the root of a command, and sets the image's variables that the command does not set
// itself. It returns an error if the command sees the machine's files. Without an image, such a command gets the
// machine's paths.
func (i *Image) Apply(cmd *runner.Command, isolation runner.Isolation) error {
	switch {
	case i == nil && !isolation.Private():
		Expose(cmd)
		return nil
	case i == nil:
		return nil
	case !isolation.Private():
		return fmt.Errorf("runs with the isolation %q see the files of the machine and cannot have the image %s; use full "+
			"or namespaces", isolation, i.name)
	}
	cmd.HostSystem = false
	cmd.Mounts = append(slices.Clone(cmd.Mounts), runner.Mount{Source: i.root.Path, Target: runner.ImageRoot})
	cmd.Env = append(i.image.Variables(), cmd.Env...)
	return nil
}

// Verify returns the unpacked image's digest, which a remote executor must have or obtain.
func (i *Image) Verify() worker.Digest {
	return worker.Digest{Path: i.root.Path, SHA256: i.root.Digest.String(), Tree: true, Root: true}
}
