package stages

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// Sensitive marks a value of the language that must not be readable in any output of smtpipe: keys, records, plans,
// tables and messages. The value itself reaches only the code that uses it; keys contain its digest.
type Sensitive struct{}

// SetSensitive keeps an attribute's value with its marks, for keys, if parts of it are sensitive. SetValue takes the
// value without marks.
func (a *Args) SetSensitive(name string, v cty.Value) {
	a.declared(name)
	if a.sensitive == nil {
		a.sensitive = map[string]cty.Value{}
	}
	a.sensitive[name] = v
}

// IsSensitive reports whether parts of an attribute's value are sensitive.
func (a *Args) IsSensitive(name string) bool {
	a.declared(name)
	_, is := a.sensitive[name]
	return is
}

// forKey returns an attribute's value for keys, with the marks of sensitive parts.
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

// TakesSensitive reports whether an attribute accepts sensitive values. Only attributes that declare it, and row
// expressions that decide or count, accept them. Other arguments may end up in the outputs, which are published.
func (a *Attr) TakesSensitive() bool {
	if a.Row != nil {
		return a.Type == cty.Bool || a.Type == cty.Number
	}
	return a.Secret
}
