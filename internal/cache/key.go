package cache

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"
)

// Component is one named part of a key, as readable text. The list of components is the key's preimage.
type Component struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// KeyWriter builds a key from named components in the order written. It prefixes each name and value with its length:
// different component lists never encode to the same bytes.
//
// It keeps the components for explanations, which show exactly what was hashed.
type KeyWriter struct {
	h          hash.Hash
	components []Component
	prefix     string
}

// NewKeyWriter starts a key in the given format, which versions everything that the callers write.
func NewKeyWriter(format string) *KeyWriter {
	k := &KeyWriter{h: sha256.New()}
	k.String("format", format)
	return k
}

// Within calls write with name and a dot as the prefix of every component's name.
func (k *KeyWriter) Within(name string, write func()) {
	outer := k.prefix
	k.prefix = outer + name + "."
	write()
	k.prefix = outer
}

// String adds a text component.
func (k *KeyWriter) String(name, value string) {
	name = k.prefix + name
	k.hash(name)
	k.hash(value)
	k.components = append(k.components, Component{Name: name, Value: value})
}

// Int adds a numeric component.
func (k *KeyWriter) Int(name string, value int64) { k.String(name, strconv.FormatInt(value, 10)) }

// Bool adds a component that is true or false.
func (k *KeyWriter) Bool(name string, value bool) { k.String(name, strconv.FormatBool(value)) }

// Digest adds the digest of an input.
func (k *KeyWriter) Digest(name string, value Digest) { k.String(name, "sha256:"+value.String()) }

// Components returns the components written so far. The caller must not modify them.
func (k *KeyWriter) Components() []Component { return k.components }

// Key returns the key of the components written so far.
func (k *KeyWriter) Key() Key {
	var key Key
	k.h.Sum(key[:0])
	return key
}

// KeyOf recomputes the key from the components stored with a record.
func KeyOf(components []Component) (Key, error) {
	if len(components) == 0 || components[0].Name != "format" {
		return Key{}, fmt.Errorf("a key's first component must be its format")
	}
	k := &KeyWriter{h: sha256.New()}
	for _, c := range components {
		k.String(c.Name, c.Value)
	}
	return k.Key(), nil
}

func (k *KeyWriter) hash(s string) {
	var length [8]byte
	binary.LittleEndian.PutUint64(length[:], uint64(len(s)))
	k.h.Write(length[:])
	k.h.Write([]byte(s))
}
