package choices

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/selection"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// SeedAttr and FlavourAttr are attributes of kinds that may draw as polars does, beside their own generator.
var (
	SeedAttr = stages.Attr{Name: "seed", Type: cty.Number, Required: true, Secret: true,
		Doc: "the competition's seed, 0 to 2^32-1; polars: to 2^64-1"}
	FlavourAttr = stages.Attr{Name: "flavour", Type: cty.String,
		Doc: "polars: rand-0.8, as polars up to 1.31, or rand-0.9, as from 1.32 on"}
)

// Draw says with which generator a stage draws.
type Draw struct {
	Generator string
	Seed      uint32
	Polars    *selection.Polars // for the generator polars, in place of Seed
}

// ReadDraw reads the attributes generator, flavour and seed. The generator is one of names.
func ReadDraw(a *stages.Args, names ...string) (Draw, error) {
	d := Draw{Generator: a.String("generator")}
	if !slices.Contains(names, d.Generator) {
		return d, a.Invalid("generator", "Unknown generator",
			fmt.Sprintf("%q is not one of %s.", d.Generator, strings.Join(names, ", ")))
	}
	if d.Generator != "polars" && a.Has("flavour") {
		return d, a.Invalid("flavour", "Not for this generator", "Only generator = \"polars\" has flavours.")
	}
	given := a.Value("seed").AsBigFloat()
	seed, accuracy := given.Uint64()
	whole := given.IsInt() && accuracy == big.Exact // of a fraction, too, the accuracy may be exact
	if d.Generator != "polars" {
		if !whole || seed > math.MaxUint32 {
			return d, a.Invalid("seed", "Invalid seed", "The seed is a whole number from 0 to 4294967295: the "+
				"generator takes 32 bits.")
		}
		d.Seed = uint32(seed)
		return d, nil
	}
	if !whole {
		return d, a.Invalid("seed", "Invalid seed", "The seed is a whole number from 0 to 18446744073709551615: the "+
			"generator takes 64 bits.")
	}
	if !a.Has("flavour") {
		return d, a.Invalid("generator", "No flavour", "With generator = \"polars\" the attribute flavour says how its "+
			"version draws: rand-0.8 (polars up to 1.31) or rand-0.9 (from 1.32 on).")
	}
	var err error
	if d.Polars, err = selection.ParsePolars(a.String("flavour"), seed); err != nil {
		return d, a.Invalid("flavour", "Unknown flavour", err.Error()+".")
	}
	return d, nil
}
