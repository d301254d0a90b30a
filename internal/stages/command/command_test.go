package command_test

import (
	"os"
	"testing"

	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/stages/command"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestMain(m *testing.M) {
	runner.MaybeInit()
	os.Exit(m.Run())
}

func TestStage(t *testing.T) { stagetest.Run(t, command.Kind, stagetest.Case{}) }
