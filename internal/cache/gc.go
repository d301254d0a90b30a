package cache

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// GCOptions selects what a collection keeps. The store only handles bytes, so the caller tells it what contents refer
// to.
type GCOptions struct {
	KeepLast int   // number of each address's youngest records to keep, in addition to those used last
	MaxSize  int64 // if positive, remove only the oldest content until stages take at most this many bytes
	DryRun   bool  // whether to leave everything in place and only count

	// Refers returns the digests of the content that an artifact needs: files of a tree, or blobs that a table refers
	// to.
	Refers func(schema string, d Digest) ([]Digest, error)
	// ItemRefers returns the digests of the content that an item's record needs. Item records are never removed, since
	// they are small and represent finished runs.
	ItemRefers func(namespace string, record []byte) []Digest
}

// Collected counts what a collection found and removed, or would remove.
type Collected struct {
	Actions      int       `json:"stage_records"` // number of stage records removed
	Blobs        int       `json:"blobs"`
	Packed       int       `json:"packed_blobs"`
	Bytes        int64     `json:"bytes"` // bytes freed
	KeptActions  int       `json:"kept_stage_records"`
	KeptBytes    int64     `json:"kept_bytes"`
	TempBytes    int64     `json:"temp_bytes"`            // freed from dead processes' files; included in Bytes
	OthersSince  time.Time `json:"others_since,omitzero"` // when the earliest other process opened the store
	PacksSkipped bool      `json:"packs_skipped"`         // whether packs were kept for other processes
	Damaged      int       `json:"damaged_item_records"`  // item records removed from segments; copies are kept
}

// collection is one run of GC.
type collection struct {
	*Store
	opt     GCOptions
	records []actionFile // all stage records, youngest first
	live    map[Digest]struct{}
	kept    map[Key]bool
	since   time.Time // content younger than this is kept
	others  bool
	result  Collected
}

// actionFile is a stage record with the properties of its file.
type actionFile struct {
	key  Key
	act  *Action
	used time.Time
	size int64
}

// GC removes stage records that no pipeline used last, and content that nothing refers to. If other processes use the
// store, GC keeps everything that they may have found or written since they started, and leaves packs alone.
func (s *Store) GC(opt GCOptions) (*Collected, error) {
	gate, busy, err := s.Lock(collectLock)
	if err != nil && !(opt.DryRun && ignoreReadOnly(err) == nil) {
		return nil, err
	}
	if busy {
		return nil, errors.New("another process is opening this store or collecting its garbage; try again in a moment")
	}
	defer gate.Close()
	c := &collection{Store: s, opt: opt, live: map[Digest]struct{}{}, kept: map[Key]bool{}, since: time.Now()}
	since, others, err := s.others()
	if err != nil {
		return nil, err
	}
	if others {
		c.since, c.others, c.result.OthersSince, c.result.PacksSkipped = since, true, since.UTC(), true
	}
	for _, step := range []func() error{c.readActions, c.markRoots, c.markItems, c.markUnderLimit, c.sweepActions,
		c.sweepBlobs, c.sweepPacks, c.sweepTemp, c.sweepLocks} {
		if err := step(); err != nil {
			return &c.result, fmt.Errorf("collect garbage in %s: %w", s.dir, err)
		}
	}
	return &c.result, nil
}

// readActions reads all stage records. Damaged ones are garbage.
func (c *collection) readActions() error {
	err := eachFile(filepath.Join(c.dir, "actions"), func(path string, info fs.FileInfo) error {
		key, err := ParseKey(filepath.Base(path))
		if err != nil {
			return nil // not a file of the store
		}
		act, err := c.readAction(key)
		if _, corrupt := errors.AsType[*CorruptError](err); err != nil && !corrupt {
			return err
		}
		c.records = append(c.records, actionFile{key, act, info.ModTime(), info.Size()})
		return nil
	})
	slices.SortFunc(c.records, func(a, b actionFile) int {
		return cmp.Or(b.used.Compare(a.used), bytes.Compare(a.key[:], b.key[:]))
	})
	return err
}

// eachFile visits the regular files in and below a folder in order of their names.
func eachFile(dir string, visit func(path string, info fs.FileInfo) error) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // absent, or removed in the meantime
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return visit(path, info)
	})
}

