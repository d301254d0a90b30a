package selection_test

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/selection"
)

func TestStockPart(t *testing.T) {
	for _, c := range []struct {
		name, opening string
		factor, want  int64
		fails         string
	}{
		{"hundredfold", "23412.89", 100, 2341289, ""},
		{"the trap of binary fractions", "19.99", 100, 1999, ""}, // 19.99*100 is 1998.9999999999998 in doubles
		{"more digits than needed", "14636.7599", 100, 1463675, ""},
		{"integer", "12889", 1, 12889, ""},
		{"integer part", "12889.99", 1, 12889, ""},
		{"zero", "0", 100, 0, ""},
		{"thousands separator", "23,412.89", 100, 0, "not a decimal number"},
		{"exponent", "1e3", 1, 0, "not a decimal number"},
		{"negative", "-1", 1, 0, "not a decimal number"},
		{"fraction of two numbers", "1/3", 1, 0, "not a decimal number"},
		{"empty", "", 1, 0, "not a decimal number"},
		{"too large", "99999999999", 1, 0, "too large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := selection.StockPart(c.opening, c.factor)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("got %d, %v; want an error ...%s...", got, err, c.fails)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("got %d, %v; want %d", got, err, c.want)
			}
		})
	}
}

// TestPublishedSeeds has the sums and the remainders of the published seeds.
func TestPublishedSeeds(t *testing.T) {
	for _, c := range []struct {
		name    string
		numbers []int64
		opening string
		seed    func([]int64, string) (uint32, error)
		want    uint32
	}{
		{"2019", []int64{912668687}, "12889.07", selection.Seed2008, 912681576},
		{"2022", []int64{1055742106}, "14636.75", selection.Seed2026, 1057205781},
		{"2023", []int64{756654015}, "15078.69", selection.Seed2026, 758161884},
		{"2026, first reduced", []int64{20389785 + 3<<30}, "23412.89", selection.Seed2026, 22731074},
		{"stock part is not reduced", []int64{1<<30 - 1}, "5", selection.Seed2008, 1<<30 + 4},
		{"negative number", []int64{-1, 2}, "0", selection.Seed2008, 1},
		{"nobody", nil, "7", selection.Seed2008, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := c.seed(c.numbers, c.opening); err != nil || got != c.want {
				t.Errorf("got %d, %v; want %d", got, err, c.want)
			}
		})
	}
	if _, err := selection.CompetitionSeed(nil, -1); err == nil {
		t.Error("a negative stock part was accepted")
	}
}
