package command_test

import (
	"syscall"
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/command"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, command.Kind, stagetest.Case{}) }

// TestStageWithUmask checks that programs can read their inputs, with any umask of the driver.
func TestStageWithUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	stagetest.Run(t, command.Kind, stagetest.Case{})
}
