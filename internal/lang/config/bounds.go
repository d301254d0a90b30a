package config

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/base/budget"
)

// stepsOfExpr is the number of steps that an expression costs in addition to those of its value.
const stepsOfExpr = 20

// bounds limits one evaluation: loading a pipeline, or each later query of a stage or of the outputs.
var bounds = budget.Bounds{Steps: 10_000_000, Bytes: 1 << 30, Of: "the evaluation",
	Advice: "Shorten the lists that loops go over, call functions with smaller values, or give a value that is used " +
		"often a name in \"locals\". Large data belongs in tables, which stages read."}

var tooLargeText = fmt.Sprintf("A value can have at most %d MiB of text and %d parts; this one has more. Large data "+
	"belongs in files and tables, which stages read.", budget.MaxValueBytes>>20, budget.MaxValueParts)
