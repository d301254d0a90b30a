package report

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/base/words"
)

// provenanceBody fills the page that explains where the numbers come from.
type provenanceBody struct {
	Facts  []factLine
	Inputs *table
	Stages *table
	Graph  string
	Verify []string
}

func (s *site) provenance() *provenanceBody {
	p := &s.m.in.Provenance
	body := &provenanceBody{Verify: p.Verify}
	add := func(name, text string) {
		if text != "" {
			body.Facts = append(body.Facts, factLine{Name: clean(name), Text: clean(text)})
		}
	}
	add("smtpipe", p.ToolVersion)
	if p.Rules != "" || p.RulesURL != "" {
		body.Facts = append(body.Facts, factLine{Name: "Rules",
			Text: clean(first(p.Rules, p.RulesURL)), Href: webAddress(p.RulesURL)})
	}
	for _, f := range p.Machine {
		add(f.Name, f.Value)
	}
	if len(p.Inputs) > 0 {
		body.Inputs = &table{ID: "inputs", Caption: "Inputs", Filter: len(p.Inputs) > 30,
			Cols: []col{{"Input", "", false}, {"SHA-256", "", false}, {"Size", "", true}, {"Read by", "", false}}}
		for _, f := range p.Inputs {
			size := cell{Num: true}
			if f.SizeBytes > 0 {
				size = cell{Text: words.Bytes(f.SizeBytes), Sort: fmt.Sprint(f.SizeBytes), Num: true}
			}
			body.Inputs.Rows = append(body.Inputs.Rows,
				row{Cells: []cell{head(f.Name, ""), {Text: clean(f.Digest), Class: "code"}, size, text(f.From)}})
		}
		body.Inputs.prune()
	}
	if len(p.Nodes) > 0 {
		body.Graph = "provenance.svg"
		body.Stages = &table{ID: "stages", Caption: "Stages of the pipeline", Paths: true,
			Cols: []col{{"Stage", "", false}, {"Output", "SHA-256", false}, {"Key", "", false}, {"Note", "", false}}}
		for _, n := range p.Nodes {
			body.Stages.Rows = append(body.Stages.Rows,
				row{Cells: []cell{head(n.Address, ""), {Text: clean(n.Output), Class: "code"},
					{Text: clean(n.Key), Class: "code"}, text(n.Note)}})
		}
		body.Stages.prune()
	}
	return body
}

// licences lists the embedded software's licences.
func licences() []licence {
	text, err := embedded.ReadFile("assets/uPlot.LICENSE.txt")
	if err != nil {
		return nil
	}
	return []licence{{"uPlot 1.6.32", "https://github.com/leeoniya/uPlot", string(text)}}
}

type licence struct{ Name, Home, Text string }
