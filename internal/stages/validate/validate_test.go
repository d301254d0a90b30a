package validate_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/corevalidation"
	"github.com/smtpipe/smtpipe/internal/stages/runtest"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
	"github.com/smtpipe/smtpipe/internal/stages/validate"
)

func TestStage(t *testing.T) {
	stagetest.Run(t, validate.Kind, stagetest.Case{Kinds: []*stages.Kind{runtest.Printed, corevalidation.Kind}})
}
