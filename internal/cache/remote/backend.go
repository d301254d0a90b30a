// Package remote shares stage records and content between stores: over the HTTP cache protocol of Bazel (GET, HEAD and
// PUT of /ac/HEX and /cas/HEX), or through a folder. It trusts nothing from a remote store: content must match its
// digest, and a record's components must match its key. A server that fails, is slow or sends wrong data never makes a
// run fail and hardly slows it.
package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Kind is one of the two maps of the protocol.
type Kind string

// Records maps keys to stage records; Content maps SHA-256 digests to bytes.
const (
	Records Kind = "ac"
	Content Kind = "cas"
)

// ErrAbsent reports that a remote store lacks an entry.
var ErrAbsent = errors.New("the remote store does not have it")

// Backend is the storage behind a remote store. It is safe for concurrent use.
type Backend interface {
	// Get writes an entry to w. Its name has 64 hexadecimal digits. If there is no such entry, it returns ErrAbsent.
	Get(ctx context.Context, kind Kind, name string, w io.Writer) error
	// Has reports whether there is an entry called name.
	Has(ctx context.Context, kind Kind, name string) (bool, error)
	// Put stores size bytes from r under name.
	Put(ctx context.Context, kind Kind, name string, r io.Reader, size int64) error
}

// OpenBackend returns the backend for a URL (http, https or file) or for the path of a folder.
func OpenBackend(where string) (Backend, error) {
	u, err := url.Parse(where)
	if err != nil {
		return nil, fmt.Errorf("remote store %q: %w", where, err)
	}
	switch u.Scheme {
	case "http", "https":
		if u.Host == "" {
			return nil, fmt.Errorf("remote store %q names no host", where)
		}
		return newHTTP(u)
	case "file":
		if u.Host != "" && u.Host != "localhost" || !filepath.IsAbs(u.Path) {
			return nil, fmt.Errorf("remote store %q is not of the form file:///FOLDER", where)
		}
		return folder(u.Path), nil
	case "":
		return folder(where), nil
	}
	return nil, fmt.Errorf("remote store %q: unknown scheme %q; use http, https, file, or a "+
		"folder path", where, u.Scheme)
}

// folder is a remote store in a folder, such as a network file system mounted on all machines.
type folder string

func (f folder) path(kind Kind, name string) string {
	return filepath.Join(string(f), string(kind), name)
}

// Get implements Backend.
func (f folder) Get(ctx context.Context, kind Kind, name string, w io.Writer) error {
	file, err := await(ctx, func() (*os.File, error) { return os.Open(f.path(kind, name)) })
	if errors.Is(err, fs.ErrNotExist) {
		return ErrAbsent
	}
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(w, limits.UntilEnd(ctx, file))
	return err
}

// Has implements Backend.
func (f folder) Has(ctx context.Context, kind Kind, name string) (bool, error) {
	_, err := await(ctx, func() (fs.FileInfo, error) { return os.Stat(f.path(kind, name)) })
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Put implements Backend.
func (f folder) Put(ctx context.Context, kind Kind, name string, r io.Reader, _ int64) error {
	path := f.path(kind, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	w, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o666), renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return err
	}
	defer w.Cleanup()
	if _, err := io.Copy(w, limits.UntilEnd(ctx, r)); err != nil {
		return err
	}
	return w.CloseAtomicallyReplace()
}

// await waits for do, which cannot be interrupted (such as a call to a lost network file system), but gives up when ctx
// ends.
func await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// Redact returns a URL with its password hidden.
func Redact(where string) string {
	if u, err := url.Parse(where); err == nil && strings.HasPrefix(u.Scheme, "http") {
		return u.Redacted()
	}
	return where
}
