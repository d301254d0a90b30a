package stages

import (
	"bytes"
	"fmt"
	"io"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/results"
)

// WriteTable stores rows as a table of their schema. It sorts rows in place.
func WriteTable[Row any](store *cache.Store, rows []Row) (Artifact, error) {
	digest, size, err := store.Write(func(w io.Writer) error { return results.Write(w, rows) })
	if err != nil {
		return Artifact{}, err
	}
	return Artifact{Schema: results.SchemaOf[Row]().Name, Digest: digest, Rows: int64(len(rows)), SizeBytes: size}, nil
}

// WriteTableSeq stores rows that come one by one in the order of the primary key; ok is false after the last.
func WriteTableSeq[Row any](store *cache.Store, next func() (row Row, ok bool, err error)) (Artifact, error) {
	var rows int64
	digest, size, err := store.Write(func(w io.Writer) (err error) {
		rows, err = results.WriteSeq(w, next)
		return err
	})
	if err != nil {
		return Artifact{}, err
	}
	return Artifact{Schema: results.SchemaOf[Row]().Name, Digest: digest, Rows: rows, SizeBytes: size}, nil
}

// ReadTable reads the rows of a table from the store.
func ReadTable[Row any](store *cache.Store, art Artifact) ([]Row, error) {
	if want := results.SchemaOf[Row]().Name; art.Schema != want {
		return nil, fmt.Errorf("a table of %s was given, want %s", art.Schema, want)
	}
	b, err := store.ReadBytes(art.Digest)
	if err != nil {
		return nil, err
	}
	return results.Read[Row](bytes.NewReader(b), int64(len(b)))
}

// WriteTree stores the manifest of a tree, whose files are in the store already. The files must be sorted.
func WriteTree(store *cache.Store, m *cache.Manifest) (Artifact, error) {
	d, err := store.PutBytes(m.Encode())
	if err != nil {
		return Artifact{}, err
	}
	var size int64
	for _, f := range m.Files {
		size += f.Size
	}
	return Artifact{Schema: "tree", Digest: d, Rows: int64(len(m.Files)), SizeBytes: size}, nil
}

// ReadTree reads the manifest of a tree from the store.
func ReadTree(store *cache.Store, art Artifact) (*cache.Manifest, error) {
	if art.Schema != "tree" {
		return nil, fmt.Errorf("a %s was given, want a tree", art.Schema)
	}
	b, err := store.ReadBytes(art.Digest)
	if err != nil {
		return nil, err
	}
	return cache.DecodeManifest(b)
}

// ExportTable writes a stored table in a format.
func ExportTable(w io.Writer, store *cache.Store, art Artifact, format results.Format) error {
	if format == results.Parquet {
		return store.CopyBlob(w, art.Digest)
	}
	data, err := store.ReadBytes(art.Digest)
	if err != nil {
		return err
	}
	return results.Export(w, bytes.NewReader(data), int64(len(data)), format)
}

// ImportCSV reads a table of a schema from CSV and stores it.
func ImportCSV(store *cache.Store, r io.Reader, schema *results.Schema) (Artifact, error) {
	var rows int64
	digest, size, err := store.Write(func(w io.Writer) (err error) {
		rows, err = results.FromCSV(w, r, schema)
		return err
	})
	if err != nil {
		return Artifact{}, err
	}
	return Artifact{Schema: schema.Name, Digest: digest, Rows: rows, SizeBytes: size}, nil
}
