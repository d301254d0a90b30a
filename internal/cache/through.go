package cache

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// Remote is a remote store that a store reads missing content from and uploads to. It is safe for concurrent use.
type Remote interface {
	// Record returns the bytes of a stage record, or nil if it is missing or unavailable.
	Record(key Key) []byte
	// Content writes a blob to w.
	Content(d Digest, w io.Writer) error
	// ReportBad reports wrong content from the remote store.
	ReportBad(what string)
	// Stored reports a new record in this store. It must not block.
	Stored(key Key)
}

// ItemRemote is a Remote that also shares item records.
type ItemRemote interface {
	// PullItems searches for records of the wanted keys. It passes each record found to put once the content that the
	// record needs is in the store. It stops after a time limit and returns the number of records found.
	PullItems(ctx context.Context, namespace string, want []Key, put func(key [32]byte, record []byte) error) int
	// ItemStored reports a new record in this store. It must not block.
	ItemStored(namespace string, key Key)
}

// SetRemote makes the store read missing content from r and report new records to r. It must be called before
// goroutines share the store.
func (s *Store) SetRemote(r Remote) { s.remote = r }

// ActionBytes returns the stored bytes of the record for key.
func (s *Store) ActionBytes(key Key) ([]byte, error) { return os.ReadFile(s.actionPath(key)) }

// pullAction fetches the record for key from the remote store, or returns nil if there is no usable record. The content
// of the record is fetched only when needed.
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
	_ = writeFileBelow(s.actionPath(key), text) // with a read-only store, the next process fetches it again
	return &a
}

// Fetch ensures that this store has a blob, fetching it from the remote store if necessary. If the blob is unavailable,
// the error is a *MissingError.
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
