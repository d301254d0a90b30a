package validate

import "github.com/smtpipe/smtpipe/internal/data/comp"

// Rules holds the rules of a year about the output of a run. The zero Rules reads only standard output, counts late
// answers, accepts a core unless it is refuted, and judges a model that is not full and well-formed as unknown. The
// fields have the names in the block "validation" in the rules of a year.
type Rules struct {
	// StderrIsOutput: there is no distinction between the output and the error channel. Source: SMT-COMP 2022 and 2026
	// rules, §5.1 "Output". Earlier rules take the answer from standard output.
	StderrIsOutput bool `hcl:"stderr_is_output,optional" cty:"stderr_is_output"`

	// DropLate: the answer of a process that did not end within its limits does not count. Source: 2008 rules, §3
	// "Timeouts"; 2015 rules, §7.1 (results count "only if the process terminates"). Since 2019 it counts (§7.1.2,
	// note). The incremental track keeps the answers before the limit in every year.
	DropLate bool `hcl:"drop_late,optional" cty:"drop_late"`

	// CoreNeedsUnsat: a core is validated only if strictly more validation solvers answer unsat than sat (2026 rules,
	// §5.4). Otherwise it is accepted unless strictly more answer sat than unsat (2019 rules, §5.5; 2022 rules, §5.4).
	CoreNeedsUnsat bool `hcl:"core_needs_unsat,optional" cty:"core_needs_unsat"`

	// IllFormedCoreIsWrong: a core that is not well formed is an erroneous result (2019 rules, §5.5). Later it is an
	// unknown one (2022 and 2026 rules, §7.1.4).
	IllFormedCoreIsWrong bool `hcl:"ill_formed_core_is_wrong,optional" cty:"ill_formed_core_is_wrong"`

	// PartialModelIsWrong: a malformed or partial model is INVALID (2019 rules, §5.6). Later it is UNKNOWN (2022 and
	// 2026 rules, §5.5).
	PartialModelIsWrong bool `hcl:"partial_model_is_wrong,optional" cty:"partial_model_is_wrong"`

	// ModelDefinesDeclared: a model defines only what the benchmark declares. The organisers' validator since 2023
	// treats other definitions as helpers.
	ModelDefinesDeclared bool `hcl:"model_defines_declared,optional" cty:"model_defines_declared"`
}

// lateCounts reports whether an answer of a run that was stopped at a limit counts in a track.
func (r Rules) lateCounts(track comp.Track) bool { return !r.DropLate || track == comp.Incremental }
