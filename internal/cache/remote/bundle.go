package remote

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// A bundle packs many records of one namespace into one blob: a million runs take only a few hundred files on a server.
// It is zstd-compressed: bundleMagic, then entries of kind (1 byte), key or digest (32 bytes), length (uvarint),
// payload. The content that a record refers to precedes the record: small content is included, larger content is
// represented by its digest.
//
// Next to each bundle is a sorted list of the first eight bytes of its keys, after keysMagic. From this list, a reader
// can tell whether the bundle contains records that it wants.
const (
	bundleMagic    = "smtpitm1"
	keysMagic      = "smtpkey1"
	bundleBytes    = 4 << 20  // uncompressed size at which a bundle is full
	maxEntryBytes  = 16 << 20 // maximum size of a record or content in a bundle; larger records are not shared
	maxBundleBytes = bundleBytes + 2*maxEntryBytes
	maxKeysBytes   = 64 << 20
)

// Kinds of entries.
const (
	entryContent byte = iota // content that the next record refers to
	entryNeeds               // digest of content that the next record refers to; the content is stored separately
	entryRecord
)

// bundle is a bundle under construction.
type bundle struct {
	raw  []byte
	keys []uint64
}

func (b *bundle) add(kind byte, key [32]byte, payload []byte) {
	if len(b.raw) == 0 {
		b.raw = append(b.raw, bundleMagic...)
	}
	b.raw = append(append(b.raw, kind), key[:]...)
	b.raw = binary.AppendUvarint(b.raw, uint64(len(payload)))
	b.raw = append(b.raw, payload...)
	if kind == entryRecord {
		b.keys = append(b.keys, prefixOf(key))
	}
}

func prefixOf(key [32]byte) uint64 { return binary.BigEndian.Uint64(key[:]) }

// encode returns the bundle and its key list in their stored forms.
func (b *bundle) encode() (content, keys []byte, err error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, nil, err
	}
	defer enc.Close()
	slices.Sort(b.keys)
	keys = append(make([]byte, 0, len(keysMagic)+8*len(b.keys)), keysMagic...)
	for _, k := range b.keys {
		keys = binary.BigEndian.AppendUint64(keys, k)
	}
	return enc.EncodeAll(b.raw, nil), keys, nil
}

// readKeys decodes a bundle's key list.
func readKeys(content []byte) ([]uint64, error) {
	rest, ok := bytes.CutPrefix(content, []byte(keysMagic))
	if !ok || len(rest)%8 != 0 {
		return nil, errors.New("it is not a list of keys")
	}
	keys := make([]uint64, len(rest)/8)
	for i := range keys {
		keys[i] = binary.BigEndian.Uint64(rest[8*i:])
	}
	if !slices.IsSorted(keys) {
		return nil, errors.New("its keys are not sorted")
	}
	return keys, nil
}

// readBundle visits the entries of a stored bundle. A payload is valid only until visit returns.
func readBundle(content []byte, visit func(kind byte, key [32]byte, payload []byte) error) error {
	dec, err := zstd.NewReader(bytes.NewReader(content), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(maxBundleBytes))
	if err != nil {
		return err
	}
	defer dec.Close()
	r := bufio.NewReaderSize(io.LimitReader(dec, maxBundleBytes), 1<<16)
	magic := make([]byte, len(bundleMagic))
	if _, err := io.ReadFull(r, magic); err != nil || string(magic) != bundleMagic {
		return errors.New("it is not a bundle of records")
	}
	var head [33]byte
	var payload []byte
	for {
		if _, err := io.ReadFull(r, head[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		n, err := binary.ReadUvarint(r)
		if err != nil || n > maxEntryBytes {
			return fmt.Errorf("a bundle entry has the wrong length")
		}
		payload = slices.Grow(payload[:0], int(n))[:n]
		if _, err := io.ReadFull(r, payload); err != nil {
			return err
		}
		if err := visit(head[0], [32]byte(head[1:]), payload); err != nil {
			return err
		}
	}
}

// addRecord adds a record after the content that it refers to. It returns false if the record is too large to share.
func (c *Client) addRecord(b *bundle, namespace string, key cache.Key, record []byte, large func(cache.Digest) error) (
	bool, error) {
	if len(record) > maxEntryBytes {
		return false, nil
	}
	for _, d := range c.items.refers(namespace, record) {
		if !c.store.Has(d) {
			continue // not a digest, or the digest of content that this store has lost
		}
		blob, err := c.store.OpenBlob(d)
		if err != nil {
			continue
		}
		size := blob.Size
		blob.Close()
		if size > smallContent {
			if err := large(d); err != nil {
				return false, err
			}
			b.add(entryNeeds, d, nil)
			continue
		}
		content, err := c.store.ReadBytes(d)
		if err != nil {
			return false, nil // damaged here: other machines must execute the run themselves
		}
		b.add(entryContent, d, content)
	}
	b.add(entryRecord, key, record)
	return true, nil
}

// smallContent is the maximum size, in bytes, of content included in a bundle.
const smallContent = 64 << 10
