package validate_test

import (
	"os"
	"testing"

	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/cores"
	"github.com/smtpipe/smtpipe/internal/stages/runtest"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
	"github.com/smtpipe/smtpipe/internal/stages/validate"
)

func TestMain(m *testing.M) {
	runner.MaybeInit()
	os.Exit(m.Run())
}

func TestStage(t *testing.T) {
	stagetest.Run(t, validate.Kind, stagetest.Case{Kinds: []*stages.Kind{runtest.Printed, cores.Kind}})
}
