package stages

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/rowexpr"
)

// Sensitive marks a value of the language that nobody is to read in what smtpipe writes: in keys, records, plans,
// tables and messages. It gets to where it is used, and into keys by its digest.
type Sensitive struct{}

// SetSensitive keeps the value of an attribute with its marks, for keys, where parts of it are sensitive. SetValue has
// the value without marks.
func (a *Args) SetSensitive(name string, v cty.Value) {
	a.declared(name)
	if a.sensitive == nil {
		a.sensitive = map[string]cty.Value{}
	}
	a.sensitive[name] = v
}

// forKey returns the value of an attribute as keys have it: with the marks of sensitive parts.
func (a *Args) forKey(name string) cty.Value {
	if v, ok := a.sensitive[name]; ok {
		return v
	}
	return a.values[name]
}

// secretText stands for a sensitive value in keys.
func secretText(v cty.Value) string {
	v, _ = v.UnmarkDeep()
	return rowexpr.Secret(v.Type().FriendlyName() + "\x00" + elementText(v))
}

// TakesSensitive reports whether sensitive values may be given to an attribute: to those that say so, and to row
// expressions that decide or count. What else is given to a stage may become part of its outputs, which are published.
func (a *Attr) TakesSensitive() bool {
	if a.Row != nil {
		return a.Type == cty.Bool || a.Type == cty.Number
	}
	return a.Secret
}
