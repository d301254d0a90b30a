package validate

import "github.com/smtpipe/smtpipe/internal/data/comp"

// Rules contains a year's rules about the output of a run. The zero Rules reads only standard output, counts late
// answers, accepts a core unless it is refuted, and judges a model as unknown unless it is full and well formed. Fields
// are named as in the "validation" block of a year's rules.
type Rules struct {
	// StderrIsOutput means that standard error counts as output too. Source: SMT-COMP 2022 and 2026 rules, §5.1
	// "Output". Earlier rules take the answer from standard output.
	StderrIsOutput bool `hcl:"stderr_is_output,optional" cty:"stderr_is_output"`

	// DropLate drops the answer of a run that exceeded its limits. Source: 2008 rules, §3 "Timeouts"; 2015 rules, §7.1
	// (results count "only if the process terminates"). Since 2019 such answers count (§7.1.2, note). The incremental
	// track keeps the answers before the limit in every year.
	DropLate bool `hcl:"drop_late,optional" cty:"drop_late"`

	// CoreNeedsUnsat means that a core is validated only if strictly more validation solvers answer unsat than sat
	// (2026 rules, §5.4). Otherwise it is accepted unless strictly more answer sat than unsat (2019 rules, §5.5; 2022
	// rules, §5.4).
	CoreNeedsUnsat bool `hcl:"core_needs_unsat,optional" cty:"core_needs_unsat"`

	// IllFormedCoreIsWrong makes an ill-formed core an erroneous result (2019 rules, §5.5). In later rules it is
	// unknown (2022 and 2026 rules, §7.1.4).
	IllFormedCoreIsWrong bool `hcl:"ill_formed_core_is_wrong,optional" cty:"ill_formed_core_is_wrong"`

	// PartialModelIsWrong makes a malformed or partial model INVALID (2019 rules, §5.6). In later rules it is UNKNOWN
	// (2022 and 2026 rules, §5.5).
	PartialModelIsWrong bool `hcl:"partial_model_is_wrong,optional" cty:"partial_model_is_wrong"`

	// ModelDefinesDeclared requires a model to define only symbols that the benchmark declares. The organisers'
	// validator since 2023 treats other definitions as helpers.
	ModelDefinesDeclared bool `hcl:"model_defines_declared,optional" cty:"model_defines_declared"`
}

// lateCounts reports whether a track counts the answer of a run that exceeded its limits.
func (r Rules) lateCounts(track comp.Track) bool { return !r.DropLate || track == comp.Incremental }
