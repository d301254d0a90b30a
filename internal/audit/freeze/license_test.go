package freeze

import (
	"slices"
	"strings"
	"testing"
)

// TestParseLicense uses the examples from annex D of the SPDX specification 2.3.
func TestParseLicense(t *testing.T) {
	for _, c := range []struct {
		text, want string // an empty want means that the text must be rejected
		anyOf      []string
	}{
		{"CC-BY-4.0", "CC-BY-4.0", []string{"CC-BY-4.0"}},
		{"cc-by-4.0", "CC-BY-4.0", []string{"CC-BY-4.0"}},
		{"MIT OR CC0-1.0", "MIT OR CC0-1.0", []string{"MIT", "CC0-1.0"}},
		{"LGPL-2.1-only AND MIT", "LGPL-2.1-only AND MIT", nil},
		{"GPL-2.0-or-later WITH Bison-exception-2.2", "GPL-2.0-or-later WITH Bison-exception-2.2", nil},
		{"LicenseRef-ours", "LicenseRef-ours", nil},
		{"CC-BY-5.0", "", nil},
		{"MIT OR", "", nil},
		{"mine, all mine", "", nil},
		{strings.Repeat("MIT OR ", 100) + "MIT", "", nil},
	} {
		got, err := ParseLicense(c.text)
		if got.Expression != c.want || (err == nil) != (c.want != "") || !slices.Equal(got.AnyOf, c.anyOf) {
			t.Errorf("%q: got %+v, %v; want %q, %q", c.text, got, err, c.want, c.anyOf)
		}
	}
}
