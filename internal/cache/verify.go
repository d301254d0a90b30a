package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Verified is the result of checking a whole store.
type Verified struct {
	Blobs    int      `json:"blobs"` // number of blobs checked, including those in packs
	Bytes    int64    `json:"bytes"`
	Records  int      `json:"item_records"`
	Actions  int      `json:"stage_records"`
	Missing  int      `json:"missing"` // outputs of stage records missing from the store
	Problems []string `json:"problems"`
}

// Check reads everything in the store. It checks blobs against their digests, and records against their checksums and
// keys. Missing outputs of stage records are counted but are not damage, since they are recreated when needed.
func (s *Store) Check() (*Verified, error) { return s.check(false) }

// Repair is like Check, but also moves damaged content aside to let it be recreated. The process must not have written
// to the store.
func (s *Store) Repair() (*Verified, error) { return s.check(true) }

func (s *Store) check(mend bool) (*Verified, error) {
	v := &Verified{}
	note := func(err error) error {
		_, corrupt := errors.AsType[*CorruptError](err)
		if corrupt {
			v.Problems = append(v.Problems, err.Error())
			return nil
		}
		return err
	}
	for _, step := range []func(*Verified, func(error) error, bool) error{s.checkPacks, s.checkBlobs, s.checkItems,
		s.checkActions} {
		if err := step(v, note, mend); err != nil {
			return v, err
		}
	}
	return v, nil
}

func (s *Store) checkPacks(v *Verified, note func(error) error, mend bool) error {
	if err := noteDamaged(s.packs, note, mend); err != nil {
		return err
	}
	wrong := map[[32]byte]bool{}
	err := s.packs.each(func(k Key, stored []byte) error {
		v.Blobs++
		b, err := unpackOf(Digest(k), stored)
		v.Bytes += int64(len(b))
		if err != nil {
			wrong[k] = true
			return note(&CorruptError{What: "blob " + k.String() + " in a pack", Why: err.Error()})
		}
		return nil
	})
	if err == nil && mend && len(wrong) > 0 {
		_, _, _, err = s.packs.retain(func(key [32]byte) bool { return !wrong[key] }, false)
	}
	return err
}

// noteDamaged reports a log's damaged records and, if mend is true, removes them.
func noteDamaged(l *recordLog, note func(error) error, mend bool) error {
	damaged, err := l.inspect(mend)
	for _, d := range damaged {
		note(d)
	}
	return err
}

func (s *Store) checkBlobs(v *Verified, note func(error) error, mend bool) error {
	return eachFile(filepath.Join(s.dir, "blobs"), func(path string, info fs.FileInfo) error {
		if strings.HasSuffix(path, ".damaged") {
			return nil // already reported when the blob was moved aside
		}
		d, err := ParseDigest(filepath.Base(path))
		if err != nil {
			return note(&CorruptError{What: "file " + path, Why: "its name is not a digest"})
		}
		v.Blobs++
		v.Bytes += info.Size()
		if mend {
			return note(s.Verify(d))
		}
		return note(s.inspectBlob(d))
	})
}

func (s *Store) checkItems(v *Verified, note func(error) error, mend bool) error {
	spaces, err := s.Namespaces()
	if err != nil {
		return err
	}
	for _, name := range spaces {
		it, err := s.Items(name)
		if err != nil {
			return err
		}
		err = errors.Join(noteDamaged(it.log, note, mend), it.log.each(func(Key, []byte) error {
			v.Records++
			return nil
		}))
		if err != nil {
			return fmt.Errorf("items %s: %w", name, err)
		}
	}
	return nil
}

func (s *Store) checkActions(v *Verified, note func(error) error, mend bool) error {
	damaged, err := s.EachAction(func(_ Key, a *Action) error {
		v.Actions++
		for _, out := range a.Outputs {
			if d, err := ParseDigest(out.Digest); err == nil && !s.Has(d) {
				v.Missing++
			}
		}
		return nil
	})
	for _, key := range slices.SortedFunc(maps.Keys(damaged), func(a, b Key) int { return bytes.Compare(a[:], b[:]) }) {
		note(damaged[key])
		if path := s.actionPath(key); mend {
			err = errors.Join(err, ignoreReadOnly(os.Rename(path, path+".damaged")))
		}
	}
	return err
}
