package filter_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/filter"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, filter.Kind, stagetest.Case{}) }
