package submission

import (
	"errors"
	"fmt"
	"math/big"
)

// SeedModulus is the modulus of the sum of the entrants' numbers, before the opening value is added.
const SeedModulus = 1 << 30

// CompetitionSeed returns a competition's seed: the sum of the entrants' numbers modulo 2^30, plus the integer that the
// year's rules derive from the stock index's opening value. The seed can exceed 2^30 and must fit in 32 bits. The
// caller must omit the organisers' own numbers.
//
// Source: SMT-COMP 2008 rules §4, 2015, 2019, 2022 and 2026 rules §6, "Pseudo-random numbers". The organisers added the
// opening value after the reduction: 2019, 912668687 + 12889 = 912681576.
func CompetitionSeed(numbers []*big.Int, opening *big.Int) (uint32, error) {
	if opening.Sign() < 0 {
		return 0, errors.New("the number taken from the stock index must be at least 0")
	}
	sum := new(big.Int)
	for _, n := range numbers {
		sum.Add(sum, n)
	}
	sum.Mod(sum, big.NewInt(SeedModulus)).Add(sum, opening)
	if sum.BitLen() > 32 {
		return 0, fmt.Errorf("the number %v taken from the stock index is too large for a seed of 32 bits", opening)
	}
	return uint32(sum.Uint64()), nil
}
