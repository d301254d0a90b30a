package validate

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// KV is a key=value line of a post-processor.
type KV struct{ Key, Value string }

// String returns the line without its line feed.
func (kv KV) String() string { return kv.Key + "=" + kv.Value }

// PostInput holds the input that some tracks' post-processors need in addition to the output.
type PostInput struct {
	// Script is the benchmark as passed to the solver (unsat-core track).
	Script []byte

	// Version is printed as ucpp-version (unsat-core track).
	Version string

	// CheckModel runs a model checker on the cleaned response (model-validation track). If it is nil, there is no
	// checker, and every model is UNKNOWN.
	CheckModel func(response []byte) ModelCheck

	// ValidateCore asks the validation solvers about a reduced script (unsat-core track). If it is nil, there are none.
	ValidateCore func(reduced []byte) []Vote
}

// ModelCheck is the result of executing a model checker.
type ModelCheck struct {
	Verdict ModelVerdict
	Exit    int    // exit code, which is printed
	Error   string // first output line that begins with "E:" or "F:", or empty
}

// Vote is a validation solver's answer on a core.
type Vote struct {
	Solver  string
	Answer  comp.Answer // AnswerNone counts as unknown
	Seconds int         // wall time in whole seconds
}

// Postprocess prints the interpretation of an output like a track's official post-processor, with the same keys and
// values in the same order. The lines of stdout may contain StarExec's time stamps. Where rules and programs differ, it
// follows the programs; Answer, ParseCore and the Judge functions follow the rules.
func Postprocess(track comp.Track, stdout []byte, in PostInput) []KV {
	switch track {
	case comp.Incremental:
		return postIncremental(stdout)
	case comp.ModelValidation:
		return postModel(stdout, in)
	case comp.UnsatCore:
		return postCore(stdout, in)
	case comp.ProofExhibition:
		return postProof(stdout)
	}
	return []KV{{"starexec-result", starexecResult(Answer(track, Unstamp(stdout), nil, Run{}).Answer)}}
}

func starexecResult(a comp.Answer) string {
	if a.Decides() {
		return string(a)
	}
	return "starexec-unknown"
}

func postIncremental(stdout []byte) []KV {
	t := ParseTrace(stdout)
	kvs := []KV{{"wrong-answers", digit(t.Wrong)}, {"correct-answers", strconv.Itoa(t.Correct)}}
	if t.Answered {
		kvs = append(kvs, KV{"solver-cpu-time", t.CPU}, KV{"solver-wall-time", t.Wall})
	}
	return kvs
}

func postModel(stdout []byte, in PostInput) []KV {
	check := ModelCheck{Verdict: ModelUnknown, Exit: 1}
	if in.CheckModel != nil {
		check = in.CheckModel(ModelResponse(Unstamp(stdout)))
	}
	result := comp.AnswerUnknown
	switch check.Verdict {
	case ModelValid:
		result = comp.AnswerSat
	case ModelInvalid:
		result = comp.AnswerUnsat
	}
	kvs := []KV{
		{"starexec-result", string(result)},
		{"model_validator_status", string(check.Verdict)},
		{"dolmenexit", strconv.Itoa(check.Exit)},
	}
	if check.Error != "" {
		kvs = append(kvs, KV{"model_validator_error", check.Error})
	}
	return kvs
}

func postProof(stdout []byte) []KV {
	p := ParseProof(stdout)
	kvs := []KV{{"starexec-result", starexecResult(p.Verdict.Answer())}}
	if p.Verdict != ProofSat {
		kvs = append(kvs, KV{"reason", string(p.Verdict)})
	}
	if p.SolverCPU != "" {
		kvs = append(kvs, KV{"solver_cpu_time", p.SolverCPU}, KV{"solver_wall_time", p.SolverWall})
	}
	if p.CheckerCPU != "" {
		kvs = append(kvs, KV{"checker_cpu_time", p.CheckerCPU}, KV{"checker_wall_time", p.CheckerWall})
	}
	return append(kvs, p.Pairs...)
}

func postCore(stdout []byte, in PostInput) []KV {
	clean := coreLines(stdout)
	first, rest, _ := bytes.Cut(clean, []byte("\n"))
	answer := comp.ReadAnswer(trim(first))
	erroneous := answer == comp.AnswerSat
	n := countAssertLines(in.Script)
	kvs := []KV{
		{"ucpp-version", in.Version},
		{"check-sat-result-is-erroneous", digit(erroneous)},
		{"starexec-result", starexecResult(answer)},
		{"number-of-assert-commands", strconv.Itoa(n)},
	}
	reduction := 0
	if answer == comp.AnswerUnsat {
		names, ok := looseCore(clean)
		if second, _, _ := bytes.Cut(rest, []byte("\n")); refused(trim(second)) {
			ok = false
		}
		kvs = append(kvs, KV{"parsable-unsat-core", strconv.FormatBool(ok)})
		if ok {
			var votes []KV
			votes, erroneous = votesOn(names, in)
			kvs = append(append(kvs, KV{"size-unsat-core", strconv.Itoa(len(names))}), votes...)
			if !erroneous {
				reduction = n - len(names)
			}
		}
	}
	return append(kvs, KV{"result-is-erroneous", digit(erroneous)}, KV{"reduction", strconv.Itoa(reduction)})
}

