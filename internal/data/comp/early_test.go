package comp

import "testing"

func TestInEarlySample(t *testing.T) {
	tests := []struct {
		script [32]byte
		want   bool
	}{
		{[32]byte{}, true},
		{[32]byte{0x0c, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcb, 0xff}, true},
		{[32]byte{0x0c, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc}, false}, // 5 % of 2^64
		{[32]byte{0x0d}, false},
	}
	for _, tt := range tests {
		if got := InEarlySample(tt.script); got != tt.want {
			t.Errorf("%x: %v, want %v", tt.script[:8], got, tt.want)
		}
	}
}
