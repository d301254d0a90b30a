package submission_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
)

func bigInts(numbers []int64) []*big.Int {
	var all []*big.Int
	for _, n := range numbers {
		all = append(all, big.NewInt(n))
	}
	return all
}

// TestCompetitionSeed checks the sums and remainders of the published seeds, and edge cases.
func TestCompetitionSeed(t *testing.T) {
	for _, c := range []struct {
		name    string
		numbers []int64
		opening int64
		want    uint32
		fails   string
	}{
		{"2019", []int64{912668687}, 12889, 912681576, ""},
		{"2022", []int64{1055742106}, 1463675, 1057205781, ""},
		{"2023", []int64{756654015}, 1507869, 758161884, ""},
		{"2026, first reduced", []int64{20389785 + 3<<30}, 2341289, 22731074, ""},
		{"opening value is not reduced", []int64{1<<30 - 1}, 5, 1<<30 + 4, ""},
		{"negative number", []int64{-1, 2}, 0, 1, ""},
		{"nobody", nil, 7, 7, ""},
		{"negative opening value", nil, -1, 0, "must be at least 0"},
		{"too large", []int64{1}, 1<<32 - 1, 0, "too large"},
		{"just not too large", []int64{1}, 1<<32 - 2, 1<<32 - 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := submission.CompetitionSeed(bigInts(c.numbers), big.NewInt(c.opening))
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
