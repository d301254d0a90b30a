package comp

import "testing"

func TestParseSize(t *testing.T) {
	tests := []struct {
		text string
		want int64 // expected bytes, or -1 for an error
	}{
		{"30GB", 30_000_000_000},
		{"512MiB", 536_870_912},
		{"1.5GB", 1_500_000_000},
		{"1.50 GB", 1_500_000_000},
		{"0.0005kB", -1}, // half a byte
		{"0.001kB", 1},
		{".5KiB", 512},
		{"5.kB", 5000},
		{"+2B", 2},
		{"0B", 0},
		{"-0.000B", -1},
		{"-1GB", -1},
		{"1.000000000000000000000000GB", 1_000_000_000},
		{"0.000000000931322574615478515625GiB", 1}, // 2^-30 GiB
		{"0.0009765625KiB", 1},
		{"9223372036854775807B", 1<<63 - 1},
		{"9223372036854775808B", -1},
		{"9223372036.854775807GB", 1<<63 - 1},
		{"9223372036.854775808GB", -1},
		{"18446744073709551616B", -1},
		{"16777216TiB", -1},
		{"8388607.5TiB", 8388607<<40 + 1<<39},
		{"30", -1},
		{"GB", -1},
		{".GB", -1},
		{"+GB", -1},
		{"1.2.3GB", -1},
		{"1e3GB", -1},
		{"0x10B", -1},
		{"1_000B", -1},
		{"1/2GB", -1},
		{"--1GB", -1},
		{"1-GB", -1},
		{"+-1GB", -1},
		{"", -1},
	}
	for _, tt := range tests {
		got, err := ParseSize(tt.text)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("ParseSize(%q): got %d (%v), want %d", tt.text, got, err, tt.want)
		}
	}
}

// TestSizeErrors checks that the missing unit is reported only for a bare number.
func TestSizeErrors(t *testing.T) {
	for text, want := range map[string]string{
		"30": `"30" has no unit: write a size such as "30GB", "512MiB" or "100kB"`,
		"2G": `"2G" is not a size: want a number and a unit, such as "30GB" or "512MiB"`,
		"":   `"" is not a size: want a number and a unit, such as "30GB" or "512MiB"`,
	} {
		if _, err := ParseSize(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
