package config

import (
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// madeOf records the names of the files that a pipeline is built from.
type madeOf struct {
	mu    sync.Mutex
	names []string
}

// noteFiles records files that the pipeline, its modules or its rules are built from.
func (p *Pipeline) noteFiles(names []string) {
	p.read.mu.Lock()
	defer p.read.mu.Unlock()
	for _, name := range names {
		if !slices.Contains(p.read.names, name) {
			p.read.names = append(p.read.names, name)
		}
	}
}

// SourceFiles returns the names of the files that the pipeline, its modules and its rules are built from, as opened and
// in reading order. It excludes files with values of variables.
func (p *Pipeline) SourceFiles() []string {
	return p.filesWhere(func(name string) bool { return !strings.HasPrefix(name, rules.Builtin) })
}

// ProgramFiles returns the built-in files that the pipeline is built from (a year's rules and modules), keyed by paths
// such as 2026/tracks.hcl.
func (p *Pipeline) ProgramFiles() (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range p.filesWhere(func(name string) bool { return strings.HasPrefix(name, rules.Builtin) }) {
		content, err := rules.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[strings.TrimPrefix(name, rules.Builtin)] = content
	}
	return files, nil
}

func (p *Pipeline) filesWhere(keep func(name string) bool) []string {
	p.read.mu.Lock()
	defer p.read.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.read.names), func(name string) bool { return !keep(name) })
}
