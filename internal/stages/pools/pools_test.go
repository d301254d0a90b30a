package pools_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/pools"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, pools.Kind, stagetest.Case{}) }
