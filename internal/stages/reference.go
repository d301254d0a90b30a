package stages

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"
)

// WriteReference writes a kind's reference page, in Markdown, from its declaration.
func WriteReference(w io.Writer, k *Kind) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Stage `%s`\n\n%s.\n\n%s\n\n", k.Name, k.Summary, k.Doc)
	if k.Measured {
		b.WriteString("Its outputs are measured: they are reused by key and never silently measured again.\n\n")
	}
	fmt.Fprintf(&b, "```hcl\n%s\n```\n\n## Attributes\n\n", k.Example)
	writeAttrs(&b, k.Attrs)
	for _, block := range k.Blocks {
		writeBlock(&b, &block)
	}
	b.WriteString("\n## Outputs\n\n| name | type | |\n|---|---|---|\n")
	for _, o := range k.Outputs {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", o.Name, TypeText(o.Type), o.Doc)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeBlock(b *strings.Builder, block *Block) {
	header := block.Name
	if block.Label != "" {
		header += " \"" + block.Label + "\""
	}
	fmt.Fprintf(b, "\n## Block `%s`\n\n%s", header, capitalised(block.Doc))
	switch {
	case block.Min == 1 && block.Max == 1:
		b.WriteString(", exactly once")
	case block.Min > 0:
		fmt.Fprintf(b, ", at least %d times", block.Min)
	case block.Max == 1:
		b.WriteString(", at most once")
	default:
		b.WriteString(", any number of times")
	}
	b.WriteString(".\n\n")
	writeAttrs(b, block.Attrs)
}

func writeAttrs(b *strings.Builder, attrs []Attr) {
	b.WriteString("| name | type | default | |\n|---|---|---|---|\n")
	for _, a := range attrs {
		doc := a.Doc
		if a.Secret {
			doc += "; may be sensitive"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", a.Name, a.TypeText(), a.DefaultText(), doc)
	}
}

// TypeText returns an attribute's type as its page shows it.
func (a *Attr) TypeText() string {
	switch {
	case a.Unit == Duration:
		return "duration"
	case a.Unit == Size:
		return "size"
	case a.Whole != nil:
		return a.Whole.String()
	case a.Row != nil:
		var vars []string
		for _, v := range a.Row.Scope.Vars {
			vars = append(vars, "`"+v.Name+"`")
		}
		return TypeText(a.Type) + ", per row of " + strings.Join(vars, ", ")
	}
	return TypeText(a.Type)
}

// TypeText returns a type's display name.
func TypeText(t cty.Type) string {
	switch {
	case t == cty.DynamicPseudoType:
		return "any"
	case t.IsCapsuleType():
		return t.FriendlyName()
	case t.IsListType():
		return "list of " + TypeText(t.ElementType())
	case t.IsMapType():
		return "map of " + TypeText(t.ElementType())
	case t.IsObjectType() && !t.Equals(SolverType) && !t.Equals(ExecutorType):
		return "object of " + strings.Join(slices.Sorted(maps.Keys(t.AttributeTypes())), ", ")
	case t.Equals(ExecutorType):
		return "executor"
	case t.Equals(SolverType):
		return "solver"
	}
	return t.FriendlyName()
}

// DefaultText describes an attribute's default: "required", the default (in backticks unless it is a number or a
// boolean), or "".
func (a *Attr) DefaultText() string {
	switch {
	case a.Required:
		return "required"
	case len(a.Inherit) > 0:
		return "`competition." + strings.Join(a.Inherit, ".") + "`"
	case a.Default == cty.NilVal:
		return ""
	case a.Unit == Size:
		return fmt.Sprintf("`%q`", sizeText(a.Default))
	case a.Unit == Duration:
		return fmt.Sprintf("`%q`", durationText(a.Default))
	case a.Default.Type() == cty.String:
		return fmt.Sprintf("`%q`", a.Default.AsString())
	case a.Default.Type() == cty.Number:
		return a.Default.AsBigFloat().Text('f', -1)
	}
	return fmt.Sprintf("%v", a.Default.True())
}

// sizeText formats a size as pipelines write it, in the largest unit that divides it.
func sizeText(v cty.Value) string {
	n, _ := v.AsBigFloat().Int64()
	i := 0
	units := []string{"B", "kB", "MB", "GB", "TB"}
	for i < len(units)-1 && n != 0 && n%1000 == 0 {
		n /= 1000
		i++
	}
	return fmt.Sprint(n) + units[i]
}

// durationText formats a duration as pipelines write it: 1h, not 1h0m0s.
func durationText(v cty.Value) string {
	n, _ := v.AsBigFloat().Int64()
	s := time.Duration(n).String()
	if short, ok := strings.CutSuffix(s, "m0s"); ok {
		s = short + "m"
	}
	if short, ok := strings.CutSuffix(s, "h0m"); ok {
		s = short + "h"
	}
	return s
}

func capitalised(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
