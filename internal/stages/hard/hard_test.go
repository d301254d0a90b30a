package hard_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/hard"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, hard.Kind, stagetest.Case{}) }