// markRoots keeps the latest records of all pipelines, the youngest records of each address, and everything in use.
func (c *collection) markRoots() error {
	roots := map[Key]bool{}
	states, err := c.States()
	if err != nil {
		return err
	}
	for _, st := range states {
		for _, text := range st.Latest {
			if key, err := ParseKey(text); err == nil {
				roots[key] = true
			}
		}
	}
	for _, key := range c.evaluationKeys() {
		roots[key] = true
	}
	count := map[string]int{}
	for _, r := range c.records {
		if r.act == nil {
			continue
		}
		count[r.act.Address]++
		if roots[r.key] || count[r.act.Address] <= c.opt.KeepLast || c.others && !r.used.Before(c.since) {
			if err := c.mark(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// mark keeps a record and the content that it needs.
func (c *collection) mark(r actionFile) error {
	c.kept[r.key] = true
	for _, name := range slices.Sorted(maps.Keys(r.act.Outputs)) {
		out := r.act.Outputs[name]
		d, err := ParseDigest(out.Digest)
		if err != nil {
			continue // a plain value
		}
		if _, done := c.live[d]; done {
			continue
		}
		c.live[d] = struct{}{}
		if c.opt.Refers == nil {
			continue
		}
		needed, err := c.opt.Refers(out.Schema, d)
		if IsLost(err) {
			continue // missing or damaged content refers to nothing and is recreated
		}
		if err != nil {
			return fmt.Errorf("output %s of %s: %w", name, r.act.Address, err)
		}
		for _, n := range needed {
			c.live[n] = struct{}{}
		}
	}
	return nil
}

// markItems keeps the content that item records need, and removes damaged records.
func (c *collection) markItems() error {
	if c.opt.ItemRefers == nil {
		return nil
	}
	spaces, err := c.Namespaces()
	if err != nil {
		return err
	}
	for _, name := range spaces {
		it, err := c.Items(name)
		if err != nil {
			return err
		}
		if !c.opt.DryRun {
			damaged, err := it.log.inspect(true)
			if c.result.Damaged += len(damaged); err != nil {
				return err
			}
		}
		err = it.Each(func(_ Key, record []byte) error {
			for _, d := range c.opt.ItemRefers(name, record) {
				c.live[d] = struct{}{}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// markUnderLimit keeps the youngest removable records until they reach the size limit.
func (c *collection) markUnderLimit() error {
	if c.opt.MaxSize == 0 {
		return nil
	}
	for _, r := range c.records {
		if r.act == nil || c.kept[r.key] {
			continue
		}
		before := maps.Clone(c.live)
		if err := c.mark(r); err != nil {
			return err
		}
		if c.liveBytes() > c.opt.MaxSize {
			c.live = before
			delete(c.kept, r.key)
			return nil
		}
	}
	return nil
}

func (c *collection) liveBytes() int64 {
	var sum int64
	for d := range c.live {
		if e, ok := c.packs.stored(d); ok {
			sum += int64(e)
		} else if info, err := os.Stat(c.blobPath(d)); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// sweepActions removes the records that are not kept. It runs before their content is removed: otherwise a process
// could find a record whose content is disappearing.
func (c *collection) sweepActions() error {
	for _, r := range c.records {
		path := c.actionPath(r.key)
		if info, err := os.Stat(path); c.kept[r.key] || err == nil && c.others && !info.ModTime().Before(c.since) {
			c.result.KeptActions++
			if !c.kept[r.key] && r.act != nil { // another process found the record a moment ago
				if err := c.mark(r); err != nil {
					return err
				}
			}
			continue
		}
		c.result.Actions++
		if err := c.remove(path, r.size); err != nil {
			return err
		}
	}
	return nil
}

// sweepBlobs removes blob files that no kept record needs.
func (c *collection) sweepBlobs() error {
	return eachFile(filepath.Join(c.dir, "blobs"), func(path string, info fs.FileInfo) error {
		d, err := ParseDigest(strings.TrimSuffix(filepath.Base(path), ".damaged"))
		if err != nil {
			return nil // not a file of the store
		}
		_, live := c.live[d]
		if damaged := strings.HasSuffix(path, ".damaged"); live && !damaged || !info.ModTime().Before(c.since) {
			c.result.KeptBytes += info.Size()
			return nil
		}
		c.result.Blobs++
		return c.remove(path, info.Size())
	})
}

// sweepPacks rewrites packs without the blobs that no kept record needs.
func (c *collection) sweepPacks() error {
	dead, freed, kept, err := c.packs.retain(func(key [32]byte) bool {
		_, live := c.live[key]
		return live || c.others
	}, c.opt.DryRun)
	c.result.Packed, c.result.Bytes, c.result.KeptBytes = dead, c.result.Bytes+freed, c.result.KeptBytes+kept
	return err
}

// keepDownload is how long an incomplete download is kept.
const keepDownload = 7 * 24 * time.Hour

// sweepTemp removes the files that killed processes left.
func (c *collection) sweepTemp() error {
	parent := filepath.Join(c.dir, "tmp")
	downloads := filepath.Join(parent, "downloads") + string(filepath.Separator)
	return eachFile(parent, func(path string, info fs.FileInfo) error {
		latest := c.since
		if strings.HasPrefix(path, downloads) {
			latest = latest.Add(-keepDownload)
		}
		if c.others && !strings.HasPrefix(path, downloads) || !info.ModTime().Before(latest) {
			return nil
		}
		c.result.TempBytes += info.Size()
		return c.remove(path, info.Size())
	})
}

// sweepLocks removes the lock files of stages, which are never used again, unless another process may hold one.
func (c *collection) sweepLocks() error {
	if c.others {
		return nil
	}
	return eachFile(filepath.Join(c.dir, "lock"), func(path string, info fs.FileInfo) error {
		if !strings.HasPrefix(info.Name(), "stage-") {
			return nil
		}
		return c.remove(path, info.Size())
	})
}

func (c *collection) remove(path string, size int64) error {
	c.result.Bytes += size
	if c.opt.DryRun {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		if errors.Is(err, unix.EROFS) || errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w; the store is read-only here", err)
		}
		return err
	}
	return nil
}
