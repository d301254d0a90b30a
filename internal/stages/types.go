package stages

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Artifact is the value of a table, tree or blob in the language.
type Artifact = artifact.Ref

// File is a file, a folder or a program of the machine that the pipeline names; its content is an input.
type File struct {
	Path   string       // as it can be opened; empty if absent
	Name   string       // relative to the pipeline's folder, with slashes; part of keys
	Digest cache.Digest // of the bytes; of a folder: of its manifest; of a program: with the libraries that it loads
	IsDir  bool

	// Absent means that it is not on this machine, but that evidence knows its digest.
	Absent bool
	// Tree is the digest of the unpacked tree of an absent archive, if it was unpacked where it existed.
	Tree cache.Digest
}

// The artifact types of the language. Each is a capsule type, so that a table of one schema is never mistaken for
// another.
var (
	TreeType = cty.Capsule("tree", reflect.TypeFor[Artifact]())
	BlobType = cty.Capsule("blob", reflect.TypeFor[Artifact]())
	FileType = cty.Capsule("file", reflect.TypeFor[File]())

	tableTypes = makeTableTypes()
)

func makeTableTypes() map[string]cty.Type {
	types := map[string]cty.Type{}
	for _, s := range slices.Concat(results.Schemas(), results.OlderSchemas()) {
		types[s.Name] = cty.Capsule("table of "+s.Name, reflect.TypeFor[Artifact]())
	}
	return types
}

// TableType returns the type of tables of a schema, such as "benchmarks/1". It panics for an unknown schema.
func TableType(schema string) cty.Type {
	t, ok := tableTypes[schema]
	if !ok {
		panic(fmt.Sprintf("stages: no schema %q", schema))
	}
	return t
}

// TableSchema returns the name of the schema of a type of tables; ok is false if t is not one.
func TableSchema(t cty.Type) (name string, ok bool) {
	for name, table := range tableTypes {
		if table.Equals(t) {
			return name, true
		}
	}
	return "", false
}

// ArtifactType returns the type of an artifact by its schema: a table's, "tree" or "blob".
func ArtifactType(schema string) (cty.Type, error) {
	switch schema {
	case "tree":
		return TreeType, nil
	case "blob":
		return BlobType, nil
	}
	if t, ok := tableTypes[schema]; ok {
		return t, nil
	}
	return cty.NilType, fmt.Errorf("unknown artifact schema %q", schema)
}

// IsArtifact reports whether values of type t are artifacts.
func IsArtifact(t cty.Type) bool {
	return t.IsCapsuleType() && t.EncapsulatedType() == reflect.TypeFor[Artifact]()
}

// ArtifactVal returns a as a value of the language. It panics if the schema of a is unknown.
func ArtifactVal(a Artifact) cty.Value {
	t, err := ArtifactType(a.Schema)
	if err != nil {
		panic(err)
	}
	return cty.CapsuleVal(t, &a)
}

// ArtifactOf is the inverse of ArtifactVal, for a known value that is not null.
func ArtifactOf(v cty.Value) (Artifact, bool) {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() || !IsArtifact(v.Type()) {
		return Artifact{}, false
	}
	return *v.EncapsulatedValue().(*Artifact), true
}

// FileVal returns f as a value of the language.
func FileVal(f File) cty.Value { return cty.CapsuleVal(FileType, &f) }

// FileOf is the inverse of FileVal, for a known value that is not null.
func FileOf(v cty.Value) (File, bool) {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() || !v.Type().Equals(FileType) {
		return File{}, false
	}
	return *v.EncapsulatedValue().(*File), true
}

// RecordOf returns the type of a row variable over a table's schema.
func RecordOf(schema *results.Schema) *rowexpr.Record {
	r := &rowexpr.Record{Name: schema.Name}
	for _, c := range schema.Columns {
		r.Fields = append(r.Fields, rowexpr.Field{Name: c.Name, Type: columnType(c.Kind), Doc: c.Doc,
			Words: c.Words})
	}
	return r
}

func columnType(k table.Kind) cty.Type {
	switch k {
	case table.String:
		return cty.String
	case table.Int, table.Float:
		return cty.Number
	case table.Bool:
		return cty.Bool
	case table.Strings:
		return cty.List(cty.String)
	}
	panic(fmt.Sprintf("stages: column kind %d", k))
}
