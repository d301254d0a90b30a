package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast checks that text colours have the contrast ratio of at least 4.5 that WCAG 2.2 (AA, 1.4.3) requires, in
// the light scheme, the dark scheme and the heat map.
func TestContrast(t *testing.T) {
	body, err := embedded.ReadFile("assets/site.css")
	if err != nil {
		t.Fatal(err)
	}
	css := string(body)
	light, dark := variables(css[:strings.Index(css, "@media")]),
		variables(css[strings.Index(css, "prefers-color-scheme: dark"):])
	pairs := [][2]string{{"fg", "bg"}, {"soft", "bg"}, {"soft", "stripe"}, {"soft", "panel"}, {"fg", "panel"},
		{"link", "bg"}, {"link", "stripe"}, {"link", "panel"},
		{"link", "win"}, {"fg", "win"}, {"brandfg", "brand"}, {"good", "goodbg"}, {"bad", "badbg"}, {"warn", "warnbg"},
		{"bad", "bg"}, {"bad", "stripe"}, {"good", "bg"}}
	for name, scheme := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, p := range pairs {
			if ratio := contrast(t, scheme[p[0]], scheme[p[1]]); ratio < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f", name, p[0], p[1], ratio)
			}
		}
	}
	shades := regexp.MustCompile(`\.(h\d+) \{ background: (#[0-9a-f]+); color: (#[0-9a-f]+); \}`).FindAllStringSubmatch(
		css, -1)
	if len(shades) != 11 {
		t.Errorf("%d shades, want 11", len(shades))
	}
	for i, s := range shades {
		if ratio := contrast(t, s[3], s[2]); ratio < 4.5 {
			t.Errorf("heat map: %s has a contrast of %.2f", s[1], ratio)
		}
		if i > 0 && luminance(t, s[2]) >= luminance(t, shades[i-1][2]) {
			t.Errorf("heat map: %s is not darker than the shade before", s[1])
		}
	}
}

func variables(css string) map[string]string {
	vars := map[string]string{}
	end := strings.Index(css, "}")
	for _, m := range regexp.MustCompile(`--([a-z]+): (#[0-9a-f]{3,6});`).FindAllStringSubmatch(css[:end], -1) {
		vars[m[1]] = m[2]
	}
	return vars
}

// contrast returns the contrast ratio as WCAG 2.2 defines it, between 1 and 21.
func contrast(t *testing.T, a, b string) float64 {
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	hex = strings.TrimPrefix(hex, "#")
	if len(hex) == 3 {
		hex = hex[:1] + hex[:1] + hex[1:2] + hex[1:2] + hex[2:] + hex[2:]
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		t.Fatalf("%q is no colour", hex)
	}
	channel := func(v uint64) float64 {
		c := float64(v&0xFF) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(n>>16) + 0.7152*channel(n>>8) + 0.0722*channel(n)
}
