package hclsource

import (
	"strings"
	"testing"
)

// TestKeysTwice checks that a duplicate key in an object causes a warning that names the line of the first. Computed
// keys, and equal keys in different objects, cause none.
func TestKeysTwice(t *testing.T) {
	loop := strings.Repeat("[for x in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] : ", 12) + "x" + strings.Repeat("]", 12)
	for src, want := range map[string]string{
		"a = { x = 1, y = 2 }":                        "",
		"a = { x = { y = 1 }, y = { x = 2, z = 3 } }": "",
		"a = {\n  x = 1\n  \"x\" = 2\n}":              `"x" in line 2 already`,
		"b \"c\" {\n  a = [{ x = 1\n x = 2 }]\n}":     `"x" in line 2 already`,
		"a = { (v) = 1, (v) = 2 }":                    "",
		"a = { x = 1, x = 2":                          "", // already an error
		"a = { (" + loop + ") = 1 }":                  "", // takes hours to evaluate
		"a = { \"${" + loop + "}\" = 1 }":             "",
	} {
		_, diags := Parse([]byte(src), "a.hcl")
		found := ""
		for _, d := range diags {
			if d.Summary == "Key twice" {
				found += d.Detail
			}
		}
		if (found == "") != (want == "") || !strings.Contains(found, want) {
			t.Errorf("%s: %q, want %q", src, found, want)
		}
	}
}
