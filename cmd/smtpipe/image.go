package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// imageFlags select an image, for commands that execute programs without a pipeline.
type imageFlags struct{ path, store string }

func (f *imageFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.path, "image", "",
		"image that is the root file system of the command: an OCI layout or archive, or "+
			"what docker save writes (default: the machine's programs)")
	if fl.Lookup("store") == nil {
		fl.StringVar(&f.store, "store", os.Getenv("SMTPIPE_STORE"),
			"store that keeps the unpacked image (default: $SMTPIPE_STORE, or a temporary one)")
	}
}

// open opens and unpacks the image, or returns nil if the flags name none. done removes a store that was created only
// for the image.
func (f *imageFlags) open(ctx context.Context) (img *fanout.Image, done func() error, err error) {
	done = func() error { return nil }
	if f.path == "" {
		return nil, done, nil
	}
	if img, err = fanout.OpenImage(f.path); err != nil {
		return nil, done, exit.With(exit.Usage, fmt.Errorf("--image: %w", err))
	}
	folder, temporary := f.store, ""
	if folder == "" {
		if temporary, err = os.MkdirTemp("", "smtpipe-image-"); err != nil {
			return nil, done, err
		}
		folder = filepath.Join(temporary, "store")
	}
	store, err := cache.Open(folder, cache.Options{})
	if err != nil {
		return nil, done, err
	}
	done = func() error {
		err := store.Close()
		if temporary != "" {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
		return err
	}
	if err := img.Unpack(ctx, store); err != nil {
		return nil, done, err
	}
	return img, done, nil
}
