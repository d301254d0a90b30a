package validate

import (
	"regexp"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

func TestJudgeChecked(t *testing.T) {
	for _, tt := range []struct {
		before    comp.Verdict
		said      string
		truncated bool
		want      comp.Verdict
		column    string
	}{
		{comp.Correct, checkedValid, false, comp.Correct, checkedValid},
		{comp.Correct, checkedValid, true, comp.Correct, checkedValid},
		{comp.Correct, checkedInvalid, false, comp.Wrong, checkedInvalid},
		{comp.Correct, checkedInvalid, true, comp.Unknown, checkedUnknown}, // the truncated proof may continue
		{comp.Correct, checkedUnknown, false, comp.Unknown, checkedUnknown},
		{comp.Wrong, checkedUnknown, false, comp.Wrong, checkedUnknown}, // the answer contradicts the status
		{comp.Wrong, checkedValid, false, comp.Wrong, checkedValid},
	} {
		v := results.VerdictRow{}
		setVerdict(&v, tt.before)
		c := &checker{Tool: &fanout.Tool{Name: "proof"}}
		judgeChecked(&v, c.result([]byte(tt.said+"\nWRONG"), tt.truncated), true)
		if v.Verdict != string(tt.want) || v.Validation != tt.column {
			t.Errorf("%+v: verdict %s, validation %s", tt, v.Verdict, v.Validation)
		}
	}
}

// TestLastLine checks that an undecided check quotes the last line of the checker's output, whatever is around it.
func TestLastLine(t *testing.T) {
	never := regexp.MustCompile("a^")
	c := &checker{Tool: &fanout.Tool{Name: "proof"}, valid: never, invalid: never}
	const last = "ValueError: broken"
	for _, out := range []string{last, "one\n" + last + "\n", "\n\none\n" + last + "\n \n"} {
		rec := &runner.Record{Measured: run.Measured{Ending: comp.Exited},
			Stdout: runner.Output{Head: []byte(out), Total: int64(len(out))}}
		const want = "unknown\nneither pattern or both: " + last
		if got := string(c.read(&worker.Result{Record: rec})); got != want {
			t.Errorf("%q: %q", out, got)
		}
	}
}
