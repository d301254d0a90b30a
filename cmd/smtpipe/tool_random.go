package main

import (
	"bufio"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/random"
	"github.com/smtpipe/smtpipe/internal/base/random/polars"
)

// randomFlags are the flags of "tool random".
type randomFlags struct {
	generator string
	flavour   string
	seed      uint64
	count     int
	sample    int
	shuffle   int
}

func newToolRandomCommand() *cobra.Command {
	var f randomFlags
	cmd := &cobra.Command{
		Use:   "random --seed N",
		Short: "Print what the competition's generators produce for a seed",
		Long: `random prints numbers, one per line. By default they are those of the C library's random() after srandom(N), which
choose benchmarks and scramble them; docs/write/randomness.md says in which order they are used.

The other generators are those of the organisers' programs. cpython prints getrandbits(32) after random.seed(N). polars
prints the 32-bit numbers of its generator in the flavour rand-0.8 (polars up to 1.31) or rand-0.9 (from 1.32 on).

With --sample LENGTH the places that --count numbers of 0 to LENGTH-1 are drawn at: with glibc a sample as a cap makes it,
ascending, with polars list.sample(COUNT, seed=N), in its order. With --shuffle LENGTH and polars: Expr.shuffle(seed=N).

` + exit.Help,
		Example: `  smtpipe tool random --seed 22731074 --count 5
  smtpipe tool random --generator polars --flavour rand-0.9 --seed 22731074 --sample 1000 --count 5`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.execute(cmd) },
	}
	flags := cmd.Flags()
	flags.Uint64Var(&f.seed, "seed", 0, "seed, for glibc 0 to 4294967295")
	flags.IntVar(&f.count, "count", 10, "how many values")
	flags.StringVar(&f.generator, "generator", "glibc", "glibc, cpython or polars")
	flags.StringVar(&f.flavour, "flavour", "", "polars: rand-0.8 or rand-0.9")
	flags.IntVar(&f.sample, "sample", 0, "glibc and polars: draw from this many without replacement")
	flags.IntVar(&f.shuffle, "shuffle", 0, "polars: shuffle this many")
	return cmd
}

func (f *randomFlags) execute(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("seed") {
		return exit.With(exit.Usage, errors.New("--seed is required: a number from 0 on, for srandom() up to 4294967295"))
	}
	next, err := f.stream(cmd)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	for i := range f.count {
		fmt.Fprintln(out, next(i))
	}
	return out.Flush()
}

// stream returns a function that returns the i-th number. The function must be called in order of i. stream may set the
// count.
func (f *randomFlags) stream(cmd *cobra.Command) (func(i int) int, error) {
	sampled, shuffled := cmd.Flags().Changed("sample"), cmd.Flags().Changed("shuffle")
	switch {
	case f.count < 0:
		return nil, fmt.Errorf("--count is %d; it must be at least 0", f.count)
	case sampled && shuffled:
		return nil, errors.New("--sample and --shuffle exclude each other")
	case sampled && (f.sample < f.count || f.sample > math.MaxInt32):
		return nil, fmt.Errorf("--sample is %d; it must be at least --count, %d, and below 2^31", f.sample, f.count)
	case shuffled && (f.shuffle < 0 || f.shuffle > math.MaxInt32):
		return nil, fmt.Errorf("--shuffle is %d; it must be at least 0 and below 2^31", f.shuffle)
	case shuffled && f.generator != "polars", sampled && f.generator == "cpython":
		return nil, fmt.Errorf("--generator %s does not take --shuffle, nor, for cpython, --sample", f.generator)
	case f.generator != "polars" && f.flavour != "":
		return nil, errors.New("--flavour needs --generator polars")
	}
	switch f.generator {
	case "glibc":
		return f.glibc(sampled)
	case "cpython":
		g := random.NewMT(new(big.Int).SetUint64(f.seed))
		return func(int) int { return int(g.Uint32()) }, nil
	case "polars":
		return f.polars(sampled, shuffled)
	}
	return nil, fmt.Errorf("unknown generator %q; it must be glibc, cpython or polars", f.generator)
}

func (f *randomFlags) glibc(sampled bool) (func(int) int, error) {
	if f.seed > math.MaxUint32 {
		return nil, fmt.Errorf("--seed %d is out of range: srandom() takes 0 to 4294967295", f.seed)
	}
	g := random.NewGlibc(uint32(f.seed))
	if sampled {
		return at(g.Sample(f.sample, f.count)), nil
	}
	return func(int) int { return int(g.Next()) }, nil
}

func (f *randomFlags) polars(sampled, shuffled bool) (func(int) int, error) {
	flavour, err := polars.ParseFlavour(f.flavour)
	if err != nil {
		return nil, err
	}
	switch {
	case sampled:
		return at(flavour.Sample(f.sample, f.count, f.seed)), nil
	case shuffled:
		f.count = f.shuffle
		return at(flavour.Shuffle(f.shuffle, f.seed)), nil
	}
	g := polars.New(flavour, f.seed)
	return func(int) int { return int(g.Uint32()) }, nil
}

func at(numbers []int) func(int) int { return func(i int) int { return numbers[i] } }
