package solver

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Layer is a tar archive, possibly compressed, with one layer's changes to a root file system.
type Layer struct {
	Open   func() (io.ReadCloser, error)
	SHA256 string // expected digest of the uncompressed archive; empty means unchecked
}

// RootFolders are the folders that contain mount points in every run. UnpackRoot creates them, because a root is
// read-only in runs. It replaces anything else in an image with the same name, such as a link.
var RootFolders = []string{"home/solver", "var/tmp"}

// UnpackRoot applies layers in order to a folder, which must not exist. Whiteouts follow the OCI image specification
// ("Layer Filesystem Changeset"). Like Unpack, it writes nothing outside the folder and returns an error if the limits
// are exceeded. Unlike a solver's archive, the folder is a root file system: links are kept wherever they point, and
// are followed within the folder. Devices, FIFOs and sockets are omitted, because a run has its own /dev. Files get
// mode 0644, or 0755 if a layer marks them as executable. Setuid and setgid bits, capabilities and owners are dropped.
func UnpackRoot(ctx context.Context, layers []Layer, dir string, opt UnpackOptions) (_ *Tree, err error) {
	x, done, err := newExtractor(ctx, dir, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = done(err) }()
	for i, l := range layers {
		if err := x.layer(l); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("layer %d of %d: %w", i+1, len(layers), blame(ctx, err))
		}
	}
	for _, name := range RootFolders {
		if err := x.realFolder(name); err != nil {
			return nil, err
		}
	}
	if err := openFolders(ctx, dir); err != nil {
		return nil, err
	}
	return ReadTree(ctx, dir)
}

// layer applies one layer.
func (x *extractor) layer(l Layer) error {
	in, err := l.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	x.meter = x.limits.Start(0)
	x.ofLayer, x.resolved = map[string]bool{}, map[string]string{}
	r, leave, err := decompress(x.meter.Input(limits.UntilEnd(x.ctx, in)))
	if err != nil {
		return err
	}
	defer leave()
	h := sha256.New()
	all := io.TeeReader(r, h)
	t := tar.NewReader(x.meter.Output(all, new(int64)))
	for {
		m, err := t.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = x.layerMember(t, m)
		}
		if err != nil {
			name := ""
			if m != nil {
				name = m.Name
			}
			return fmt.Errorf("member %.200q: %w", name, err)
		}
	}
	if _, err := io.Copy(io.Discard, x.meter.Output(all, new(int64))); err != nil { // padding and checksum
		return err
	}
	if got := Digest(h.Sum(nil)).String(); l.SHA256 != "" && got != l.SHA256 {
		return fmt.Errorf("its SHA-256 is %s, and the image says %s; save or fetch the image again", got, l.SHA256)
	}
	return nil
}

// The names of whiteouts, and the maximum depth of a file.
const (
	whiteout = ".wh."
	opaque   = ".wh..wh..opq"
	aufs     = ".wh..wh." // other names with this prefix belong to an obsolete file system
	maxDepth = 200
	maxName  = 4096 // PATH_MAX on Linux
)

func (x *extractor) layerMember(t *tar.Reader, m *tar.Header) error {
	if m.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	clean, err := localName(strings.TrimLeft(m.Name, "/"))
	if err := errors.Join(err, x.count()); err != nil || clean == "." {
		return err
	}
	if slices.Contains(strings.Split(m.Name, "/"), "..") {
		return errors.New("its name leads out of the folder that it is in")
	}
	if len(clean) > maxName || strings.Count(clean, "/") > maxDepth {
		return fmt.Errorf("its name has more than %d bytes, or more than %d folders", maxName, maxDepth)
	}
	folder, err := x.resolve(path.Dir(clean), true)
	if err != nil {
		return err
	}
	base := path.Base(clean)
	name := path.Join(folder, base)
	switch {
	case base == opaque:
		return x.hideLower(folder)
	case strings.HasPrefix(base, aufs):
		return nil
	case strings.HasPrefix(base, whiteout):
		return x.white(folder, strings.TrimPrefix(base, whiteout))
	}
	switch m.Typeflag {
	case tar.TypeDir:
		return x.layerFolder(name)
	case tar.TypeReg, tar.TypeGNUSparse:
		if err := x.clear(name); err != nil {
			return err
		}
		return x.write(name, t, m.FileInfo().Mode()&0o111 != 0)
	case tar.TypeSymlink:
		if err := x.clear(name); err != nil {
			return err
		}
		clear(x.resolved)
		return x.root.Symlink(m.Linkname, name)
	case tar.TypeLink:
		return x.hardLink(name, m.Linkname)
	case tar.TypeChar, tar.TypeBlock, tar.TypeFifo:
		return nil
	}
	return fmt.Errorf("it is of type %q, which no root file system has", m.Typeflag)
}

