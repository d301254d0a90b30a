package choices

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// SeedAttr and FlavourAttr are attributes of kinds that can draw like polars instead of with their own generator.
var (
	SeedAttr = stages.Attr{Name: "seed", Type: cty.Number, Required: true, Secret: true,
		Doc: "the competition's seed, 0 to 2^32-1; polars: to 2^64-1"}
	FlavourAttr = stages.Attr{Name: "flavour", Type: cty.String,
		Doc: "polars: rand-0.8 (polars up to 1.31) or rand-0.9 (from 1.32)"}
)

// Draw is the generator that a stage draws with.
type Draw struct {
	Seed   uint32            // used by all generators except polars
	Polars *selection.Polars // nil for all other generators
}

// ReadDraw reads the attributes generator, flavour and seed. names lists the accepted generators.
func ReadDraw(a *stages.Args, names ...string) (Draw, error) {
	var d Draw
	generator := a.String("generator")
	if !slices.Contains(names, generator) {
		return d, a.Invalid("generator", "Unknown generator",
			fmt.Sprintf("%q is not one of %s.", generator, strings.Join(names, ", ")))
	}
	if generator != "polars" {
		if a.Has("flavour") {
			return d, a.Invalid("flavour", "Not for this generator", "Only generator = \"polars\" has flavours.")
		}
		seed, ok := WholeSeed(a)
		if !ok || seed > math.MaxUint32 {
			return d, a.Invalid("seed", "Invalid seed", "The seed is a whole number from 0 to 4294967295: the "+
				"generator takes 32 bits.")
		}
		d.Seed = uint32(seed)
		return d, nil
	}
	var err error
	d.Polars, err = readPolars(a)
	return d, err
}

func readPolars(a *stages.Args) (*selection.Polars, error) {
	if !a.Has("flavour") {
		return nil, a.Invalid("generator", "No flavour", "With generator = \"polars\" the attribute flavour says how its "+
			"version draws: rand-0.8 (polars up to 1.31) or rand-0.9 (from 1.32 on).")
	}
	p, err := selection.ParsePolars(a.String("flavour"), 0)
	if err != nil {
		return nil, a.Invalid("flavour", "Unknown flavour", err.Error()+".")
	}
	seed, ok := WholeSeed(a) // read last, because the plan may not know the seed yet
	if !ok {
		return nil, a.Invalid("seed", "Invalid seed", SeedRemedy)
	}
	p.Seed = seed
	return p, nil
}

// SeedRemedy tells the user which seeds polars accepts.
const SeedRemedy = "The seed is a whole number from 0 to 18446744073709551615: the generator takes 64 bits."

// WholeSeed returns the seed, and false if it is not a whole number that fits 64 bits.
func WholeSeed(a *stages.Args) (uint64, bool) {
	v := a.Value("seed")
	if v.IsNull() {
		return 0, false
	}
	seed, accuracy := v.AsBigFloat().Uint64()
	return seed, v.AsBigFloat().IsInt() && accuracy == big.Exact // for a fraction, accuracy alone can be Exact
}
