package validate

// rulesOf returns the rules as stated in the documents. Package rules tests that the years' folders agree.
func rulesOf(year int) Rules {
	return map[int]Rules{
		2008: {DropLate: true},
		2015: {DropLate: true},
		2019: {IllFormedCoreIsWrong: true, PartialModelIsWrong: true, ModelDefinesDeclared: true},
		2020: {IllFormedCoreIsWrong: true, ModelDefinesDeclared: true},
		2022: {StderrIsOutput: true, ModelDefinesDeclared: true},
		2026: {StderrIsOutput: true, CoreNeedsUnsat: true},
	}[year]
}
