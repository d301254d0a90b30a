package fp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var (
	single = Format{8, 24}
	double = Format{11, 53}
)

func fromBits64(b uint64) Float { return double.Unpack(new(big.Int).SetUint64(b)) }

func toBits64(x Float) uint64 { return double.Pack(x).Uint64() }

// interesting returns a random bit pattern, often one near the limits of the format.
func interesting(r *rand.Rand, eb, sb int) uint64 {
	frac := r.Uint64() & (1<<(sb-1) - 1)
	switch r.IntN(4) {
	case 0:
		frac = 0
	case 1:
		frac = 1<<(sb-1) - 1 - frac&3
	case 2:
		frac &= 7
	}
	exp := r.Uint64() & (1<<eb - 1)
	switch r.IntN(6) {
	case 0:
		exp = 0
	case 1:
		exp = 1<<eb - 1
	case 2:
		exp = 1<<(eb-1) - 4 + exp&7
	}
	return (r.Uint64()&1)<<(eb+sb-1) | exp<<(sb-1) | frac
}

// same64 compares bit patterns. All NaNs are equal.
func same64(got Float, want float64) bool {
	if math.IsNaN(want) {
		return got.Class == NaN
	}
	return got.Class != NaN && toBits64(got) == math.Float64bits(want)
}

func TestAgainstMachineDouble(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 30000 {
		a, b, c := interesting(r, 11, 53), interesting(r, 11, 53), interesting(r, 11, 53)
		x, y, z := math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c)
		fx, fy, fz := fromBits64(a), fromBits64(b), fromBits64(c)
		for _, row := range []struct {
			name string
			got  Float
			want float64
		}{
			{"add", double.Add(RNE, fx, fy), x + y},
			{"sub", double.Sub(RNE, fx, fy), x - y},
			{"mul", double.Mul(RNE, fx, fy), x * y},
			{"div", double.Div(RNE, fx, fy), x / y},
			{"sqrt", double.Sqrt(RNE, fx), math.Sqrt(x)},
			{"fma", double.FMA(RNE, fx, fy, fz), math.FMA(x, y, z)},
			{"rem", double.Rem(fx, fy), math.Remainder(x, y)},
			{"rne", double.RoundToIntegral(RNE, fx), math.RoundToEven(x)},
			{"rna", double.RoundToIntegral(RNA, fx), math.Round(x)},
			{"rtp", double.RoundToIntegral(RTP, fx), math.Ceil(x)},
			{"rtn", double.RoundToIntegral(RTN, fx), math.Floor(x)},
			{"rtz", double.RoundToIntegral(RTZ, fx), math.Trunc(x)},
			{"pack", fx, x},
		} {
			if !same64(row.got, row.want) {
				t.Fatalf("%s of %g, %g, %g: got %x, want %x", row.name, x, y, z, toBits64(row.got),
					math.Float64bits(row.want))
			}
		}
		c1, ok := Compare(fx, fy)
		if want := x < y; (ok && c1 < 0) != want {
			t.Fatalf("%g < %g: got %v", x, y, c1)
		}
		if want := x == y; (ok && c1 == 0) != want {
			t.Fatalf("%g == %g: got %v", x, y, c1)
		}
	}
}

func TestAgainstMachineSingle(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 30000 {
		a, b := uint32(interesting(r, 8, 24)), uint32(interesting(r, 8, 24))
		x, y := math.Float32frombits(a), math.Float32frombits(b)
		fx, fy := single.Unpack(big.NewInt(int64(a))), single.Unpack(big.NewInt(int64(b)))
		wide := interesting(r, 11, 53)
		for _, row := range []struct {
			name string
			got  Float
			want float32
		}{
			{"add", single.Add(RNE, fx, fy), x + y},
			{"mul", single.Mul(RNE, fx, fy), x * y},
			{"div", single.Div(RNE, fx, fy), x / y},
			{"sqrt", single.Sqrt(RNE, fx), float32(math.Sqrt(float64(x)))},
			{"narrow", single.Convert(RNE, fromBits64(wide)), float32(math.Float64frombits(wide))},
		} {
			isNaN := row.want != row.want
			if isNaN != (row.got.Class == NaN) ||
				(!isNaN && uint32(single.Pack(row.got).Uint64()) != math.Float32bits(row.want)) {
				t.Fatalf("%s of %g, %g (%x): got %x, want %x", row.name, x, y, wide, single.Pack(row.got),
					math.Float32bits(row.want))
			}
		}
	}
}

