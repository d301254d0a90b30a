package builds

import (
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/contest/compare"
)

// TestOrder sorts builds, the first of which was measured last.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name, by    string
		builds      string
		want, what  string
		unmentioned string
	}{
		{name: "versions", builds: "z3 4.8.9|z3 4.13.0|z3 4.8.12", want: "z3 4.8.9|z3 4.8.12|z3 4.13.0",
			what: "version"},
		{name: "one without a version", builds: "c|4.1|a", want: "a|4.1|c", what: "measured"},
		{name: "numbers", by: "version", builds: "s-10|s-9|s-1", want: "s-1|s-9|s-10", what: "version"},
		{name: "versions as measured", by: "measured", builds: "1.0|1.1", want: "1.1|1.0", what: "measured"},
		{name: "commits", by: "aaaaaaaaaaaa\nbbbbbbbbb\nccccccc Fix it\n", what: "told", unmentioned: "main",
			builds: "cccccccccccc|main|bbbbbbb Merge|aaaaaaa Begin", want: "aaaaaaa Begin|bbbbbbb Merge|cccccccccccc"},
		{name: "not a part of a name", by: "4.1\n4.13\n", builds: "4.13|4.12", want: "4.13", what: "told",
			unmentioned: "4.12"},
	} {
		var past []compare.Past
		for i, name := range strings.Split(c.builds, "|") {
			past = append(past, compare.Past{Name: name, Measured: time.Unix(int64(-i), 0)})
		}
		got, what, left := order(past, c.by)
		var names []string
		for _, p := range got {
			names = append(names, p.Name)
		}
		if strings.Join(names, "|") != c.want || what != c.what || strings.Join(left, "|") != c.unmentioned {
			t.Errorf("%s: %q by %s without %q, want %s by %s without %q", c.name, names, what, left, c.want, c.what,
				c.unmentioned)
		}
	}
}

// TestDistinguish shortens build names to the parts that differ.
func TestDistinguish(t *testing.T) {
	past := []compare.Past{{Name: "/a/z3"}, {Name: "/b/z3"}, {Name: "/c/cvc5 -q"}, {Name: "./s"}, {Name: "./s"},
		{Name: "z3_solver-4.12.0.0-py2.py3-none-manylinux1_x86_64.whl"}, {Name: "release/1"}}
	ids := []string{"000000aa", "111111", "222222", "333333", "444444aa", "555555", "666666"}
	distinguish(past, ids, map[string]bool{"666666": true})
	want := []string{"/a/z3", "/b/z3", "cvc5 -q", "./s (333333)", "./s (444444)", "4.12.0.0", "release/1"}
	for i, p := range past {
		if p.Name != want[i] {
			t.Errorf("build %d is called %s, want %s", i, p.Name, want[i])
		}
	}
}
