package command_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/command"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, command.Kind, stagetest.Case{}) }
