package scramble

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHalves checks that renaming alone keeps every command and argument in place, and that reordering alone keeps
// every name.
func TestHalves(t *testing.T) {
	const src = `(set-logic QF_LIA)
(declare-fun a () Int)
(declare-fun b () Int)
(declare-fun c () Bool)
(assert (and c (< a b) (let ((d (+ a 1)) (e (+ b 2))) (< d e))))
(assert (or c (= a b 3)))
(assert (distinct a b 7))
(check-sat)
`
	name := regexp.MustCompile(`\b[a-ex]\d*\b`)
	shape := func(s string) string { return name.ReplaceAllString(s, "N") }
	words := func(s string) []string {
		between := func(r rune) bool { return strings.ContainsRune(" ()\n", r) }
		return slices.Sorted(slices.Values(strings.FieldsFunc(s, between)))
	}
	var plain string
	renamedOnce, reorderedOnce := false, false
	for seed := int64(0); seed < 20; seed++ {
		write := func(opt Options) string {
			opt.Seed = seed
			out, err := Append(nil, []byte(src), opt)
			if err != nil {
				t.Fatal(err)
			}
			return string(out)
		}
		names, order := write(Options{KeepOrder: true}), write(Options{KeepNames: true})
		if seed == 0 {
			plain = names
		}
		if shape(names) != shape(plain) {
			t.Errorf("seed %d: only renamed, but the order is another one:\n%s", seed, names)
		}
		if !slices.Equal(words(order), words(plain)) && !strings.Contains(order, ">") {
			t.Errorf("seed %d: only reordered, but the names are others:\n%s", seed, order)
		}
		if strings.Contains(order, "x1") {
			t.Errorf("seed %d: a new name:\n%s", seed, order)
		}
		renamedOnce, reorderedOnce = renamedOnce || names != plain, reorderedOnce || order != plain
	}
	if !renamedOnce || !reorderedOnce {
		t.Errorf("renamed: %t, reordered: %t", renamedOnce, reorderedOnce)
	}
}
