package stages

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// KindsAttr is the attribute that Args.Kinds reads. It has no value in a competition without tracks of its own.
var KindsAttr = Attr{Name: "kinds", Type: cty.Map(cty.String), Inherit: []string{"rules", "kinds"},
	Doc: "the competition's own tracks, each with the standard track that it resembles, such as { \"LIA-Lin\" = " +
		"\"single_query\" }"}

// Kinds reads KindsAttr. Values that are not known yet are left out.
func (a *Args) Kinds() (comp.Kinds, error) {
	given := a.Map(KindsAttr.Name)
	if given == nil {
		return nil, nil
	}
	kinds := comp.Kinds{}
	for name, like := range given {
		kind, err := comp.ParseTrack(like.AsString())
		if err != nil {
			return nil, a.Invalid(KindsAttr.Name, "Unknown track", fmt.Sprintf("%q is like an %v.", name, err))
		}
		kinds[name] = kind
	}
	return kinds, nil
}
