package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Copied counts what Backup or Restore added to a store.
type Copied struct {
	Blobs    int      `json:"blobs"`
	Bytes    int64    `json:"bytes"` // total size of the blobs
	Records  int      `json:"item_records"`
	Actions  int      `json:"stage_records"`
	Files    int      `json:"files"`    // other files about pipelines and jobs
	Problems []string `json:"problems"` // damage found in the source
}

// original is the file in a backup that names the backed-up store.
type original struct {
	ID  string `json:"id"`
	Dir string `json:"dir"`
}

const originalFile = "original"

// Backup adds everything in this store to another store, which must be new or already its backup. Other processes may
// use both stores concurrently. The backup is a complete store at all times, and nothing is ever removed from it. visit
// is called for each blob or record examined.
func (s *Store) Backup(ctx context.Context, to *Store, visit func()) (*Copied, error) {
	id, err := s.ID()
	if err != nil {
		return nil, err
	}
	was, err := to.backupOf()
	_, known := os.Stat(filepath.Join(to.dir, "id"))
	states, _ := to.States()
	switch {
	case err != nil:
		return nil, err
	case was != nil && was.ID != id:
		return nil, fmt.Errorf("%s is a backup of another store (%s); name another folder", to.dir, was.Dir)
	case was == nil && (known == nil || len(states) > 0):
		return nil, fmt.Errorf("%s is a store in use, not a backup; name another folder", to.dir)
	}
	text, err := json.Marshal(original{ID: id, Dir: s.dir})
	if err != nil {
		return nil, err
	}
	if err := writeFileAtomic(filepath.Join(to.dir, originalFile), append(text, '\n')); err != nil {
		return nil, to.unwritable(err)
	}
	return (&copying{ctx: ctx, from: s, to: to, visit: visit, replace: true}).all()
}

// Restore adds everything that this store lacks from a backup. If this store has no name and the backup's original is
// lost, this store takes over the original's name and with it its jobs and shared runs; took reports whether it did.
func (s *Store) Restore(ctx context.Context, backup *Store, visit func()) (c *Copied, took bool, err error) {
	was, _ := backup.backupOf() // a backup with a damaged name still has intact content
	c, err = (&copying{ctx: ctx, from: backup, to: s, visit: visit}).all()
	_, noName := os.Stat(filepath.Join(s.dir, "id"))
	if err != nil || was == nil || noName == nil {
		return c, false, err
	}
	if there := (&Store{dir: was.Dir}).name(); there == was.ID {
		return c, false, nil // the original still exists
	}
	return c, true, s.setID(was.ID)
}

