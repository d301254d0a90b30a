package examples

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/audit/project"
)

// withInstalled omits a pipeline's solvers that are not in $PATH, as long as others remain, and inserts the paths of
// programs that a pipeline would not find.
func withInstalled(pipeline []byte) (_ []byte, notes []string) {
	file, diags := hclwrite.ParseConfig(pipeline, "competition.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		panic(diags) // the pipeline is embedded, so this cannot fail
	}
	var absent []*hclwrite.Block
	var programs []string
	solvers := 0
	for _, block := range file.Body().Blocks() {
		if block.Type() != "solver" {
			continue
		}
		solvers++
		command := block.Body().GetAttribute("command").Expr().BuildTokens(nil)
		for _, token := range command {
			if token.Type != hclsyntax.TokenQuotedLit {
				continue
			}
			if bytes.ContainsRune(token.Bytes, '/') {
				continue // a program in the pipeline's folder that executes the next word
			}
			switch found, err := project.Installed(string(token.Bytes)); {
			case err != nil:
				absent = append(absent, block)
				programs = append(programs, string(token.Bytes))
			case found != "":
				quoted := hclwrite.TokensForValue(cty.StringVal(found))
				token.Bytes = quoted[1].Bytes
				block.Body().SetAttributeRaw("command", command)
			}
			break
		}
	}
	slices.Sort(programs)
	programs = slices.Compact(programs)
	if solvers > 0 && len(absent) == solvers {
		return pipeline, []string{fmt.Sprintf("none of its solvers is installed here (%s). Where it runs, they must be "+
			"in %s (apt install z3 cvc5). To use one that is elsewhere (pip install z3-solver), remove what was written, install it, "+
			"and repeat this command.", strings.Join(programs, ", "), strings.Join(project.ProgramFolders, ", "))}
	}
	if len(absent) > 0 {
		notes = []string{strings.Join(programs, " and ") + " is not installed, so the pipeline leaves out its solvers."}
	}
	for _, block := range absent {
		file.Body().RemoveBlock(block)
	}
	return hclwrite.Format(file.Bytes()), notes
}
