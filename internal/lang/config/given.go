package config

import (
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// GivenVariable is a variable in the pipeline whose value is given from outside.
type GivenVariable struct {
	Name      string
	Text      string // value as in Options.Vars; for a sensitive variable, the digest used in keys
	Sensitive bool
}

// GivenVariables returns the variables whose values are given from outside, in declaration order. The pipeline itself
// defines the values of the others.
func (p *Pipeline) GivenVariables() []GivenVariable {
	var all []GivenVariable
	for _, v := range p.root.vars.all() {
		if v.given == cty.NilVal {
			continue
		}
		g := GivenVariable{Name: v.name, Text: givenText(v), Sensitive: v.sensitive}
		if v.sensitive {
			g.Text = rowexpr.Secret(g.Text)
		}
		all = append(all, g)
	}
	return all
}

func givenText(v *variable) string {
	if v.typ == cty.String && !v.given.IsNull() {
		return v.given.AsString()
	}
	return string(hclwrite.TokensForValue(v.given).Bytes())
}
