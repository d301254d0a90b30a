package confidence_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/confidence"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, confidence.Kind, stagetest.Case{}) }
