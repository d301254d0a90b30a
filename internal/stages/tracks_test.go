package stages_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestKindsError checks that the first of several wrong tracks by name is reported, whatever the order of the map.
func TestKindsError(t *testing.T) {
	wrong := map[string]cty.Value{}
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "G", "H"} {
		wrong[name] = cty.StringVal("marathon")
	}
	a := stages.NewArgs([]stages.Attr{stages.KindsAttr}, "", hcl.Range{})
	a.SetValue("kinds", cty.MapVal(wrong), hcl.Range{})
	for range 5 {
		if _, err := a.Kinds(); err == nil || !strings.Contains(err.Error(), `"A" is like`) {
			t.Fatalf("got %v, want an error about A", err)
		}
	}
}
