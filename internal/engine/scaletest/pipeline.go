package main

import (
	"fmt"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// shape is a competition without its solvers: every solver runs on every benchmark of a folder.
type shape struct {
	folder  string
	solvers int
	scoring string // an argument of the scoring stage, for changing it
	index   *cache.FileIndex
	meter   *meter

	durability cache.Durability
}

// Addresses of the pipeline's stages.
const (
	listAddr    = "stage.list.library"
	executeAddr = "stage.execute.main"
	scoreAddr   = "stage.score.main"
)

// Nodes implements engine.Pipeline.
func (s *shape) Nodes() []stages.Node {
	return []stages.Node{
		{Addr: listAddr, Kind: listKind},
		{Addr: executeAddr, Kind: executeKind, Deps: []string{listAddr}},
		{Addr: scoreAddr, Kind: scoreKind, Deps: []string{executeAddr}},
	}
}

// Expand implements engine.Pipeline.
func (s *shape) Expand(addr string, known stages.Known) ([]stages.Instance, hcl.Diagnostics) {
	in := stages.Instance{Addr: addr}
	var err error
	switch addr {
	case listAddr:
		err = s.list(&in)
	case executeAddr:
		s.execute(&in, known)
	case scoreAddr:
		s.score(&in, known)
	}
	if err != nil {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Cannot read the benchmarks",
			Detail: err.Error()}}
	}
	return []stages.Instance{in}, nil
}

func (s *shape) list(in *stages.Instance) error {
	digest, tree, err := s.index.DigestTree(s.folder)
	if err != nil {
		return err
	}
	in.Kind, in.Args = listKind, stages.NewArgs(listKind.Attrs, "", hcl.Range{})
	file := stages.File{Path: s.folder, Name: filepath.Base(s.folder), Digest: digest, IsDir: true}
	in.Args.SetValue("folder", stages.FileVal(file), hcl.Range{})
	in.Action = &list{tree}
	return nil
}

func (s *shape) execute(in *stages.Instance, known stages.Known) {
	in.Kind, in.Args = executeKind, stages.NewArgs(executeKind.Attrs, "", hcl.Range{})
	scripts, ok := known[listAddr]["scripts"]
	if !ok {
		in.Waits = []string{listAddr}
		return
	}
	solvers := make([]cty.Value, s.solvers)
	names := make([]string, s.solvers)
	for i := range solvers {
		names[i] = fmt.Sprintf("solver-%02d", i)
		solvers[i] = cty.StringVal(names[i])
	}
	in.Args.SetValue("scripts", scripts, hcl.Range{})
	in.Args.SetValue("solvers", cty.ListVal(solvers), hcl.Range{})
	art, _ := stages.ArtifactOf(scripts)
	in.Action = &execute{scripts: art, solvers: names, meter: s.meter}
}

func (s *shape) score(in *stages.Instance, known stages.Known) {
	in.Kind, in.Args = scoreKind, stages.NewArgs(scoreKind.Attrs, "", hcl.Range{})
	runs, ok := known[executeAddr]["runs"]
	if !ok {
		in.Waits = []string{executeAddr}
		return
	}
	in.Args.SetValue("runs", runs, hcl.Range{})
	in.Args.SetValue("scoring", cty.StringVal(s.scoring), hcl.Range{})
	art, _ := stages.ArtifactOf(runs)
	in.Action = &score{runs: art, solvers: s.solvers}
}
