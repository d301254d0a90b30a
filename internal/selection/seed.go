package selection

import (
	"fmt"
	"math/big"
	"regexp"
)

// SeedModulus is the modulus of the sum of the entrants' numbers (all rules, "Pseudo-random numbers").
const SeedModulus = 1 << 30

// decimal is how a stock index is printed: digits, perhaps with thousands separators removed, perhaps with a fraction.
var decimal = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// StockPart returns the integer part of factor times the opening value of the stock index, which is given as it is
// printed, for example "23412.89". It computes with decimals: 100 times 19.99 in binary floating point is less than
// 1999.
func StockPart(opening string, factor int64) (int64, error) {
	if !decimal.MatchString(opening) {
		return 0, fmt.Errorf("opening value %q of the stock index is not a decimal number such as 23412.89", opening)
	}
	value, ok := new(big.Rat).SetString(opening)
	if !ok {
		return 0, fmt.Errorf("opening value %q of the stock index cannot be read", opening)
	}
	value.Mul(value, new(big.Rat).SetInt64(factor))
	whole := new(big.Int).Quo(value.Num(), value.Denom())
	if !whole.IsInt64() || whole.Int64() >= 1<<32-SeedModulus {
		return 0, fmt.Errorf("opening value %q of the stock index is too large for a seed of 32 bits", opening)
	}
	return whole.Int64(), nil
}

// CompetitionSeed adds the entrants' numbers modulo 2^30 and then the stock part, which is not reduced: the seed can
// exceed 2^30 but has 32 bits. The organisers' own numbers must be left out by the caller. It fails for a negative
// stock part and for a sum that does not fit.
//
// Source: SMT-COMP 2008 rules §4, 2015, 2019, 2022 and 2026 rules §6, "Pseudo-random numbers".
func CompetitionSeed(numbers []int64, stock int64) (uint32, error) {
	var sum int64
	for _, n := range numbers {
		sum = (sum + n%SeedModulus + SeedModulus) % SeedModulus
	}
	if stock < 0 || sum+stock >= 1<<32 {
		return 0, fmt.Errorf("stock part %d of the competition seed must be at least 0 and give a seed below 2^32",
			stock)
	}
	return uint32(sum + stock), nil
}

// Seed2008 is the seed of 2008 and 2019: the integer part of the opening value itself is added.
func Seed2008(numbers []int64, opening string) (uint32, error) { return seedOf(numbers, opening, 1) }

// Seed2026 is the seed of 2022 and 2026: the integer part of one hundred times the opening value is added.
func Seed2026(numbers []int64, opening string) (uint32, error) { return seedOf(numbers, opening, 100) }

func seedOf(numbers []int64, opening string, factor int64) (uint32, error) {
	stock, err := StockPart(opening, factor)
	if err != nil {
		return 0, err
	}
	return CompetitionSeed(numbers, stock)
}
