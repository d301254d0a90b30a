package cap_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/cap"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, cap.Kind, stagetest.Case{}) }