// backupOf returns the original of which this store is a backup, or nil if it is not a backup.
func (s *Store) backupOf() (*original, error) {
	text, err := os.ReadFile(filepath.Join(s.dir, originalFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var was original
	if err == nil {
		err = json.Unmarshal(text, &was)
	}
	if err != nil {
		return nil, fmt.Errorf("%s does not say which store the folder is a backup of (%w); back up into another folder",
			filepath.Join(s.dir, originalFile), err)
	}
	return &was, nil
}

// copying copies the content of one store to another.
type copying struct {
	ctx      context.Context
	from, to *Store
	replace  bool // whether to replace differing records of the other store
	visit    func()
	Copied
}

// all copies blobs first: the other store never contains a record without its blobs. Other processes may add records in
// the meantime, so all copies blobs once more to include new ones.
func (c *copying) all() (*Copied, error) {
	for _, step := range []func() error{c.blobs, c.items, c.actions, c.blobs, c.files} {
		err := step()
		if errors.Is(err, context.Canceled) {
			return &c.Copied, err
		}
		if err != nil {
			return &c.Copied, c.to.unwritable(err)
		}
	}
	c.Problems = append(c.Problems, c.from.DamageReports()...)
	slices.Sort(c.Problems)
	c.Problems = slices.Compact(c.Problems)
	return &c.Copied, nil
}

// note records damage and returns other errors.
func (c *copying) note(err error) error {
	if _, corrupt := errors.AsType[*CorruptError](err); corrupt {
		c.Problems = append(c.Problems, err.Error())
		return nil
	}
	return err
}

func (c *copying) blobs() error {
	c.from.packs.refresh()
	err := c.from.packs.each(func(k Key, stored []byte) error {
		c.visit()
		if err := c.ctx.Err(); err != nil || c.to.packs.whole(k) {
			return err
		}
		b, err := unpack(stored)
		if err != nil || DigestOf(b) != Digest(k) {
			return c.note(&CorruptError{What: "blob " + k.String() + " in a pack", Why: errWrongBytes.Error()})
		}
		c.Blobs, c.Bytes = c.Blobs+1, c.Bytes+int64(len(b))
		return c.to.packs.put(k, stored)
	})
	if err != nil {
		return err
	}
	return eachFile(filepath.Join(c.from.dir, "blobs"), func(path string, info fs.FileInfo) error {
		c.visit()
		d, err := ParseDigest(filepath.Base(path))
		if err != nil {
			return c.ctx.Err() // note moved it aside
		}
		if have, err := os.Stat(c.to.blobPath(d)); err == nil && have.Size() == info.Size() {
			return c.ctx.Err()
		}
		return c.note(c.blob(d, info.Size()))
	})
}

// blob copies a blob stored in its own file, unless its bytes do not match the digest.
func (c *copying) blob(d Digest, size int64) error {
	b, err := c.from.OpenBlob(d)
	if _, missing := errors.AsType[*MissingError](err); missing {
		return nil // it was collected in the meantime
	}
	if err != nil {
		return err
	}
	defer b.Close()
	_, _, err = c.to.Write(func(w io.Writer) error {
		dw := NewDigestWriter(w)
		if _, err := io.Copy(dw, limits.UntilEnd(c.ctx, b.Reader())); err != nil {
			return err
		}
		if got, _ := dw.Sum(); got != d {
			return c.from.wrongBytes(d)
		}
		return nil
	})
	if err == nil {
		c.Blobs, c.Bytes = c.Blobs+1, c.Bytes+size
	}
	return err
}

func (c *copying) items() error {
	names, err := c.from.Namespaces()
	if err != nil {
		return err
	}
	for _, name := range names {
		from, err := c.from.Items(name)
		if err != nil {
			return err
		}
		to, err := c.to.Items(name)
		if err != nil {
			return err
		}
		err = from.Each(func(key Key, record []byte) error {
			c.visit()
			have, ok, err := to.Get(key)
			if err := errors.Join(err, c.ctx.Err()); err != nil || ok && (!c.replace || bytes.Equal(have, record)) {
				return err
			}
			c.Records++
			return to.log.put(key, record)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *copying) actions() error {
	damaged, err := c.from.EachAction(func(key Key, _ *Action) error {
		c.visit()
		if err := c.ctx.Err(); err != nil {
			return err
		}
		n, err := c.file(filepath.Join("actions", key.String()[:2], key.String()), func() bool {
			have, err := c.to.readAction(key)
			return err == nil && have != nil
		})
		c.Actions += n
		return err
	})
	for _, wrong := range damaged {
		c.note(wrong)
	}
	return err
}

// files copies the files about pipelines: the latest records, the last runs, the outputs that smtpipe wrote, and the
// jobs that wait for results from elsewhere.
func (c *copying) files() error {
	for _, dir := range []string{"state", "evaluations", "outputs", "executors"} {
		err := eachFile(filepath.Join(c.from.dir, dir), func(path string, _ fs.FileInfo) error {
			rel, err := filepath.Rel(c.from.dir, path)
			if err != nil || strings.HasSuffix(path, ".tmp") {
				return err
			}
			if _, wrong := readState(path); dir == "state" && IsLost(wrong) {
				return c.note(wrong)
			}
			n, err := c.file(rel, func() bool {
				_, err := os.Stat(filepath.Join(c.to.dir, rel))
				return err == nil
			})
			c.Files += n
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// file copies one file of the store and returns 1, or returns 0 if the other store already has it. there reports
// whether the other store has a file that may stay.
func (c *copying) file(rel string, there func() bool) (int, error) {
	data, err := os.ReadFile(filepath.Join(c.from.dir, rel))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil || !c.replace && there() {
		return 0, err
	}
	target := filepath.Join(c.to.dir, rel)
	if have, err := os.ReadFile(target); err == nil && bytes.Equal(have, data) {
		return 0, nil
	}
	return 1, writeFileBelow(target, data)
}
