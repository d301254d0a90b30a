// Package preselect builds the pipeline that selects a year's benchmarks for one track without a complete competition:
// the "tracks" module of the year's rules, with only = "selection", and its input tables.
package preselect

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/pipelines"
)

// Module holds the declarations in a year's "tracks" module.
type Module struct {
	Variables map[string]Variable
	Tracks    []string // default value of the variable tracks; nil: none
	outputs   map[string]bool
}

// Variable is a variable of a module.
type Variable struct {
	Type string // type expression as written
}

// Organisers returns the values of variables that make the year's module select like the organisers' tool since 2024.
// In pipelines, the module draw.hcl provides them as texts.
func Organisers() (map[string]string, error) {
	src, err := pipelines.Files.ReadFile("modules/draw.hcl")
	if err != nil {
		return nil, err
	}
	parsed, diags := hclsource.Parse(src, "draw.hcl")
	if diags.HasErrors() {
		return nil, diags
	}
	values := map[string]string{}
	for _, b := range parsed.Body.(*hclsyntax.Body).Blocks {
		if b.Type != "module" {
			continue
		}
		for name, a := range b.Body.Attributes {
			v, diags := a.Expr.Value(nil)
			if !diags.HasErrors() && v.Type() == cty.String && name != "source" && !slices.Contains(given, name) {
				values[name] = v.AsString()
			}
		}
	}
	return values, nil
}

// given lists the module variables that the selection itself sets.
var given = []string{"only", "tracks", "benchmarks", "retired", "history", "answers", "answer_years", "measured",
	"competitive", "seed", "solvers"}

// ReadModule reads the declarations in a year's module, and checks that the module can select benchmarks on its own.
func ReadModule(r *rules.Rules) (*Module, hcl.Diagnostics) {
	file, ok := r.Module("tracks")
	if !ok {
		return nil, oneError("No module \"tracks\"", fmt.Sprintf("The rules %q have no file tracks.hcl, nor have "+
			"those that they are based on.", r.Name))
	}
	texts := sources{}
	layers := hclsource.Layers{Read: texts.read}
	body, diags := layers.Body(file)
	if diags.HasErrors() {
		return nil, diags
	}
	m := &Module{Variables: map[string]Variable{}, outputs: map[string]bool{}}
	for _, b := range body.Blocks {
		switch {
		case len(b.Labels) != 1:
		case b.Type == "variable":
			m.variable(b, texts)
		case b.Type == "output":
			m.outputs[b.Labels[0]] = true
		}
	}
	return m, m.check(file)
}

// sources are the texts of the files that a module is built from.
type sources map[string][]byte

func (s sources) read(file string, _ bool) (*hclsyntax.Body, hcl.Diagnostics) {
	read := hclsource.ReadPath
	if strings.HasPrefix(file, rules.Builtin) {
		read = rules.ReadFile
	}
	src, err := read(file)
	if err != nil {
		return nil, oneError("Cannot read rules", fmt.Sprintf("Reading %s: %v.", file, err))
	}
	s[file] = src
	parsed, diags := hclsource.Parse(src, file)
	if diags.HasErrors() {
		return nil, diags
	}
	return parsed.Body.(*hclsyntax.Body), nil
}

// variable adds a variable.
func (m *Module) variable(b *hclsyntax.Block, texts sources) {
	v := Variable{Type: "any"}
	if a := b.Body.Attributes["type"]; a != nil {
		v.Type = string(a.Expr.Range().SliceBytes(texts[a.Expr.Range().Filename]))
	}
	m.Variables[b.Labels[0]] = v
	a := b.Body.Attributes["default"]
	if b.Labels[0] != "tracks" || a == nil {
		return
	}
	if list, diags := a.Expr.Value(nil); !diags.HasErrors() && list.CanIterateElements() {
		for _, track := range list.AsValueSlice() {
			m.Tracks = append(m.Tracks, track.AsString())
		}
	}
}

// check reports missing declarations that a module needs to select benchmarks on its own.
func (m *Module) check(file string) hcl.Diagnostics {
	var missing []string
	for _, name := range []string{"only", "benchmarks", "seed"} {
		if _, ok := m.Variables[name]; !ok {
			missing = append(missing, "variable "+name)
		}
	}
	for _, name := range []string{"selected", "selection", "exclusions", "choices"} {
		if !m.outputs[name] {
			missing = append(missing, "output "+name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return oneError("Module without a selection", fmt.Sprintf("To select benchmarks by %s alone, the module needs "+
		"the same parts as "+
		"other years' modules: %s.", file, strings.Join(missing, ", ")))
}

// Has reports whether the module declares a variable.
func (m *Module) Has(name string) bool {
	_, ok := m.Variables[name]
	return ok
}

// Options returns the variables that a user can set, sorted.
func (m *Module) Options() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.Variables)), func(name string) bool {
		return slices.Contains(given, name)
	})
}

func oneError(summary, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summary, Detail: detail}}
}
