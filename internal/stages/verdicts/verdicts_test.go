package verdicts_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
	"github.com/smtpipe/smtpipe/internal/stages/verdicts"
)

func TestStage(t *testing.T) { stagetest.Run(t, verdicts.Kind, stagetest.Case{}) }
