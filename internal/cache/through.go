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

// Remote is another store that this one reads from and writes back to. It is safe for concurrent use.
type Remote interface {
	// Record returns the bytes of a stage record, or nil if there is none or it is not available.
	Record(key Key) []byte
	// Content writes a blob to w.
	Content(d Digest, w io.Writer) error
	// ReportBad reports that the remote store sent wrong content.
	ReportBad(what string)
	// Stored reports a new record in this store. It must not wait.
	Stored(key Key)
}

// ItemRemote is a Remote that also shares records of items.
type ItemRemote interface {
	// PullItems searches for records of the wanted keys. It passes those that it finds to put, once the content that
	// they need is in the store. It gives up after a while, and returns how many it found.
	PullItems(ctx context.Context, namespace string, want []Key, put func(key [32]byte, record []byte) error) int
	// ItemStored reports a new record in this store. It must not wait.
	ItemStored(namespace string, key Key)
}

// SetRemote makes the store read missing content from r, and report new records to r. It must be called before the
// store is used by more than one goroutine.
func (s *Store) SetRemote(r Remote) { s.remote = r }

// ActionBytes returns the record of key as it is stored.
func (s *Store) ActionBytes(key Key) ([]byte, error) { return os.ReadFile(s.actionPath(key)) }

// pullAction fetches the record of key from the remote store. It returns nil if there is no usable one. The content of
// the record is fetched only when it is needed.
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
		s.remote.ReportBad("a stage record whose components do not produce its key " + key.String())
		return nil
	}
	path := s.actionPath(key)
	if os.MkdirAll(filepath.Dir(path), 0o777) == nil {
		writeFileAtomic(path, text) // a read-only store asks again the next time
	}
	return &a
}

// Fetch makes sure that a blob is in this store, fetching it from the remote store if there is one. If the blob is not
// available, the error is a *MissingError.
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
