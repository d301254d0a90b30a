package heat_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/heat"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, heat.Kind, stagetest.Case{}) }
