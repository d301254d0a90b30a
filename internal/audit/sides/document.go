package sides

import (
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/publish/document"
)

// Document presents differences between the named things.
func Document(names []string, all []diff.Difference) *document.Document {
	count := "No figure differs."
	if len(all) == 1 {
		count = "1 figure differs."
	} else if len(all) > 1 {
		count = words.Count(len(all), "figure") + " differ."
	}
	return &document.Document{
		Page:     "Differences: " + strings.Join(names, ", "),
		Sections: []document.Section{{Groups: []document.Group{{All: all, Notes: []string{count}}}}},
	}
}
