package report

import (
	"html/template"
	"strings"
	"testing"
)

// TestHeads compares a table's header cells with those of a template.
func TestHeads(t *testing.T) {
	texts := append([]string{"", "Z3++", "plain"}, hostile...)
	tab := &table{}
	for i, s := range texts {
		tab.Cols = append(tab.Cols, col{s, texts[len(texts)-1-i], i%2 == 0})
	}
	var want strings.Builder
	if err := template.Must(template.New("heads").Parse(`{{range .}}<th scope="col"{{if .Num}} class="num"{{end}}`+
		`{{if .Tip}} title="{{.Tip}}"{{end}}>{{.Title}}</th>{{end}}`)).Execute(&want, tab.Cols); err != nil {
		t.Fatal(err)
	}
	if got := string(tab.heads()); got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}