// coreLines drops lines that contain success, and removes stamps.
func coreLines(stdout []byte) []byte {
	clean := make([]byte, 0, len(stdout))
	for line := range lines(stdout) {
		if bytes.Contains(line, []byte("success")) {
			continue
		}
		line, _, _ = unstamp(line)
		clean = append(append(clean, line...), '\n')
	}
	return clean
}

// countAssertLines counts the script lines that contain assert.
func countAssertLines(script []byte) (n int) {
	for line := range lines(script) {
		if bytes.Contains(line, []byte("assert")) {
			n++
		}
	}
	return n
}

// refused reports whether the line is the response of a solver without a core: unsupported or (error "..."), ignoring
// white space.
func refused(line []byte) bool {
	if string(line) == "unsupported" {
		return true
	}
	inner, found := bytes.CutPrefix(line, []byte("("))
	if !found {
		return false
	}
	if inner, found = bytes.CutPrefix(trimLeft(inner), []byte("error")); !found {
		return false
	}
	if inner, found = bytes.CutSuffix(inner, []byte(")")); !found {
		return false
	}
	inner = trim(inner)
	if len(inner) < 2 || inner[0] != '"' || inner[len(inner)-1] != '"' {
		return false
	}
	text := bytes.ReplaceAll(inner[1:len(inner)-1], []byte(`""`), nil)
	return !bytes.ContainsRune(text, '"')
}

// FirstLineAnswer returns a validation solver's answer, which is its first line without surrounding white space.
func FirstLineAnswer(out []byte) comp.Answer {
	first, _, _ := bytes.Cut(out, []byte("\n"))
	return comp.ReadAnswer(trim(first))
}

// looseCore reads a core as the scrambler reads a core file: unsat, white space, a parenthesis, and names up to the end
// or up to a word that ends in a closing parenthesis. It returns the distinct names in byte order.
func looseCore(text []byte) (names []string, ok bool) {
	body := trimLeft(text)
	body, ok = bytes.CutPrefix(body, []byte(comp.AnswerUnsat))
	if !ok || len(body) == 0 || !isSpace(rune(body[0])) {
		return nil, false
	}
	body, ok = bytes.CutPrefix(trimLeft(body), []byte("("))
	if !ok {
		return nil, false
	}
	for _, word := range bytes.FieldsFunc(body, isSpace) {
		name, last := bytes.CutSuffix(word, []byte(")"))
		if len(name) > 0 {
			names = append(names, string(name))
		}
		if last {
			break
		}
	}
	slices.Sort(names)
	return slices.Compact(names), true
}

// votesOn asks the validation solvers. Names that the script does not contain are not an error here.
func votesOn(names []string, in PostInput) (kvs []KV, refuted bool) {
	var votes []Vote
	if in.ValidateCore != nil {
		if reduced, err := reduceTo(in.Script, names); err == nil {
			votes = in.ValidateCore(reduced)
		}
	}
	kvs = append(kvs, KV{"validation-solvers", strconv.Itoa(len(votes))})
	var sat, unsat int
	for _, v := range votes {
		word := comp.AnswerUnknown
		switch v.Answer {
		case comp.AnswerSat:
			word, sat = v.Answer, sat+1
		case comp.AnswerUnsat:
			word, unsat = v.Answer, unsat+1
		}
		kvs = append(kvs,
			KV{"validation-check-sat-result_" + v.Solver, string(word)},
			KV{"validation-check-sat-time_" + v.Solver, strconv.Itoa(v.Seconds)})
	}
	refuted = sat > unsat
	return append(kvs,
		KV{"unsat-core-rejections", strconv.Itoa(sat)},
		KV{"unsat-core-confirmations", strconv.Itoa(unsat)},
		KV{"unsat-core-validated", strconv.FormatBool(!refuted)}), refuted
}

// reduceTo reduces a script to the given names that it contains.
func reduceTo(script []byte, names []string) ([]byte, error) {
	known, err := ScriptNames(script)
	if err != nil {
		return nil, err
	}
	wanted := make(map[string]bool, len(names))
	for _, name := range names {
		wanted[bare(name)] = true
	}
	var core Core
	for _, name := range known.List {
		if wanted[name] {
			core.Names = append(core.Names, name)
		}
	}
	return ReduceCore(script, core)
}

func digit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
