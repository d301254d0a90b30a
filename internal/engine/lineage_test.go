package engine_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// tracedAction is a textAction that requests its lineage.
type tracedAction struct {
	*textAction
	lineage **stages.Lineage
}

func (a *tracedAction) Trace(l *stages.Lineage) { *a.lineage = l }

func (a *tracedAction) ExtendKey(k *cache.KeyWriter) { (*a.lineage).WriteKey(k) }

// lines writes a lineage as "ADDRESS <- USED: DIGEST".
func lines(l *stages.Lineage) []string {
	var all []string
	for _, s := range l.Steps {
		line := s.Addr + " <- " + strings.Join(s.Uses, " ") + ":"
		for _, o := range s.Outputs {
			line += " " + o.Name + " " + o.Digest.String()
		}
		all = append(all, line)
	}
	return all
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestLineage(t *testing.T) {
	store := openStore(t)
	var l *stages.Lineage
	c := chain{{name: "a", text: "one"}, {name: "other", text: "o"}, {name: "b", text: "b", input: "a"},
		{name: "c", text: "c", input: "b", traced: &l}}
	opt := engine.Options{Store: store, Version: "1.2"}
	if _, executed, _, err := run(t, c, opt); err != nil || len(executed) != 4 {
		t.Fatalf("first run executed %v, %v", executed, err)
	}
	want := []string{
		"stage.text.a <- : blob " + sha("one"),
		"stage.text.b <- stage.text.a: blob " + sha("bxxx"),
		"stage.text.c <- stage.text.b:", // its own outputs are not known yet
	}
	if diff := cmp.Diff(want, lines(l)); diff != "" || l.Addr != "stage.text.c" || l.Version != "1.2" {
		t.Errorf("lineage of %s by %s (-want +got):\n%s", l.Addr, l.Version, diff)
	}
	// A stage that reports its lineage executes again when a stage that it depends on produces a different output, even
	// if its own input is unchanged. Other stages have no effect.
	c[0].text = "two"
	if _, executed, _, _ := run(t, c, opt); !slices.Equal(executed, []string{"a", "b", "c"}) {
		t.Errorf("executed %v, want a, b and c", executed)
	}
	c[1].text = "other"
	if _, executed, _, _ := run(t, c, opt); !slices.Equal(executed, []string{"other"}) {
		t.Errorf("executed %v, want other only", executed)
	}
	opt.Version = "1.3"
	if _, executed, _, _ := run(t, c, opt); !slices.Equal(executed, []string{"c"}) {
		t.Errorf("executed %v, want c only, as it names the version of smtpipe", executed)
	}
}
