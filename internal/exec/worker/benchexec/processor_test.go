package benchexec

import "testing"

// TestSameProcessor: names of one processor that differ in how they are written are the same.
func TestSameProcessor(t *testing.T) {
	const declared = "Intel Xeon E3-1230 v5; 4 cores; 8 threads; 64 GB; x86_64"
	for _, tt := range []struct {
		processor, hardware string
		want                bool
	}{
		{"Intel Xeon E3-1230 v5 @ 3.40 GHz", declared, true},
		{"Intel(R) Xeon(R) CPU E3-1230 v5 @ 3.40GHz", declared, true},
		{"Intel Xeon E3-1230", declared, true}, // less is known
		{"Intel Xeon E3-1230 v6", declared, false},
		{"Intel Xeon E3-1230 v55", declared, false},
		{"AMD EPYC 7713 64-Core Processor", declared, false},
		{"AMD EPYC 7713 64-Core Processor", "AMD EPYC 7713 64-Core; 64 cores", true},
		{"", declared, true},
		{"AMD EPYC", "", true},
		{"AMD EPYC", "the cluster of 2026", true},
	} {
		if got := sameProcessor(tt.processor, tt.hardware); got != tt.want {
			t.Errorf("%q and %q: %v, want %v", tt.processor, tt.hardware, got, tt.want)
		}
	}
}