// TestRoundingBySearch compares every operation in a tiny format, for every mode and all arguments, with the definition
// of rounding. It compares the exact rational result with all numbers of the format.
func TestRoundingBySearch(t *testing.T) {
	f := Format{3, 3}
	all := allOf(f)
	var values []*big.Rat // all numbers of the format
	for _, x := range all {
		if r, ok, _ := x.Rat(); ok {
			values = append(values, r)
		}
	}
	for m := RNE; m <= RTZ; m++ {
		for _, x := range all {
			for _, y := range all {
				if x.Class != Finite || y.Class != Finite {
					continue
				}
				rx, _, _ := x.Rat()
				ry, _, _ := y.Rat()
				checkRounded(t, f, values, m, "add", f.Add(m, x, y), new(big.Rat).Add(rx, ry))
				checkRounded(t, f, values, m, "mul", f.Mul(m, x, y), new(big.Rat).Mul(rx, ry))
				checkRounded(t, f, values, m, "div", f.Div(m, x, y), new(big.Rat).Quo(rx, ry))
				sum := new(big.Rat).Add(new(big.Rat).Mul(rx, ry), ry)
				checkRounded(t, f, values, m, "fma", f.FMA(m, x, y, y), sum)
				checkRounded(t, f, values, m, "fromRat", f.FromRat(m, new(big.Rat).Quo(rx, ry)),
					new(big.Rat).Quo(rx, ry))
			}
		}
	}
}

func allOf(f Format) []Float {
	var all []Float
	for b := range int64(1) << f.Width() {
		all = append(all, f.Unpack(big.NewInt(b)))
	}
	return all
}

// checkRounded determines the required result of rounding r by search.
func checkRounded(t *testing.T, f Format, values []*big.Rat, m Mode, op string, got Float, r *big.Rat) {
	t.Helper()
	if r.Sign() == 0 {
		if got.Class != Zero {
			t.Fatalf("%v %s: got %+v, want zero", m, op, got)
		}
		return
	}
	var below, above *big.Rat // nearest representable neighbours; nil if beyond the largest number
	for _, v := range values {
		if v.Cmp(r) <= 0 && (below == nil || v.Cmp(below) > 0) {
			below = v
		}
		if v.Cmp(r) >= 0 && (above == nil || v.Cmp(above) < 0) {
			above = v
		}
	}
	want, inf := searchResult(f, m, r, below, above)
	if inf != 0 {
		if got.Class != Inf || got.Neg != (inf < 0) {
			t.Fatalf("%v %s of %v: got %+v, want infinity %d", m, op, r, got, inf)
		}
		return
	}
	v, ok, _ := got.Rat()
	if !ok || v.Cmp(want) != 0 || got.Neg != (r.Sign() < 0) {
		t.Fatalf("%v %s of %v: got %+v, want %v", m, op, r, got, want)
	}
}

// searchResult picks one of the neighbours. Beyond the largest number, the neighbour is 2^(emax+1), which represents
// infinity.
func searchResult(f Format, m Mode, r, below, above *big.Rat) (want *big.Rat, inf int) {
	limit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(f.emax()+1)))
	up, down := above, below
	if up == nil {
		up = limit
	}
	if down == nil {
		down = new(big.Rat).Neg(limit)
	}
	v := down
	switch m {
	case RTP:
		v = up
	case RTN:
	case RTZ:
		if r.Sign() < 0 {
			v = up
		}
	default:
		dUp, dDown := new(big.Rat).Sub(up, r), new(big.Rat).Sub(r, down)
		c := dUp.Cmp(dDown)
		if c < 0 || (c == 0 && tieUp(f, m, r, up)) {
			v = up
		}
	}
	if v.Cmp(limit) >= 0 {
		return nil, 1
	}
	if v.Cmp(new(big.Rat).Neg(limit)) <= 0 {
		return nil, -1
	}
	return v, 0
}

// tieUp decides a tie: away from zero, or towards the neighbour whose last bit is 0.
func tieUp(f Format, m Mode, r, up *big.Rat) bool {
	if m == RNA {
		return r.Sign() > 0
	}
	limit := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(f.emax()+1)))
	if up.Cmp(limit) == 0 {
		return true // the largest number has an odd last bit
	}
	for b := range int64(1) << f.Width() {
		x := f.Unpack(big.NewInt(b))
		if v, ok, _ := x.Rat(); ok && v.Cmp(up) == 0 {
			return b&1 == 0
		}
	}
	panic("not a number of the format")
}

