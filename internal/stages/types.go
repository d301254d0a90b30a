package stages

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Artifact is the value of a table, tree or blob in the language.
type Artifact = artifact.Ref

// File is a file, folder or program on this machine that the pipeline names. Its content is an input.
type File struct {
	Path string // path for opening it; empty if absent
	Name string // slash-separated path from the pipeline's folder; part of keys
	// Digest is that of the file, of the folder's manifest, or of the program and the libraries that it loads.
	Digest cache.Digest
	IsDir  bool

	// Absent means that the file is not on this machine but evidence knows its digest.
	Absent bool
	// Tree is the digest of an absent archive's unpacked tree, if the archive was unpacked where it existed.
	Tree cache.Digest
}

// The artifact types of the language. Each is a distinct capsule type, so that tables of different schemas cannot be
// confused.
var (
	TreeType = cty.Capsule("tree", reflect.TypeFor[Artifact]())
	BlobType = cty.Capsule("blob", reflect.TypeFor[Artifact]())
	FileType = cty.Capsule("file", reflect.TypeFor[File]())

	tableTypes sync.Map // by schema
)

const tableOf = "table of "

// TableType returns the type of tables with a schema, such as "benchmarks/1", which must be one of package results.
func TableType(schema string) cty.Type {
	t, ok := tableTypes.Load(schema)
	if !ok {
		t, _ = tableTypes.LoadOrStore(schema, cty.Capsule(tableOf+schema, reflect.TypeFor[Artifact]()))
	}
	return t.(cty.Type)
}

// TableSchema returns the schema's name for a type of tables; ok is false for any other type.
func TableSchema(t cty.Type) (name string, ok bool) {
	if !IsArtifact(t) {
		return "", false
	}
	return strings.CutPrefix(t.FriendlyName(), tableOf)
}

// ArtifactType returns an artifact's type from its schema: a table's schema, "tree" or "blob".
func ArtifactType(schema string) (cty.Type, error) {
	switch schema {
	case "tree":
		return TreeType, nil
	case "blob":
		return BlobType, nil
	}
	if _, err := results.SchemaByName(schema); err != nil {
		return cty.NilType, fmt.Errorf("unknown artifact schema %q", schema)
	}
	return TableType(schema), nil
}

// IsArtifact reports whether values of type t are artifacts.
func IsArtifact(t cty.Type) bool {
	return t.IsCapsuleType() && t.EncapsulatedType() == reflect.TypeFor[Artifact]()
}

// ArtifactVal returns a as a value of the language. It panics if a's schema is unknown.
func ArtifactVal(a Artifact) cty.Value {
	t, err := ArtifactType(a.Schema)
	if err != nil {
		panic(err)
	}
	return cty.CapsuleVal(t, &a)
}

// ArtifactOf is the inverse of ArtifactVal. ok is false for any other, unknown or null value.
func ArtifactOf(v cty.Value) (Artifact, bool) {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() || !IsArtifact(v.Type()) {
		return Artifact{}, false
	}
	return *v.EncapsulatedValue().(*Artifact), true
}

// FileVal returns f as a value of the language.
func FileVal(f File) cty.Value { return cty.CapsuleVal(FileType, &f) }

// FileOf is the inverse of FileVal. ok is false for any other, unknown or null value.
func FileOf(v cty.Value) (File, bool) {
	if v == cty.NilVal || !v.IsKnown() || v.IsNull() || !v.Type().Equals(FileType) {
		return File{}, false
	}
	return *v.EncapsulatedValue().(*File), true
}

// RecordOf returns the type of a row variable for tables with a schema.
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
