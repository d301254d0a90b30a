package fetch_test

import (
	"path/filepath"
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages/fetch"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) {
	stagetest.Run(t, fetch.Kind, stagetest.Case{
		Prepare: func(t *testing.T, folder string) {
			for _, name := range []string{"release/QF_A", "release/QF_B", "release/sub/QF_C", "wrong/QF_A",
				"incomplete/QF_A"} {
				stagetest.WriteArchive(t, filepath.Join(folder, name+".tar.zst"), stagetest.Member{Path: "x",
					Text: name})
			}
		},
	})
}
