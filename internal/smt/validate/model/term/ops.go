package term

// Op is the operation of a node.
type Op uint16

// Structure.
const (
	Bad        Op = iota // ill-typed; A is the index of the error
	Const                // A is the index of the constant
	Alias                // the node A: a let variable, the body of a let, the term of an annotation
	Param                // parameter A of the function with Owner B
	CaseVar              // variable of a match case: field B of the scrutinee, node A; the scrutinee itself if B < 0
	Call                 // function A applied to the operands
	Quantifier           // of the variables and the body of function A: forall, or exists if B is 1
	Lambda               // the array that function A defines
	Not
	And
	Or
	Xor
	Implies
	Eq
	Distinct
	Ite
	Match     // operands: scrutinee, then cases; A is the index of the table of Cases
	Construct // constructor A
	Selector  // field B of constructor A
	Tester    // is it constructor A
	Update    // field B of constructor A replaced

	// Arithmetic, on Int and Real alike.
	Neg
	Add
	Sub
	Mul
	RealDiv
	IntDiv
	Mod
	Rem // z3's rem: the sign follows the divisor
	Abs
	Le
	Lt
	Ge
	Gt
	ToReal
	ToInt
	IsInt
	Divisible // by A
	Pow
	Pow2
	IntAnd // (_ iand A) of cvc5
	Log2

	Select
	Store
	ConstArray

	// Bit-vectors. The width is the operands' width.
	BvBin  // A is the bv.Op, B the width
	BvPred // A is the bv.Pred, negative (-1-p) if the operands are to be swapped; B the width
	BvNot
	BvNeg
	BvNego
	BvComp
	BvRedOr
	BvRedAnd
	BvConcat
	BvExtract // A, B are the highest and lowest bit
	BvZeroExtend
	BvSignExtend // by A
	BvRepeat     // A times
	BvRotate     // left by A
	BvToNat
	BvToInt
	IntToBv

	// Floating point. Formats follow from the sorts.
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
	FpCompare // A is one of the comparisons below
	FpIs      // A is one of the classes below
	FpFromBits
	FpFromFp
	FpFromReal
	FpFromRealExp // z3 and older drafts: rounding mode, real, binary exponent
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
	SeqText // the function A of strings, on sequences

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
	RePower // A times
	ReLoop  // A to B times; B < 0: no upper bound
	ReNone
	ReAll
	ReAllChar
)

// Comparisons of FpCompare.
const (
	FpLe int32 = iota
	FpLt
	FpGe
	FpGt
	FpEqual
)

// Classes of FpIs.
const (
	FpNormal int32 = iota
	FpSubnormal
	FpZero
	FpInfinite
	FpNaN
	FpNegative
	FpPositive
)
