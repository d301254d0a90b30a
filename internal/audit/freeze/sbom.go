package freeze

import (
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
)

// bom is a CycloneDX 1.5 bill of materials.
type bom struct {
	Schema     string      `json:"$schema"`
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   bomMetadata `json:"metadata"`
	Components []bomPart   `json:"components"`
}

type bomMetadata struct {
	Timestamp string  `json:"timestamp"`
	Component bomPart `json:"component"`
}

type bomPart struct {
	Type       string        `json:"type"`
	Name       string        `json:"name"`
	Version    string        `json:"version,omitempty"`
	PURL       string        `json:"purl,omitempty"`
	Hashes     []bomHash     `json:"hashes,omitempty"`
	Properties []bomProperty `json:"properties,omitempty"`
}

type bomHash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

type bomProperty struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func (f *freezing) newBOM(part bomPart) *bom {
	return &bom{Schema: "http://cyclonedx.org/schema/bom-1.5.schema.json", Format: "CycloneDX", Spec: "1.5", Version: 1,
		Metadata: bomMetadata{f.lock.Date + "T00:00:00Z", part}, Components: []bomPart{}}
}

// bills returns the bills of materials of smtpipe and of each installed program that the pipeline names.
func (f *freezing) bills() ([]item, error) {
	own := f.newBOM(bomPart{Type: "application", Name: "smtpipe", Version: f.Version})
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			own.Components = append(own.Components, modulePart(m))
		}
		own.Components = append(own.Components, bomPart{Type: "platform", Name: "go",
			Version: strings.TrimPrefix(info.GoVersion, "go")})
	}
	boms := map[string]*bom{"smtpipe": own}
	for _, input := range slices.Sorted(maps.Keys(f.Files)) {
		entry, file := f.lock.Inputs[input], f.Files[input]
		if entry[frozen.AttrKind] != "program" {
			continue
		}
		b, err := f.programBOM(file.Path, entry)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", input, err)
		}
		boms[path.Base(file.Name)+"-"+entry[frozen.AttrSHA256][:12]] = b
	}
	if len(f.Solvers) > 0 {
		boms["solvers"] = f.solverBOM()
	}
	var all []item
	for _, name := range slices.Sorted(maps.Keys(boms)) {
		text, err := indented(boms[name])
		if err != nil {
			return nil, err
		}
		all = append(all, bytesItem("sbom/"+name+".cdx.json", text))
	}
	return all, nil
}

// solverBOM returns the solvers' bill of materials, with the versions that their programs report.
func (f *freezing) solverBOM() *bom {
	b := f.newBOM(bomPart{Type: "data", Name: "solvers"})
	for _, name := range slices.Sorted(maps.Keys(f.Solvers)) {
		for _, v := range f.Solvers[name] {
			part := bomPart{Type: "application", Name: name, Version: v.Line,
				Properties: []bomProperty{{"smtpipe:program", v.Program}}}
			for _, d := range []bomProperty{{"smtpipe:digest", v.SHA256}, {"smtpipe:archive", v.Archive}} {
				if d.Value != "" {
					part.Properties = append(part.Properties, bomProperty{d.Name, "sha256:" + d.Value})
				}
			}
			b.Components = append(b.Components, part)
		}
	}
	return b
}

func modulePart(m *debug.Module) bomPart {
	if m.Replace != nil {
		m = m.Replace
	}
	p := bomPart{Type: "library", Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version}
	if m.Sum != "" { // digest of the module's files, as in go.sum; not the digest of any single file
		p.Properties = []bomProperty{{"go.sum", m.Sum}}
	}
	return p
}

// programBOM returns an installed program's bill of materials, with the libraries that the program loads.
func (f *freezing) programBOM(program string, entry frozen.Entry) (*bom, error) {
	version := ""
	for _, v := range f.Evidence.Versions {
		if v.SHA256 == entry[frozen.AttrSHA256] {
			version = v.Line
		}
	}
	b := f.newBOM(bomPart{Type: "application", Name: path.Base(program), Version: version,
		Properties: []bomProperty{{"smtpipe:digest", "sha256:" + entry[frozen.AttrSHA256]}}})
	files, _, err := solver.ProgramClosure(program)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		b.Components = append(b.Components, bomPart{Type: "file", Name: file.Path,
			Hashes: []bomHash{{"SHA-256", hex.EncodeToString(file.Digest[:])}}})
	}
	return b, nil
}