func TestPackUnpack(t *testing.T) {
	for _, f := range []Format{{2, 2}, {3, 4}, {2, 7}, {5, 3}} {
		for b := range int64(1) << f.Width() {
			x := f.Unpack(big.NewInt(b))
			got := f.Pack(x).Int64()
			if x.Class == NaN {
				continue
			}
			if got != b {
				t.Fatalf("%v: pack(unpack(%b)) = %b", f, b, got)
			}
		}
	}
}

func TestMinMaxFree(t *testing.T) {
	pz, nz := Float{Class: Zero}, Float{Class: Zero, Neg: true}
	for _, row := range []struct {
		name string
		x, y Float
		free bool
	}{
		{"different zeros", pz, nz, true},
		{"equal zeros", nz, nz, false},
		{"NaN", Float{}, nz, false},
	} {
		if _, free := Min(row.x, row.y); free != row.free {
			t.Errorf("%s: min free = %v", row.name, free)
		}
		if _, free := Max(row.x, row.y); free != row.free {
			t.Errorf("%s: max free = %v", row.name, free)
		}
	}
	if m, _ := Max(single.FromInt(RNE, big.NewInt(3)), single.FromInt(RNE, big.NewInt(-5))); m.Neg {
		t.Error("max(3, -5) is negative")
	}
}

// TestToIntegers uses values computed by hand near the ends of the ranges.
func TestToIntegers(t *testing.T) {
	for _, row := range []struct {
		name       string
		x          float64
		m          Mode
		w          int
		unsigned   int64
		unsignedOK bool
		signed     int64
		signedOK   bool
	}{
		{"7.5 to even is 8", 7.5, RNE, 4, 8, true, 8, false},
		{"7.5 down is 7", 7.5, RTN, 4, 7, true, 7, true},
		{"-8.5 to even is -8", -8.5, RNE, 4, 0, false, -8, true},
		{"-8.5 away is -9", -8.5, RNA, 4, 0, false, -9, false},
		{"-0.25 up is 0", -0.25, RTP, 4, 0, true, 0, true},
		{"15.5 to zero is 15", 15.5, RTZ, 4, 15, true, 15, false},
		{"15.5 to even is 16", 15.5, RNE, 4, 16, false, 16, false},
	} {
		x := fromBits64(math.Float64bits(row.x))
		if n, ok := ToUnsigned(row.m, x, row.w); ok != row.unsignedOK || (ok && n.Int64() != row.unsigned) {
			t.Errorf("%s: unsigned %v %v", row.name, n, ok)
		}
		if n, ok := ToSigned(row.m, x, row.w); ok != row.signedOK || (ok && n.Int64() != row.signed) {
			t.Errorf("%s: signed %v %v", row.name, n, ok)
		}
	}
	for _, x := range []Float{{}, {Class: Inf}} {
		if _, ok := ToSigned(RNE, x, 8); ok {
			t.Errorf("%+v has a signed value", x)
		}
	}
}

// TestHugeExponents checks that huge exponents do not cause an allocation of 2^60 bits.
func TestHugeExponents(t *testing.T) {
	f := Format{60, 10}
	big1 := Float{Class: Finite, Exp: f.emax() - 9, Sig: big.NewInt(513)}
	small := Float{Class: Finite, Exp: f.emin() - 9, Sig: big.NewInt(1)}
	if got := f.Add(RNE, big1, small); f.Pack(got).Cmp(f.Pack(big1)) != 0 {
		t.Errorf("big + tiny = %+v", got)
	}
	if got := f.Add(RTP, big1, small); got.Sig.Cmp(big1.Sig) == 0 {
		t.Errorf("big + tiny upwards did not move: %+v", got)
	}
	if got := f.Rem(big1, small); got.Class != Zero {
		t.Errorf("rem = %+v, want zero", got)
	}
	if _, _, err := big1.Rat(); err == nil {
		t.Error("a number of 2^60 bits was written out")
	}
}

func BenchmarkAddDouble(b *testing.B) {
	x, y := fromBits64(math.Float64bits(math.Pi)), fromBits64(math.Float64bits(math.E*1e-5))
	b.ReportAllocs()
	for b.Loop() {
		double.Add(RNE, x, y)
	}
}
