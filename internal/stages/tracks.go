package stages

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
)

// KindsAttr is the attribute that Args.Kinds reads. It has no value in a competition that defines no tracks itself.
var KindsAttr = Attr{Name: "kinds", Type: cty.Map(cty.String), Inherit: []string{"rules", "kinds"},
	Doc: "the competition's own tracks, each with the standard track that it resembles, such as { \"LIA-Lin\" = " +
		"\"single_query\" }"}

// Kinds reads KindsAttr; nil if it is not given or not known yet.
func (a *Args) Kinds() (comp.Kinds, error) {
	given := a.Map(KindsAttr.Name)
	if given == nil {
		return nil, nil
	}
	kinds := comp.Kinds{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		kind, err := comp.ParseTrack(given[name].AsString())
		if err != nil {
			return nil, a.Invalid(KindsAttr.Name, "Unknown track", fmt.Sprintf("%q is like an %v.", name, err))
		}
		kinds[name] = kind
	}
	return kinds, nil
}

// LanguageAttr returns the attribute that Args.Language reads. Keys contain only part of it.
func LanguageAttr(inKey func(cty.Value) cty.Value) Attr {
	return Attr{Name: "language", Type: language.Type, Inherit: []string{"rules", "language"}, InKey: inKey,
		Doc: "the language of the benchmarks, as a block language in the rules declares it; default: SMT-LIB"}
}

// Language reads the attribute; nil means SMT-LIB.
func (a *Args) Language() (*language.Reader, error) {
	v := a.Value("language")
	if v.IsNull() || !v.IsWhollyKnown() {
		return nil, nil
	}
	var l language.Language
	err := gocty.FromCtyValue(v, &l)
	if err == nil {
		var r *language.Reader
		if r, err = l.Compile(); err == nil {
			return r, nil
		}
	}
	return nil, a.Invalid("language", "Invalid language", Sentence(err))
}