// resolve follows the links in a folder's path within the root. With create, it creates missing folders. The result
// contains no links; it stays valid until the next link or whiteout.
func (x *extractor) resolve(dir string, create bool) (string, error) {
	if at, ok := x.resolved[dir]; ok {
		return at, nil
	}
	at, err := FollowLinks(".", dir, func(at string) (fs.FileInfo, error) {
		info, err := x.root.Lstat(at)
		if errors.Is(err, fs.ErrNotExist) && create {
			if err := errors.Join(x.count(), x.layerFolder(at)); err != nil {
				return nil, err
			}
			return x.root.Lstat(at)
		}
		if err == nil && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 {
			err = fmt.Errorf("%q is a file, not a folder", at)
		}
		return info, err
	}, x.root.Readlink)
	if err == nil {
		x.resolved[dir] = at
	}
	return at, err
}

// FollowLinks returns the path that a name below a root folder leads to, as for a process whose root it is. Paths begin
// with root, which is "/" or ".".
func FollowLinks(root, name string, lstat func(at string) (fs.FileInfo, error),
	readlink func(at string) (string, error)) (string, error) {
	at, rest := root, strings.Split(name, "/")
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		info, err := lstat(next)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > 40 { // the same limit as in Linux
			return "", fmt.Errorf("the links of %q form a cycle", name)
		}
		text, err := readlink(next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(text) {
			at = root
		}
		rest = append(strings.Split(text, "/"), rest...)
	}
	return at, nil
}

// clear removes what a member other than a folder replaces.
func (x *extractor) clear(name string) error {
	x.ofLayer[name] = true
	return x.remove(name)
}

// remove removes a file, a link, or a folder with its content, if it exists.
func (x *extractor) remove(name string) error {
	info, err := x.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return x.root.Remove(name)
	}
	clear(x.resolved)
	return x.root.RemoveAll(name)
}

// layerFolder creates a folder. It replaces a file or link, but not a folder.
func (x *extractor) layerFolder(name string) error {
	x.ofLayer[name] = true
	if info, err := x.root.Lstat(name); err == nil && info.IsDir() {
		return nil
	}
	return errors.Join(x.remove(name), x.root.Mkdir(name, 0o755))
}

// realFolder creates a folder without following links in its parents.
func (x *extractor) realFolder(name string) error {
	if parent := path.Dir(name); parent != "." {
		if err := x.realFolder(parent); err != nil {
			return err
		}
	}
	return x.layerFolder(name)
}

// white hides the entry of this name in lower layers.
func (x *extractor) white(folder, name string) error {
	if name == "" || name == "." || name == ".." {
		return errors.New("it is a whiteout that names no file")
	}
	target := path.Join(folder, name)
	if x.ofLayer[target] {
		return nil
	}
	return x.remove(target)
}

// hideLower hides all entries of lower layers in a folder.
func (x *extractor) hideLower(folder string) error {
	d, err := x.root.Open(folder)
	if err != nil {
		return err
	}
	names, err := d.Readdirnames(-1)
	if err := errors.Join(err, d.Close(), x.ctx.Err()); err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		at := path.Join(folder, name)
		if !x.ofLayer[at] {
			err = x.remove(at)
		} else if info, statErr := x.root.Lstat(at); statErr == nil && info.IsDir() {
			err = x.hideLower(at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hardLink creates a hard link to a file from this layer or a lower one.
func (x *extractor) hardLink(name, to string) error {
	target, err := localName(strings.TrimLeft(to, "/"))
	if err != nil {
		return err
	}
	folder, err := x.resolve(path.Dir(target), false)
	if err != nil {
		return err
	}
	target = path.Join(folder, path.Base(target))
	info, err := x.root.Lstat(target)
	if err != nil {
		return fmt.Errorf("the target of the hard link: %w", err)
	}
	if info.IsDir() {
		return fmt.Errorf("%q is a folder; folders cannot have hard links", target)
	}
	if target == name {
		return nil
	}
	if err := errors.Join(x.clear(name), x.add(info.Size())); err != nil { // the digest reads every link's bytes
		return err
	}
	return x.root.Link(target, name)
}
