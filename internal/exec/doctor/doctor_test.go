package doctor

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// TestDiagnose executes the trials. Every failure must come with a remedy.
func TestDiagnose(t *testing.T) {
	r, err := Diagnose(t.Context(), func(*runner.Command, runner.Isolation) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Checks) < 6 || r.Slots < 1 || r.Hardware.MemoryBytes == 0 {
		t.Errorf("report %+v", r)
	}
	for _, c := range r.Checks {
		if c.State != runner.CheckOK && c.Remedy == "" {
			t.Errorf("%s is %s (%s), and there is no remedy", c.Name, c.State, c.Detail)
		}
	}
}
