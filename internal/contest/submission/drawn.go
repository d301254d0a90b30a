package submission

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Number is a submission's contribution to the competition's seed.
type Number struct {
	File, Solver string
	Value        int64
}

// Drawn is the record of a competition's seed: the numbers to add, and the part of the stock index's opening value that
// is added (§6 "Pseudo-random numbers" of every year).
type Drawn struct {
	Numbers []Number // sorted by file
	Opening int64
	Seed    uint32
}

// Draw computes the seed.
func Draw(numbers []Number, opening int64) (*Drawn, error) {
	d := &Drawn{Numbers: slices.SortedFunc(slices.Values(numbers), func(a, b Number) int {
		return cmp.Compare(a.File, b.File)
	}), Opening: opening}
	values := make([]*big.Int, len(numbers))
	for i, n := range numbers {
		values[i] = big.NewInt(n.Value)
	}
	var err error
	d.Seed, err = CompetitionSeed(values, big.NewInt(opening))
	return d, err
}

// drawnHeader is the first line of a seed record. The submissions are followed by the opening value, the modulus and
// the seed, in lines without a solver.
var drawnHeader = []string{"file", "solver", "number"}

// The names in the last lines of a seed record.
const (
	openingName = "opening"
	modulusName = "modulus"
	seedName    = "seed"
)

// Write writes the seed record as CSV.
func (d *Drawn) Write(w io.Writer) error {
	out := csv.NewWriter(w)
	lines := [][]string{drawnHeader}
	for _, n := range d.Numbers {
		lines = append(lines, []string{n.File, n.Solver, strconv.FormatInt(n.Value, 10)})
	}
	lines = append(lines, []string{openingName, "", strconv.FormatInt(d.Opening, 10)},
		[]string{modulusName, "", strconv.Itoa(SeedModulus)},
		[]string{seedName, "", strconv.FormatUint(uint64(d.Seed), 10)})
	return out.WriteAll(lines)
}

// ReadDrawn reads a seed record and recomputes its seed from the numbers.
func ReadDrawn(r io.Reader) (*Drawn, error) {
	in := csv.NewReader(limits.Document.Reader(r))
	lines, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || !slices.Equal(lines[0], drawnHeader) {
		return nil, fmt.Errorf("the first line must be %s; \"smtpipe seed --record FILE\" writes the list",
			strings.Join(drawnHeader, ","))
	}
	var numbers []Number
	said := map[string]int64{}
	for i, line := range lines[1:] {
		n, err := strconv.ParseInt(line[2], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %q is not a number", i+2, line[2])
		}
		if line[1] == "" {
			said[line[0]] = n
			continue
		}
		numbers = append(numbers, Number{line[0], line[1], n})
	}
	if said[modulusName] != SeedModulus {
		return nil, fmt.Errorf("the modulus must be %d, not %d", SeedModulus, said[modulusName])
	}
	d, err := Draw(numbers, said[openingName])
	if err != nil {
		return nil, err
	}
	if int64(d.Seed) != said[seedName] {
		return nil, fmt.Errorf("its numbers produce the seed %d, but it says %d; somebody changed it", d.Seed, said[seedName])
	}
	return d, nil
}

// Changes returns an error that lists every number that differs from the record.
func (d *Drawn) Changes(now []Number) error {
	var errs []error
	before := map[string]Number{}
	for _, n := range d.Numbers {
		before[n.File] = n
	}
	for _, n := range now {
		was, ok := before[n.File]
		delete(before, n.File)
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("%s (%s) has number %d, but the seed was drawn without it; it "+
				"can only be entered for comparison", n.File, n.Solver, n.Value))
		case was.Value != n.Value:
			errs = append(errs, fmt.Errorf("%s (%s) has the number %d, but the seed was drawn with its number %d",
				n.File, n.Solver, n.Value, was.Value))
		}
	}
	for _, n := range d.Numbers {
		if _, gone := before[n.File]; gone {
			errs = append(errs, fmt.Errorf("%s (%s) no longer counts, but the seed was drawn with its number %d", n.File,
				n.Solver, n.Value))
		}
	}
	return errors.Join(errs...)
}

// Values returns the numbers without their submissions.
func Values(numbers []Number) []int64 {
	values := make([]int64, len(numbers))
	for i, n := range numbers {
		values[i] = n.Value
	}
	return values
}
