package submissions_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
	"github.com/smtpipe/smtpipe/internal/stages/submissions"
)

func TestStage(t *testing.T) { stagetest.Run(t, submissions.Kind, stagetest.Case{}) }
