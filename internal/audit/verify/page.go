package verify

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/publish/report"
)

//go:embed page.html
var pageText string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"state": func(s State) string { return stateText[s] },
		"badge": func(s State) string { return badges[s] },
		"words": func(v TimeVerdict) string { return strings.ReplaceAll(string(v), "_", " ") },
		"lines": func(s string) []string { return strings.Split(s, "\n") },
		"bytes": func(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) },
	}).Parse(pageText))
})

// badges maps states to CSS classes on the page.
var badges = map[State]string{Same: "good", Different: "bad", Measured: "plain", NotChecked: "warn"}

// WriteHTML writes the report as a self-contained HTML page in the style of the site.
func (r *Report) WriteHTML(w io.Writer) error {
	style, err := report.Style()
	if err != nil {
		return err
	}
	return page().Execute(w, struct {
		*Report
		Style     template.CSS
		Verdict   string
		Signed    string
		How       string
		Signal    string // CSS class of the signature's badge
		LeastRuns int
		LeastCPU  float64
	}{r, template.CSS(style), r.verdict(), r.Signature.text(), r.Confined.text(),
		r.Signature.badge(), leastRuns, leastCPUS})
}

func (s *Signature) badge() string {
	switch {
	case s.State == good:
		return "good"
	case s.State == bad || s.State == signedByNobody && s.Asked:
		return "bad"
	case s.State == unchecked:
		return "warn"
	}
	return "plain"
}
