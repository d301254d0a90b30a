package term

// Op is the operation of a node.
type Op uint16

// Structure of terms.
const (
	Bad        Op = iota // ill-typed; A is the index of the error
	Const                // constant with index A
	Alias                // node A, which is a let variable, the body of a let, or the term of an annotation
	Param                // parameter A of the function whose Owner is B
	CaseVar              // match variable: field number B of Fields in the scrutinee, node A, or all of it if B < 0
	Call                 // function A applied to the operands
	Quantifier           // forall, or exists if B is 1, over the variables and the body of function A
	Lambda               // array that function A defines
	Not
	And
	Or
	Xor
	Implies
	Eq
	Distinct
	Ite
	Match     // operands are the scrutinee and the cases; A is the index in Cases
	Construct // constructor A
	Selector  // field B of constructor A
	Tester    // tests for constructor A
	Update    // replaces field B of constructor A

	// Arithmetic, for both Int and Real.
	Neg
	Add
	Sub
	Mul
	RealDiv
	IntDiv
	Mod
	Rem // z3's rem, whose sign follows the divisor
	Abs
	Le
	Lt
	Ge
	Gt
	ToReal
	ToInt
	IsInt
	Divisible // divisible by A
	Pow
	Pow2
	IntAnd // cvc5's (_ iand A)
	Log2

	Select
	Store
	ConstArray

	// Bit-vectors. The width is that of the operands.
	BvBin  // A is the bv.Op, B is the width
	BvPred // A is the bv.Pred, or -1-p for predicate p with swapped operands; B is the width
	BvNot
	BvNeg
	BvNego
	BvComp
	BvRedOr
	BvRedAnd
	BvConcat
	BvExtract // A and B are the highest and lowest bit
	BvZeroExtend
	BvSignExtend // by A bits
	BvRepeat     // repeats A times
	BvRotate     // rotates left by A
	BvToNat
	BvToInt
	IntToBv

	// Floating-point numbers. The sorts determine the formats.
	FpFp
	FpAbs
	FpNeg
	FpAdd
	FpSub
	FpMul
	FpDiv
	FpFma
	FpSqrt
	FpRem
	FpRoundToIntegral
	FpMin
	FpMax
	FpCompare // A is a comparison (see below)
	FpIs      // A is a class (see below)
	FpFromBits
	FpFromFp
	FpFromReal
	FpFromRealExp // form of z3 and older drafts: rounding mode, real, binary exponent
	FpFromSigned
	FpFromUnsigned
	FpToUbv
	FpToSbv
	FpToReal
	FpToBits

	// Sequences.
	SeqEmpty
	SeqUnit
	SeqNth
	SeqText // applies the string function A to sequences

	// Strings.
	StrConcat
	StrLen
	StrAt
	StrSubstr
	StrPrefix
	StrSuffix
	StrContains
	StrIndexOf
	StrIndexOfRe
	StrReplace
	StrReplaceAll
	StrReplaceRe
	StrReplaceReAll
	StrLt
	StrLe
	StrIsDigit
	StrToCode
	StrFromCode
	StrToInt
	StrFromInt
	StrReverse
	StrLower
	StrUpper
	StrUpdate
	InRe
	ReFromStr
	ReRange
	ReConcat
	ReUnion
	ReInter
	ReStar
	RePlus
	ReOpt
	ReComp
	ReDiff
	RePower // repeats A times
	ReLoop  // repeats A to B times; no upper bound if B < 0
	ReNone
	ReAll
	ReAllChar
)

// Comparisons for FpCompare.
const (
	FpLe int32 = iota
	FpLt
	FpGe
	FpGt
	FpEqual
)

// Classes for FpIs.
const (
	FpNormal int32 = iota
	FpSubnormal
	FpZero
	FpInfinite
	FpNaN
	FpNegative
	FpPositive
)
