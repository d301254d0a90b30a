package scramble

// generator is the official scrambler's random number generator. It is a linear congruential generator whose state
// lacks bit 49, so it differs from the 48-bit generator whose constants it uses.
type generator struct{ state uint64 }

// below draws a number from 0 to bound-1. bound must be at least 1.
func (g *generator) below(bound uint64) uint64 {
	g.state = (g.state*25214903917 + 11) &^ (1 << 49)
	return (g.state >> 16) % bound
}

// bit draws 0 or 1.
func (g *generator) bit() uint64 {
	g.state = (g.state*25214903917 + 11) &^ (1 << 49)
	return g.state >> 16 & 1
}

// coin draws false or true.
func (g *generator) coin() bool { return g.bit() == 1 }

// shuffle permutes s. It draws len(s)-1 numbers, from the last position to the second.
func shuffle[T any](g *generator, s []T) {
	for i := len(s) - 1; i > 1; i-- {
		j := g.below(uint64(i) + 1)
		s[i], s[j] = s[j], s[i]
	}
	if len(s) > 1 { // avoids a division for lists of two elements, the most common ones
		j := g.bit()
		s[1], s[j] = s[j], s[1]
	}
}
