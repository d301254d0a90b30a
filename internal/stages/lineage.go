package stages

import (
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Lineage lists the instances from which the arguments of an instance were computed, with the digests of their outputs.
// It holds no keys, so an instance that produces the same outputs again leaves the lineage unchanged.
type Lineage struct {
	Addr    string        // of the instance itself
	Version string        // of smtpipe
	Steps   []LineageStep // each after the instances that it uses; the last is the instance itself, without outputs
}

// LineageStep is one instance of a lineage.
type LineageStep struct {
	Addr, Kind string
	Uses       []string // addresses of instances whose outputs are among its arguments
	Outputs    []LineageOutput
	Files      []LineageFile  // of the pipeline's folder, among its arguments
	Absent     []cache.Absent // entrants that could not take part
}

// LineageOutput is an artifact that an instance produced.
type LineageOutput struct {
	Name string
	Artifact
}

// LineageFile is a file that an instance read.
type LineageFile struct {
	Name    string
	Digest  string // hexadecimal
	Meaning bool   // the digest is of the file's meaning, which comments and layout do not change
}

// Tracer is an Action whose outputs describe where its arguments come from. The engine calls Trace once, before it
// computes the key. The action writes the lineage into its key.
type Tracer interface {
	KeyExtender
	Trace(l *Lineage)
}

// WriteKey writes the lineage as components of a key.
func (l *Lineage) WriteKey(k *cache.KeyWriter) {
	k.String("smtpipe", l.Version)
	for i := range l.Steps {
		s := &l.Steps[i]
		k.Within("lineage."+s.Addr, func() {
			k.String("uses", strings.Join(s.Uses, ", "))
			for _, o := range s.Outputs {
				k.String(o.Name, o.Schema+" sha256:"+o.Digest.String())
			}
			for j, f := range s.Files {
				k.String("file["+strconv.Itoa(j)+"]", f.Name+" sha256:"+f.Digest)
			}
			for j, a := range s.Absent {
				k.String("absent["+strconv.Itoa(j)+"]", a.Entrant+": "+a.Reason)
			}
		})
	}
}

// LineageFiles returns every file of the pipeline's folder among the arguments, nested blocks included, in the order of
// declaration. If keys have only the meaning of an attribute, so does the result: what a key does not depend on must
// not change the keys of all reports.
func (a *Args) LineageFiles() []LineageFile {
	var all []LineageFile
	a.walkAttrs(func(attr Attr, v cty.Value) {
		f, ok := FileOf(v)
		if !ok {
			return
		}
		file := LineageFile{Name: f.Name, Digest: f.Digest.String()}
		if attr.KeyText != nil {
			file.Meaning = true
			file.Digest = strings.TrimPrefix(attr.KeyText(v), "sha256:")
		}
		all = append(all, file)
	})
	return all
}
