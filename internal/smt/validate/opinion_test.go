package validate

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

func TestSolverOpinion(t *testing.T) {
	for _, row := range []struct {
		name           string
		ending         comp.Ending
		exit           int64
		stdout, stderr string
		want           Opinion
	}{
		{"sat", comp.Exited, 0, "sat\n", "", Opinion{ModelValid, "sat"}},
		{"unsat after a warning", comp.Exited, 1, "(warning)\n unsat \nsat\n", "", Opinion{ModelInvalid, "unsat"}},
		{"unknown", comp.Exited, 0, "unknown\n", "", Opinion{"", "unknown"}},
		{"an answer of a solver that was stopped", comp.WallTimeout, -1, "sat\n", "", Opinion{"", "wall_timeout"}},
		{"an error", comp.Exited, 2, "", "bad option\nmore\n", Opinion{"", "no answer, exit code 2: bad option"}},
		{"nothing", comp.Exited, 0, "\n", "", Opinion{"", "no answer, exit code 0"}},
	} {
		if got := SolverOpinion(row.ending, row.exit, []byte(row.stdout), []byte(row.stderr)); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}

// The messages are dolmen's mnemonics in the minimal style. The exit codes 2, 5 (an error in the benchmark's header)
// and 6 (any error in a model) are those of versions 0.9 and 0.10, in src/bin/options.ml. The post-processor of 2022
// interpreted code 5 as a false model, and other checkers that print no message may still use it.
func TestDolmenOpinion(t *testing.T) {
	for _, row := range []struct {
		name   string
		ending comp.Ending
		exit   int64
		stderr string
		want   Opinion
	}{
		{"valid", comp.Exited, 0, "", Opinion{ModelValid, "exit code 0"}},
		{"invalid", comp.Exited, 5, "", Opinion{ModelInvalid, "exit code 5"}},
		{"bad model of later versions", comp.Exited, 4, "some text\nE:bad-model\n",
			Opinion{ModelInvalid, "exit code 4 E:bad-model"}},
		{"false model", comp.Exited, 6, "W:unknown-attribute\nE:bad-model\n",
			Opinion{ModelInvalid, "exit code 6 E:bad-model"}},
		{"error in the header", comp.Exited, 5, "E:header-missing\n",
			Opinion{ModelUnknown, "exit code 5 E:header-missing"}},
		{"fatal warning", comp.Exited, 5, "F:header-missing\n", Opinion{ModelUnknown, "exit code 5 F:header-missing"}},
		{"no answer", comp.Exited, 6, "E:missing-answer\n", Opinion{ModelUnknown, "exit code 6 E:missing-answer"}},
		{"not that message", comp.Exited, 6, "E:bad-models\n", Opinion{ModelUnknown, "exit code 6 E:bad-models"}},
		{"own limit", comp.Exited, 2, "", Opinion{"", "exit code 2"}},
		{"own memory limit", comp.Exited, 2, "E:spaceout\n", Opinion{"", "exit code 2 E:spaceout"}},
		{"own time limit", comp.Exited, 14, "E:timeout\n", Opinion{"", "exit code 14 E:timeout"}},
		{"missing definition", comp.Exited, 7, "E:undefined-constant\n",
			Opinion{ModelUnknown, "exit code 7 E:undefined-constant"}},
		{"crash", comp.Exited, 127, "not found\n", Opinion{"", "exit code 127"}},
		{"stopped", comp.OutOfMemory, -1, "E:bad-model\n", Opinion{"", "out_of_memory"}},
	} {
		if got := DolmenOpinion(row.ending, row.exit, []byte(row.stderr)); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}

func TestDisagrees(t *testing.T) {
	for _, row := range []struct {
		name string
		ours ModelVerdict
		open bool
		form OpinionForm
		said ModelVerdict
		want bool
	}{
		{"agreement", ModelValid, false, OpinionOfSolver, ModelValid, false},
		{"no opinion", ModelValid, false, OpinionOfSolver, "", false},
		{"contradiction", ModelValid, false, OpinionOfSolver, ModelInvalid, true},
		{"reversed", ModelInvalid, false, OpinionOfSolver, ModelValid, true},
		{"a solver decides", ModelUnknown, false, OpinionOfSolver, ModelInvalid, true},
		{"a solver chooses an open value", ModelUnknown, true, OpinionOfSolver, ModelValid, false},
		{"no choice of open values helps", ModelUnknown, true, OpinionOfSolver, ModelInvalid, true},
		{"dolmen does not decide", ModelValid, false, OpinionOfDolmen, ModelUnknown, true},
		{"dolmen decides", ModelUnknown, true, OpinionOfDolmen, ModelValid, true},
	} {
		if got := Disagrees(row.ours, row.open, row.form, Opinion{Verdict: row.said}); got != row.want {
			t.Errorf("%s: got %v", row.name, got)
		}
	}
}
