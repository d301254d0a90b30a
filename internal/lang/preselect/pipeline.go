package preselect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Selection describes a selection and its rules.
type Selection struct {
	Rules  string // built-in year, or absolute path of a rules folder
	Year   int
	Module *Module
	Track  string
	Kind   comp.Track // the track's kind

	Polars      bool     // whether to select like the organisers' tool; see Organisers
	Seed        *uint64  // nil: computed from the submissions and the opening value
	Opening     string   // the stock index's opening value, a decimal number
	Factor      int64    // factor of the opening value; 0: as in the rules
	Submissions []string // absolute paths of submissions; none: run every logic, unless Logics is set
	Competitive string   // how to count competitive logics: by teams or entries
	Logics      []string // logics to run; none: the competitive ones
	Set         []string // names of the module variables that the user set
}

// Pipeline returns the pipeline's text. Its outputs are the module's outputs for the track, and the seed.
func (s *Selection) Pipeline() string {
	var b strings.Builder
	fmt.Fprintf(&b, "competition {\n  name  = \"Selection\"\n  year  = %d\n  rules = %s\n}\n\n", s.Year, quote(s.Rules))
	b.WriteString("stage \"" + kindName + "\" \"tables\" {\n}\n\n")
	if len(s.Submissions) > 0 {
		fmt.Fprintf(&b, "stage \"submissions\" \"entrants\" {\n  files        = %s\n  competitive  = %s\n"+
			"  earlier_form = %v\n}\n\n", quoteAll(s.Submissions), quote(s.Competitive), s.Polars)
	}
	if s.Module.Has("answers") {
		b.WriteString(judged)
	}
	for _, name := range s.Set {
		fmt.Fprintf(&b, "variable %s {\n  type = %s\n}\n\n", quote(name), s.Module.Variables[name].Type)
	}
	fmt.Fprintf(&b, "locals {\n  seed = %s\n}\n\n", s.seed())
	s.module(&b)
	s.outputs(&b)
	return b.String()
}

// sound refers to the answers of solvers without errors.
const sound = "stage.validate.answers.sound"

// judged validates this year's answers in the single-query track.
const judged = `stage "validate" "answers" {
  runs       = stage.` + kindName + `.tables.answers
  benchmarks = stage.` + kindName + `.tables.benchmarks
}

`

// seed returns an expression for the competition's seed.
func (s *Selection) seed() string {
	if s.Seed != nil {
		return fmt.Sprint(*s.Seed)
	}
	factor := "competition.rules.seed.index_factor"
	if s.Factor > 0 {
		factor = fmt.Sprint(s.Factor)
	}
	return fmt.Sprintf("competition_seed(stage.submissions.entrants.seeds, floor(%s * %s))", factor, s.Opening)
}

// module writes the call to the year's module.
func (s *Selection) module(b *strings.Builder) {
	tables := "stage." + kindName + ".tables."
	arguments := map[string]string{
		"only":        quote("selection"),
		"tracks":      "[" + quote(s.Track) + "]",
		"benchmarks":  tables + "benchmarks",
		"retired":     tables + "retired",
		"history":     tables + "history",
		"measured":    tables + "measured",
		"answers":     sound,
		"solvers":     "null",
		"seed":        "local.seed",
		"competitive": s.competitive(),
	}
	if s.agreed() {
		arguments["answers"], arguments["answer_years"] = `var.unknown_status == "agreed" ? `+tables+"said : "+
			sound, fmt.Sprintf(`var.unknown_status == "agreed" ? [%d] : null`, ThisYear)
	}
	for _, name := range s.Set {
		arguments[name] = "var." + name
	}
	b.WriteString("module \"tracks\" {\n  source = \"rules:tracks\"\n")
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if s.Module.Has(name) {
			fmt.Fprintf(b, "  %s = %s\n", name, arguments[name])
		}
	}
	b.WriteString("}\n\n")
}

// competitive returns an expression for the logics to run, by track.
func (s *Selection) competitive() string {
	switch {
	case len(s.Logics) > 0:
		return fmt.Sprintf("{ %s = %s }", quote(s.Track), quoteAll(s.Logics))
	// The tool requires competitive logics only in this case.
	case len(s.Submissions) > 0 && (!s.Polars || s.Kind == comp.Parallel):
		return "stage.submissions.entrants.competitive_logics"
	}
	return "null"
}

// agreed reports whether the selection can depend on how many solvers, sound or not, agree on an unknown status.
// Earlier years' runs then count, too.
func (s *Selection) agreed() bool {
	return slices.Contains(s.Set, "unknown_status") && s.Module.Has("answer_years")
}

// outputs writes the outputs to read at the end.
func (s *Selection) outputs(b *strings.Builder) {
	fmt.Fprintf(b, "output \"seed\" {\n  value = local.seed\n}\n\n")
	fmt.Fprintf(b, "output \"tracks\" {\n  value = keys(module.tracks.selected)\n}\n\n")
	for _, name := range []string{"selected", "selection", "exclusions", "choices"} {
		fmt.Fprintf(b, "output %s {\n  value = try(module.tracks.%s[%s], null)\n}\n\n", quote(name), name,
			quote(s.Track))
	}
	if s.Module.outputs["columns"] {
		fmt.Fprintf(b, "output \"columns\" {\n  value = try(module.tracks.columns[%s], [])\n}\n", quote(s.Track))
	}
}

// quote writes a text as an HCL string.
func quote(text string) string {
	return string(hclwrite.TokensForValue(cty.StringVal(text)).Bytes())
}

func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = quote(t)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
