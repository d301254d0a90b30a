package project

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// useEvidence makes the project use a frozen folder's measurements, programs and machines instead of this machine's.
func (p *Project) useEvidence(dir string, opt *config.Options) error {
	folder, err := frozen.Open(dir)
	if errors.Is(err, frozen.ErrNotFrozen) {
		return exit.With(exit.Usage, err)
	}
	if err != nil {
		return err
	}
	p.Evidence, p.evidenceName = folder, dir
	p.Store.SetRemote(folder.NewRemote(p.Store, all.Kinds()))
	p.Named.Finder = folder.Files(p.Files)
	opt.Evidence, opt.Locked = folder, folder.Values()
	return nil
}

func (p *Project) closeEvidence() error {
	if p.Evidence == nil {
		return nil
	}
	return p.Evidence.Close()
}

// evidenceText describes the evidence in use and the machines that measured it. It returns "" if there is none.
func (p *Project) evidenceText() string {
	if p.Evidence == nil {
		return ""
	}
	lock := cache.DigestOf(p.Evidence.Bytes)
	return fmt.Sprintf("%s (lock sha256:%s), measured on %s", p.evidenceName, lock.String()[:12],
		strings.Join(p.Evidence.Hardware(), "; and on "))
}

// NoteEvidence tells the user which evidence is used, if any.
func (p *Project) NoteEvidence(w io.Writer) {
	if text := p.evidenceText(); text != "" {
		fmt.Fprintf(w, "Evidence: %s. Nothing is measured here.\n", text)
	}
}

// LostOutputs returns the artifacts that output blocks need but that are incomplete in the store.
func (p *Project) LostOutputs(known stages.Known) []cache.Digest {
	outputs, _ := p.Pipeline.Outputs(known) // writing the outputs reports the errors
	var lost []cache.Digest
	for _, o := range outputs {
		art, ok := stages.ArtifactOf(o.Value)
		if ok && (o.Path != "" || isScores(o.Value)) && !p.complete(art) {
			lost = append(lost, art.Digest)
		}
	}
	return lost
}

// complete reports whether the store contains an artifact and, for a tree, its files.
func (p *Project) complete(art stages.Artifact) bool {
	if p.Store.Fetch(art.Digest) != nil {
		return false
	}
	if art.Schema != "tree" {
		return true
	}
	m, err := artifact.ReadTree(p.Store, art)
	if err != nil {
		return false
	}
	for _, f := range m.Files {
		if p.Store.Fetch(f.Digest) != nil {
			return false
		}
	}
	return true
}
