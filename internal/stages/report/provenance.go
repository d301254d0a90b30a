package report

import (
	"fmt"
	"path"

	site "github.com/smtpipe/smtpipe/internal/publish/report"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// provenance describes the site's origin. Since the site depends only on its key, the result contains no time, and its
// only facts about machines are those that the runs record.
func (act *action) provenance() site.Provenance {
	p := site.Provenance{Rules: act.rules, RulesURL: act.rulesURL,
		Verify: []string{"smtpipe plan", "smtpipe cache verify --rerun"}}
	if act.lineage != nil {
		traced(act.lineage, &p)
	}
	add := func(name string, tables []stages.Artifact) {
		for i, t := range tables {
			p.Inputs = append(p.Inputs, site.InputFile{Name: fmt.Sprintf("%s[%d] (%s, %d rows)", name, i, t.Schema,
				t.Rows), Digest: t.Digest.String(), SizeBytes: t.SizeBytes})
		}
	}
	add("scores", act.scores)
	add("verdicts", act.verdicts)
	add("runs", act.runs)
	add("recognitions", act.recognitions)
	return p
}

// traced adds a lineage's stages and the files they read to p.
func traced(l *stages.Lineage, p *site.Provenance) {
	p.ToolVersion = l.Version
	seen := map[string]bool{}
	for i := range l.Steps {
		s := &l.Steps[i]
		node := site.Node{Address: s.Addr, Kind: s.Kind}
		for j, o := range s.Outputs {
			if j == 0 {
				node.Output, node.Note = o.Digest.String(), o.Artifact.Text()
			}
		}
		p.Nodes = append(p.Nodes, node)
		for _, u := range s.Uses {
			p.Edges = append(p.Edges, site.Edge{From: u, To: s.Addr})
		}
		for _, a := range s.Absent {
			p.Absent = append(p.Absent, site.Fact{Name: a.Entrant, Value: a.Reason})
		}
		for _, f := range s.Files {
			if id := f.Name + f.Digest; !seen[id] {
				seen[id] = true
				name := path.Clean(f.Name)
				if f.Meaning {
					name += " (without comments and layout)"
				}
				p.Inputs = append(p.Inputs, site.InputFile{Name: name, Digest: f.Digest, From: s.Addr})
			}
		}
	}
}
