package unfit_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
	"github.com/smtpipe/smtpipe/internal/stages/unfit"
)

func TestStage(t *testing.T) { stagetest.Run(t, unfit.Kind, stagetest.Case{}) }
