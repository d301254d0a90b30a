package project

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// lineWidth is the maximum width of a list or map that is written on one line.
const lineWidth = 100

// Expression returns a value in the language's syntax. Artifacts and files have no syntax and are written in angle
// brackets.
func Expression(v cty.Value) string {
	var b strings.Builder
	writeValue(&b, v, "")
	return b.String()
}

func writeValue(b *strings.Builder, v cty.Value, indent string) {
	t := v.Type()
	switch {
	case !v.IsKnown():
		b.WriteString("(known later)")
	case v.IsNull():
		b.WriteString("null")
	case t == cty.String:
		b.Write(hclwrite.TokensForValue(v).Bytes())
	case t == cty.Number:
		b.WriteString(numberText(v))
	case t == cty.Bool:
		b.WriteString(strconv.FormatBool(v.True()))
	case t.IsCapsuleType():
		b.WriteString(capsuleText(v))
	case t.IsMapType() || t.IsObjectType():
		var parts []string
		for it := v.ElementIterator(); it.Next(); {
			key, elem := it.Element()
			name := key.AsString()
			if !hclsyntax.ValidIdentifier(name) {
				name = string(hclwrite.TokensForValue(key).Bytes())
			}
			parts = append(parts, name+" = "+valueIn(elem, indent))
		}
		writeParts(b, "{", parts, "}", indent)
	default:
		var parts []string
		for it := v.ElementIterator(); it.Next(); {
			_, elem := it.Element()
			parts = append(parts, valueIn(elem, indent))
		}
		writeParts(b, "[", parts, "]", indent)
	}
}

func valueIn(v cty.Value, indent string) string {
	var b strings.Builder
	writeValue(&b, v, indent+"  ")
	return b.String()
}

// writeParts writes the elements of a list or map, on one line if they fit.
func writeParts(b *strings.Builder, open string, parts []string, closing, indent string) {
	inner := strings.Join(parts, ", ")
	switch {
	case len(parts) == 0:
		b.WriteString(open + closing)
	case len(indent)+len(inner)+4 <= lineWidth && !strings.Contains(inner, "\n") && open == "{":
		b.WriteString("{ " + inner + " }")
	case len(indent)+len(inner)+2 <= lineWidth && !strings.Contains(inner, "\n"):
		b.WriteString(open + inner + closing)
	default:
		b.WriteString(open + "\n")
		for _, p := range parts {
			b.WriteString(indent + "  " + p + ",\n")
		}
		b.WriteString(indent + closing)
	}
}

func numberText(v cty.Value) string {
	f := v.AsBigFloat()
	if f.IsInt() {
		return f.Text('f', 0)
	}
	short, _ := f.Float64()
	return strconv.FormatFloat(short, 'g', -1, 64)
}

func capsuleText(v cty.Value) string {
	if f, ok := stages.FileOf(v); ok {
		return fmt.Sprintf("<%s sha256:%s>", f.Name, f.Digest)
	}
	return "<" + ValueText(v) + ">"
}
