package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Remote is another store that this one reads through and writes back to. It is safe for use by many goroutines.
type Remote interface {
	// Record returns the bytes of a stage record; nil if there is none, or none can be had.
	Record(key Key) []byte
	// Content writes a blob to w.
	Content(d Digest, w io.Writer) error
	// ReportBad says that the remote store sent something else than what was asked for.
	ReportBad(what string)
	// Stored reports a new record in this store. It must not wait.
	Stored(key Key)
}

// ItemRemote is a Remote that shares records of items, too.
type ItemRemote interface {
	// PullItems looks for records of the wanted keys and passes those that it finds to put, after the content that
	// they need is in the store. It gives up in time, and returns how many it found.
	PullItems(ctx context.Context, namespace string, want []Key, put func(key [32]byte, record []byte) error) int
	// ItemStored reports a new record in this store. It must not wait.
	ItemStored(namespace string, key Key)
}

// SetRemote makes the store read what it does not have from r, and tell r of new records. It is called before the store
// is used by more than one goroutine.
func (s *Store) SetRemote(r Remote) { s.remote = r }

// ActionBytes returns the record of key as it is stored.
func (s *Store) ActionBytes(key Key) ([]byte, error) { return os.ReadFile(s.actionPath(key)) }

// pullAction takes the record of key from the remote store; nil if it has none that can be used. Its content stays
// where it is until it is needed.
func (s *Store) pullAction(key Key) *Action {
	if s.remote == nil {
		return nil
	}
	text := s.remote.Record(key)
	if text == nil {
		return nil
	}
	var a Action
	err := json.Unmarshal(text, &a)
	if err == nil {
		var got Key
		if got, err = KeyOf(a.Components); err == nil && got != key {
			err = errors.New("other key")
		}
	}
	if err != nil {
		s.remote.ReportBad("a stage record whose components do not give its key " + key.String())
		return nil
	}
	path := s.actionPath(key)
	if os.MkdirAll(filepath.Dir(path), 0o777) == nil {
		writeFileAtomic(path, text) // a store that is read-only asks again the next time
	}
	return &a
}

// Fetch sees to it that a blob is in this store, by the remote store if there is one. A blob that cannot be had is a
// *MissingError.
func (s *Store) Fetch(d Digest) error {
	if s.Has(d) {
		return nil
	}
	if s.remote == nil {
		return &MissingError{Digest: d}
	}
	spill := &spillWriter{store: s, small: &bytes.Buffer{}}
	defer spill.abandon()
	dw := NewDigestWriter(spill)
	if err := s.remote.Content(d, dw); err != nil {
		return &MissingError{Digest: d}
	}
	if got, _ := dw.Sum(); got != d {
		s.remote.ReportBad("content that does not have the digest " + d.String())
		return &MissingError{Digest: d}
	}
	if spill.file != nil {
		return spill.commit(d)
	}
	_, err := s.PutBytes(spill.small.Bytes())
	return err
}
