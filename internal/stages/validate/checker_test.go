package validate

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
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
