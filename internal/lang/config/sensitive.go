package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// Sensitive values reach the stages that use them but are never displayed: keys contain their digests, displayed values
// contain a placeholder, publishing them is an error, and they are removed from messages.

const (
	hiddenText    = "(sensitive)"
	shortestToken = 4 // shortest value to search messages for, in characters, because shorter ones occur everywhere
)

// shown replaces a value's sensitive parts with a placeholder and removes all marks.
func shown(v cty.Value) cty.Value {
	if !v.ContainsMarked() {
		return v
	}
	hidden := cty.StringVal(hiddenText)
	if v.IsMarked() {
		inner, marks := v.Unmark()
		if _, ok := marks[stages.Sensitive{}]; ok {
			return hidden
		}
		return shown(inner)
	}
	if !isSensitive(v) {
		plain, _ := v.UnmarkDeep()
		return plain
	}
	if t := v.Type(); t.IsObjectType() || t.IsMapType() {
		parts := map[string]cty.Value{}
		for k, part := range v.AsValueMap() {
			parts[k] = shown(part)
		}
		return cty.ObjectVal(parts)
	}
	var parts []cty.Value
	for _, part := range v.AsValueSlice() {
		parts = append(parts, shown(part))
	}
	return cty.TupleVal(parts)
}

// withoutWaits removes all marks except those of sensitive parts.
func withoutWaits(v cty.Value) cty.Value {
	marked, waits := false, false
	eachMark(v, func(m any) {
		marked = true
		waits = waits || m != stages.Sensitive{}
	})
	switch {
	case !marked || !waits:
		return v
	case !isSensitive(v):
		plain, _ := v.UnmarkDeep()
		return plain
	}
	plain, paths := v.UnmarkDeepWithPaths()
	return plain.MarkWithPaths(sensitiveOnly(paths))
}

func sensitiveOnly(paths []cty.PathValueMarks) []cty.PathValueMarks {
	var keep []cty.PathValueMarks
	for _, p := range paths {
		if _, ok := p.Marks[stages.Sensitive{}]; ok {
			keep = append(keep, cty.PathValueMarks{Path: p.Path, Marks: cty.NewValueMarks(stages.Sensitive{})})
		}
	}
	return keep
}

// markSensitive marks the parts of a converted value that are sensitive in the original. If the conversion moved parts,
// it marks the whole value.
func markSensitive(converted, given cty.Value) cty.Value {
	_, paths := given.UnmarkDeepWithPaths()
	secret := map[string]bool{}
	for _, p := range sensitiveOnly(paths) {
		secret[pathText(p.Path)] = true
	}
	if secret[""] || !converted.IsKnown() {
		return converted.Mark(stages.Sensitive{})
	}
	found := 0
	out, err := cty.Transform(converted, func(at cty.Path, v cty.Value) (cty.Value, error) {
		if !secret[pathText(at)] {
			return v, nil
		}
		found++
		return v.Mark(stages.Sensitive{}), nil
	})
	if err != nil || found != len(secret) || converted.Type().IsSetType() {
		return converted.Mark(stages.Sensitive{})
	}
	return out
}

// pathText returns a path as text that is the same for an object's attribute and a map's key.
func pathText(p cty.Path) string {
	var w strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case cty.GetAttrStep:
			fmt.Fprintf(&w, "[%q]", s.Name)
		case cty.IndexStep:
			fmt.Fprintf(&w, "[%s]", valueText(s.Key))
		}
	}
	return w.String()
}

// refuseSensitive reports a sensitive value where it would be published.
func (e *evaluator) refuseSensitive(v cty.Value, at hcl.Range, what string) bool {
	if !e.p.sensitive || !isSensitive(v) {
		return false
	}
	e.errorAt(at, "Sensitive value", upperFirst(what)+" has a sensitive value, and what is written there becomes "+
		"part of addresses, tables or pages that everybody reads. Use a variable that is not sensitive.")
	return true
}

// setSensitive keeps an attribute's sensitive parts out of keys, or reports them if the stage may publish them.
func (d *argsDecoder) setSensitive(args *stages.Args, attr *stages.Attr, fitted, given cty.Value, at hcl.Range) {
	if !d.e.p.sensitive || !isSensitive(given) {
		return
	}
	if !attr.TakesSensitive() {
		d.e.refuseSensitive(given, at, fmt.Sprintf("the attribute %q", attr.Name))
		return
	}
	args.SetSensitive(attr.Name, markSensitive(fitted, given))
}

// rememberSecrets records a sensitive variable's texts for removal from messages.
func (p *Pipeline) rememberSecrets(v cty.Value) {
	plain, _ := v.UnmarkDeep()
	_ = cty.Walk(plain, func(_ cty.Path, part cty.Value) (bool, error) {
		text := ""
		switch {
		case !part.IsKnown() || part.IsNull():
		case part.Type() == cty.String:
			text = part.AsString()
		case part.Type() == cty.Number:
			text = part.AsBigFloat().Text('f', -1)
		}
		if len(text) >= shortestToken && !slices.Contains(p.secrets, text) {
			p.secrets = append(p.secrets, text)
		}
		return true, nil
	})
	// A secret can be part of another one. Replace the longer one first to remove all of it.
	slices.SortFunc(p.secrets, func(a, b string) int { return len(b) - len(a) })
}

// Redact replaces the values of sensitive variables in a text with "(sensitive)". It cannot find values shorter than
// four characters or values computed from sensitive ones.
func (p *Pipeline) Redact(text string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.redact(text)
}

func (p *Pipeline) redact(text string) string {
	for _, s := range p.secrets {
		text = strings.ReplaceAll(text, s, hiddenText)
	}
	return text
}

// redactAll removes sensitive values from diagnostics.
func (p *Pipeline) redactAll(diags hcl.Diagnostics) hcl.Diagnostics {
	if len(p.secrets) == 0 {
		return diags
	}
	for _, d := range diags {
		d.Summary, d.Detail = p.redact(d.Summary), p.redact(d.Detail)
	}
	return diags
}
