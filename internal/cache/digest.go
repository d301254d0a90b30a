package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
)

// Digest is the SHA-256 hash that names content.
type Digest [sha256.Size]byte

// Key is the SHA-256 hash of everything that determines a result; it names a computation. It is a separate type so that
// a key is never mistaken for a digest.
type Key [sha256.Size]byte

// DigestOf returns the digest of b.
func DigestOf(b []byte) Digest { return sha256.Sum256(b) }

// ParseDigest parses 64 hexadecimal digits.
func ParseDigest(s string) (Digest, error) {
	var d Digest
	err := parseHex(d[:], s)
	return d, err
}

// ParseKey parses 64 hexadecimal digits.
func ParseKey(s string) (Key, error) {
	var k Key
	err := parseHex(k[:], s)
	return k, err
}

func parseHex(dst []byte, s string) error {
	if len(s) != 2*len(dst) {
		return fmt.Errorf("%q is not a SHA-256: it must have %d hexadecimal digits", s, 2*len(dst))
	}
	if _, err := hex.Decode(dst, []byte(s)); err != nil {
		return fmt.Errorf("%q is not a SHA-256: %w", s, err)
	}
	return nil
}

// String returns 64 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// IsZero reports whether the digest is unset.
func (d Digest) IsZero() bool { return d == Digest{} }

// String returns 64 lower-case hexadecimal digits.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Short returns the first 12 digits, for display.
func (k Key) Short() string { return k.String()[:12] }

// DigestWriter computes the digest and size of the bytes written through it.
type DigestWriter struct {
	w io.Writer
	h hash.Hash
	n int64
}

// NewDigestWriter returns a DigestWriter that writes to w.
func NewDigestWriter(w io.Writer) *DigestWriter { return &DigestWriter{w: w, h: sha256.New()} }

func (d *DigestWriter) Write(p []byte) (int, error) {
	n, err := d.w.Write(p)
	d.h.Write(p[:n])
	d.n += int64(n)
	return n, err
}

// Sum returns the digest and size of the bytes written so far.
func (d *DigestWriter) Sum() (Digest, int64) {
	var sum Digest
	d.h.Sum(sum[:0])
	return sum, d.n
}

// DigestAll reads r to the end and returns the digest and size of what it read.
func DigestAll(r io.Reader) (Digest, int64, error) {
	dw := NewDigestWriter(io.Discard)
	_, err := io.Copy(dw, r)
	d, size := dw.Sum()
	return d, size, err
}
