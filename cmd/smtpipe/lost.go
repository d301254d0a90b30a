package main

import (
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// lostOutputs returns the artifacts that output blocks need and that are incomplete in the store.
func (p *project) lostOutputs(known stages.Known) []cache.Digest {
	outputs, _ := p.pipeline.Outputs(known) // errors are reported when the outputs are written
	var lost []cache.Digest
	for _, o := range outputs {
		art, ok := stages.ArtifactOf(o.Value)
		if ok && (o.Path != "" || isScores(o.Value)) && !p.complete(art) {
			lost = append(lost, art.Digest)
		}
	}
	return lost
}

// complete reports whether an artifact and, for a tree, its files are in the store.
func (p *project) complete(art stages.Artifact) bool {
	if p.store.Fetch(art.Digest) != nil {
		return false
	}
	if art.Schema != "tree" {
		return true
	}
	m, err := artifact.ReadTree(p.store, art)
	if err != nil {
		return false
	}
	for _, f := range m.Files {
		if p.store.Fetch(f.Digest) != nil {
			return false
		}
	}
	return true
}
