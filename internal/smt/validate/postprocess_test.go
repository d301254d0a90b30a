package validate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// text joins pairs into lines, like the official programs.
func text(kvs []KV) string {
	var b strings.Builder
	for _, kv := range kvs {
		b.WriteString(kv.String() + "\n")
	}
	return b.String()
}

func TestPostprocessSingleQuery(t *testing.T) {
	tests := []struct{ name, stdout, want string }{
		{"sat", "0.01/0.01\tsuccess\n1.25/1.30\tsat\n1.26/1.31\tEOF\n", "starexec-result=sat\n"},
		{"unsat unstamped", "unsat\n", "starexec-result=unsat\n"},
		{"unknown", "unknown\n", "starexec-result=starexec-unknown\n"},
		{"nothing", "", "starexec-result=starexec-unknown\n"},
		{"error first", "(error \"x\")\nsat\n", "starexec-result=starexec-unknown\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, track := range []comp.Track{comp.SingleQuery, comp.Parallel, comp.Cloud, comp.IndustryChallenge} {
				if got := text(Postprocess(track, []byte(tt.stdout), PostInput{})); got != tt.want {
					t.Errorf("%v: %q, want %q", track, got, tt.want)
				}
			}
		})
	}
}

func TestPostprocessIncremental(t *testing.T) {
	tests := []struct{ name, stdout, want string }{
		{"nothing", "", "wrong-answers=0\ncorrect-answers=0\n"},
		{"three of four", "0.10/0.11\tsat\n0.20/0.21\tunknown\n0.30/0.32\tunsat\n1.50/1.60\tsat\n1.70/1.80\tEOF\n",
			"wrong-answers=0\ncorrect-answers=3\nsolver-cpu-time=1.50\nsolver-wall-time=1.60\n"},
		{"unknown last", "0.10/0.11\tsat\n9.00/9.00\tunknown\n",
			"wrong-answers=0\ncorrect-answers=1\nsolver-cpu-time=0.10\nsolver-wall-time=0.11\n"},
		{"bad response after", "0.10/0.11\tunsat\n0.20/0.20\tBAD response: unexpected EOF\n",
			"wrong-answers=0\ncorrect-answers=1\nsolver-cpu-time=0.10\nsolver-wall-time=0.11\n"},
		{"wrong, expected unsat", "0.10/0.11\tsat\n0.40/0.50\tWRONG solver response: got sat, expected unsat\n",
			"wrong-answers=1\ncorrect-answers=0\nsolver-cpu-time=0.40\nsolver-wall-time=0.50\n"},
		{"trailing blank", "0.10/0.11\tsat \n", "wrong-answers=0\ncorrect-answers=0\n"},
		{"carriage return", "0.10/0.11\tsat\r\n", "wrong-answers=0\ncorrect-answers=0\n"},
		{"longer word takes the stamp", "0.10/0.11\tsat\n0.20/0.22\tpresat\n",
			"wrong-answers=0\ncorrect-answers=1\nsolver-cpu-time=0.20\nsolver-wall-time=0.22\n"},
		{"underscore joins words", "0.10/0.11\ta_sat\n",
			"wrong-answers=0\ncorrect-answers=0\nsolver-cpu-time=0.10\nsolver-wall-time=0.11\n"},
		{"without stamps", "sat\nunsat\n",
			"wrong-answers=0\ncorrect-answers=2\nsolver-cpu-time=unsat\nsolver-wall-time=unsat\n"},
		{"not the message", "XWRONG solver response: gotten sat\n",
			"wrong-answers=0\ncorrect-answers=1\nsolver-cpu-time=XWRONG solver response: gotten " +
				"sat\nsolver-wall-time=XWRONG solver response: gotten sat\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, text(Postprocess(comp.Incremental, []byte(tt.stdout),
				PostInput{}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPostprocessModel(t *testing.T) {
	tests := []struct {
		name  string
		check *ModelCheck
		want  string
	}{
		{"valid", &ModelCheck{Exit: 0, Verdict: ModelValid},
			"starexec-result=sat\nmodel_validator_status=VALID\ndolmenexit=0\n"},
		{"limit", &ModelCheck{Exit: 2, Verdict: ModelLimit},
			"starexec-result=unknown\nmodel_validator_status=LIMITREACHED\ndolmenexit=2\n"},
		{"invalid", &ModelCheck{Exit: 5, Verdict: ModelInvalid, Error: "E:bad-model"},
			"starexec-result=unsat\nmodel_validator_status=INVALID\ndolmenexit=5\nmodel_validator_error=E:bad-model\n"},
		{"other", &ModelCheck{Exit: 125, Verdict: ModelUnknown, Error: "F:x"},
			"starexec-result=unknown\nmodel_validator_status=UNKNOWN\ndolmenexit=125\nmodel_validator_error=F:x\n"},
		{"no checker", nil, "starexec-result=unknown\nmodel_validator_status=UNKNOWN\ndolmenexit=1\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in PostInput
			if tt.check != nil {
				in.CheckModel = func(response []byte) ModelCheck {
					if string(response) != "sat\n(model)\nsuccess \n" {
						t.Errorf("the checker got %q", response)
					}
					return *tt.check
				}
			}
			got := text(Postprocess(comp.ModelValidation,
				[]byte("0.1/0.1\tsuccess\n0.1/0.1\tsat\n0.1/0.1\t(model)\nsuccess \n"), in))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPostprocessCore(t *testing.T) {
	const script = "(set-logic QF_UF)\n(assert (! a :named smtcomp1))\n(assert (! b :named smtcomp2))\n(assert (! c " +
		":named smtcomp3))\n; to assert is human\n(check-sat)\n(get-unsat-core)\n"
	const tail = "number-of-assert-commands=4\n" // counts lines that contain assert, including a comment
	tests := []struct {
		name, stdout string
		votes        []Vote
		want         string
	}{
		{"sat", "sat\n", nil, "check-sat-result-is-erroneous=1\nstarexec-result=sat\n" + tail +
			"result-is-erroneous=1\nreduction=0\n"},
		{"unknown", "unknown\n(error \"none\")\n", nil,
			"check-sat-result-is-erroneous=0\nstarexec-result=starexec-unknown\n" + tail +
				"result-is-erroneous=0\nreduction=0\n"},
		{"nothing", "", nil, "check-sat-result-is-erroneous=0\nstarexec-result=starexec-unknown\n" + tail +
			"result-is-erroneous=0\nreduction=0\n"},
		{"unsupported", "unsat\n unsupported \n", nil, "check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" +
			tail + "parsable-unsat-core=false\nresult-is-erroneous=0\nreduction=0\n"},
		{"error with blanks", "unsat\n\t( error\t\"x )\" ) \n", nil,
			"check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
				"parsable-unsat-core=false\nresult-is-erroneous=0\nreduction=0\n"},
		{"no string in the error", "unsat\n(error x)\n", nil,
			"check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
				"parsable-unsat-core=true\nsize-unsat-core=2\nvalidation-solvers=0\nunsat-core-rejections=0\nunsat-core-confirmations=0\nunsat-core-validated=true\nresult-is-erroneous=0\nreduction=2\n"},
		{"empty core", "unsat\n()\n", nil, "check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
			"parsable-unsat-core=true\nsize-unsat-core=0\nvalidation-solvers=0\nunsat-core-rejections=0\nunsat-core-confirmations=0\nunsat-core-validated=true\nresult-is-erroneous=0\nreduction=4\n"},
		{"error", "unsat\n(error \"a \"\"core\"\"\")\n", nil,
			"check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
				"parsable-unsat-core=false\nresult-is-erroneous=0\nreduction=0\n"},
		{"no core", "unsat\n", nil, "check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
			"parsable-unsat-core=false\nresult-is-erroneous=0\nreduction=0\n"},
		{"no validation solvers",
			"0.1/0.1\tsuccess\n0.2/0.2\tunsat\n0.2/0.2\t(smtcomp1\n0.2/0.2\tsmtcomp3)\n0.2/0.3\tEOF\n", nil,
			"check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
				"parsable-unsat-core=true\nsize-unsat-core=2\nvalidation-solvers=0\nunsat-core-rejections=0\nunsat-core-confirmations=0\nunsat-core-validated=true\nresult-is-erroneous=0\nreduction=2\n"},
		{"tie", "unsat\n(smtcomp1 smtcomp3 )", []Vote{{"z3", comp.AnswerSat, 3}, {"cvc5", comp.AnswerUnsat, 0},
			{"slow", comp.AnswerNone, 120}},
			"check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
				"parsable-unsat-core=true\nsize-unsat-core=2\nvalidation-solvers=3\n" +
				"validation-check-sat-result_z3=sat\nvalidation-check-sat-time_z3=3\nvalidation-check-sat-result_cvc5=unsat\nvalidation-check-sat-time_cvc5=0\nvalidation-check-sat-result_slow=unknown\nvalidation-check-sat-time_slow=120\n" +
				"unsat-core-rejections=1\nunsat-core-confirmations=1\nunsat-core-validated=true\nresult-is-erroneous=0\nreduction=2\n"},
		{"refuted", "unsat\n(smtcomp1)", []Vote{{"z3", comp.AnswerSat, 1}},
			"check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
				"parsable-unsat-core=true\nsize-unsat-core=1\nvalidation-solvers=1\nvalidation-check-sat-result_z3=sat\nvalidation-check-sat-time_z3=1\nunsat-core-rejections=1\nunsat-core-confirmations=0\nunsat-core-validated=false\nresult-is-erroneous=1\nreduction=0\n"},
		{"names twice and unknown ones", "unsat\n(nobody nobody smtcomp1 ) more\n", nil,
			"check-sat-result-is-erroneous=0\nstarexec-result=unsat\n" + tail +
				"parsable-unsat-core=true\nsize-unsat-core=2\nvalidation-solvers=0\nunsat-core-rejections=0\nunsat-core-confirmations=0\nunsat-core-validated=true\nresult-is-erroneous=0\nreduction=2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := PostInput{Script: []byte(script), Version: "7"}
			if tt.votes != nil {
				in.ValidateCore = func(reduced []byte) []Vote {
					if want := map[bool]string{true: "(assert a)\n(assert c)\n",
						false: "(assert a)\n"}[strings.Contains(tt.stdout, "smtcomp3")]; !strings.Contains(
						string(reduced), want+"; to assert") {
						t.Errorf("the validation solvers got %q", reduced)
					}
					return tt.votes
				}
			}
			if diff := cmp.Diff("ucpp-version=7\n"+tt.want, text(Postprocess(comp.UnsatCore, []byte(tt.stdout),
				in))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestFirstLineAnswer checks that only a validation solver's first line counts. In official runs, solvers print no
// success lines.
func TestFirstLineAnswer(t *testing.T) {
	for out, want := range map[string]comp.Answer{
		"unsat\n": comp.AnswerUnsat, " sat \r\nunsat\n": comp.AnswerSat, "unknown": comp.AnswerUnknown,
		"success\nunsat\n": comp.AnswerNone, "\nsat\n": comp.AnswerNone, "": comp.AnswerNone,
		"unsatisfiable\n": comp.AnswerNone,
	} {
		if got := FirstLineAnswer([]byte(out)); got != want {
			t.Errorf("FirstLineAnswer(%q) = %q, want %q", out, got, want)
		}
	}
}

func TestPostprocessProof(t *testing.T) {
	const wrapped = "0.00/0.00\t; run solver\n10.00/11.50\t; compressing proof\n10.10/11.70\t; proof size: 5000 (700 " +
		"compressed)\n10.20/11.80\t; checking proof\n"
	const tail = "12.50/14.00\tproofsize=5000\n12.50/14.00\tcompressedsize=700\n12.50/14.00\tEOF\n"
	tests := []struct{ name, stdout, want string }{
		{"valid", wrapped +
			"12.50/14.00\tvalid\n12.50/14.00\tsteps=1234\n12.50/14.00\tmax-depth=\n12.50/14.00\tratio=0.5\n12.50/14.00\tfree text = no\n" + tail,
			"starexec-result=unsat\nreason=valid\nsolver_cpu_time=10.00\nsolver_wall_time=11.50\nchecker_cpu_time=2.30\nchecker_wall_time=2.20\nsteps=1234\nmax-depth=\nratio=0.5\nproofsize=5000\ncompressedsize=700\n"},
		{"holey", "holey\nholes=3\n", "starexec-result=unsat\nreason=holey\nholes=3\n"},
		{"sat", " sat \n", "starexec-result=sat\n"},
		{"invalid", "; comment\n\ninvalid\n", "starexec-result=starexec-unknown\nreason=invalid\n"},
		{"unknown", "unknown\n", "starexec-result=starexec-unknown\nreason=unknown\n"},
		{"timeout in the solver", "0.00/0.00\t; run solver\n1200.00/1200.01\tEOF\n",
			"starexec-result=starexec-unknown\nreason=timeout\n"},
		{"timeout in the checker", wrapped + "1200.00/1200.01\tEOF\n",
			"starexec-result=starexec-unknown\nreason=timeout\nsolver_cpu_time=10.00\nsolver_wall_time=11.50\n"},
		{"something else", "unsat\nvalid\n", "starexec-result=starexec-unknown\nreason=error\n"},
		{"nothing", "", "starexec-result=starexec-unknown\nreason=error\n"},
		{"a pair comes first", "a=b\nvalid\n", "starexec-result=starexec-unknown\nreason=error\na=b\n"},
		{"no key", "valid\n=x\nä=1\na b=1\na=1 2\na==\n", "starexec-result=unsat\nreason=valid\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, text(Postprocess(comp.ProofExhibition, []byte(tt.stdout),
				PostInput{}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestProofVerdicts follows the 2022 rules, §5.8 "Result".
func TestProofVerdicts(t *testing.T) {
	tests := []struct {
		verdict   ProofVerdict
		answer    comp.Answer
		erroneous bool
	}{
		{ProofValid, comp.AnswerUnsat, false},
		{ProofHoley, comp.AnswerUnsat, false},
		{ProofInvalid, comp.AnswerUnknown, true},
		{ProofSat, comp.AnswerSat, true},
		{ProofUnknown, comp.AnswerUnknown, false},
		{ProofTimeout, comp.AnswerNone, false},
		{ProofError, comp.AnswerNone, false},
	}
	for _, tt := range tests {
		if tt.verdict.Answer() != tt.answer || tt.verdict.Erroneous() != tt.erroneous {
			t.Errorf("%s: answer %q, erroneous %v; want %q, %v", tt.verdict, tt.verdict.Answer(),
				tt.verdict.Erroneous(), tt.answer, tt.erroneous)
		}
	}
	judged := []struct {
		out     string
		run     Run
		verdict comp.Verdict
		want    ProofVerdict
	}{
		{"valid\n", Run{}, comp.Correct, ProofValid},
		{"holey\n", Run{Ending: comp.WallTimeout}, comp.Correct, ProofHoley},
		{"invalid\n", Run{}, comp.Wrong, ProofInvalid},
		{"sat\n", Run{}, comp.Wrong, ProofSat},
		{"unknown\n", Run{}, comp.Unknown, ProofUnknown},
		{"; run solver\n", Run{Ending: comp.WallTimeout}, comp.Unknown, ProofTimeout},
		{"; run solver\n", Run{Ending: comp.OutOfMemory}, comp.Unknown, ProofError},
		{"vali", Run{Ending: comp.WallTimeout}, comp.Unknown, ProofError},
	}
	for _, tt := range judged {
		d := Answer(comp.ProofExhibition, []byte(tt.out), nil, tt.run)
		if verdict, got := JudgeProof(d, ParseProof([]byte(tt.out))); verdict != tt.verdict || got != tt.want {
			t.Errorf("%q, %s: %s, %s; want %s, %s", tt.out, tt.run.Ending, verdict, got, tt.verdict, tt.want)
		}
	}
	d := Answer(comp.ProofExhibition, []byte("; run solver\nholey\nsteps=1\n"), nil, Run{Rules: rulesOf(2022)})
	if d.Answer != comp.AnswerUnsat || d.Class != Answered {
		t.Errorf("holey: answer %q, class %s", d.Answer, d.Class)
	}
}

// FuzzPostprocess checks that no output causes a post-processor to panic, and that every line is KEY=VALUE unless the
// value comes from the output.
func FuzzPostprocess(f *testing.F) {
	f.Add([]byte("0.1/0.2\tunsat\n(a b)\n"), []byte("(assert (! x :named a))"))
	f.Add([]byte("valid\na=b\n"), []byte(""))
	f.Add([]byte("unsat\n(\xff|"), []byte("(assert"))
	f.Fuzz(func(t *testing.T, stdout, script []byte) {
		in := PostInput{Script: script, ValidateCore: func([]byte) []Vote { return []Vote{{Solver: "s"}} }}
		for _, track := range comp.Tracks() {
			kvs := Postprocess(track, stdout, in)
			if len(kvs) == 0 {
				t.Fatalf("%v: nothing is printed for %q", track, stdout)
			}
			for _, kv := range kvs {
				if kv.Key == "" || strings.ContainsAny(kv.Key, "=\n") || strings.Contains(kv.Value, "\n") {
					t.Fatalf("%v: the pair %q for %q", track, kv, stdout)
				}
			}
		}
	})
}

func BenchmarkAnswer(b *testing.B) {
	out := []byte(strings.Repeat("success\n", 1<<17) + "unsat\n")
	b.SetBytes(int64(len(out)))
	b.ReportAllocs()
	for b.Loop() {
		if Answer(comp.SingleQuery, out, nil, Run{}).Answer != comp.AnswerUnsat {
			b.Fatal("no answer")
		}
	}
}

// TestNameCutInTwo checks that half of a name with a blank is not taken for another name.
func TestNameCutInTwo(t *testing.T) {
	const script = "(assert (! p :named x))\n(assert (! q :named |xy z|))\n(check-sat)\n"
	Postprocess(comp.UnsatCore, []byte("unsat\n(|xy z|)\n"), PostInput{Script: []byte(script),
		ValidateCore: func(reduced []byte) []Vote {
			if got, want := string(reduced), "(check-sat)\n"; got != want {
				t.Errorf("the validation solvers got %q, want %q", got, want)
			}
			return nil
		}})
}
