package importer_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/importer"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, importer.Kind, stagetest.Case{}) }
