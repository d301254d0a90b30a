package freeze

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
)

//go:embed documents
var documents embed.FS

// facts contains the data shown in a folder's documents.
type facts struct {
	Title      string
	Creators   []string
	License    License
	Lock       *frozen.Lock
	Pipeline   string // path in the folder
	Stages     []stageFacts
	Measured   []stageFacts
	Hardware   []string
	Solvers    []solverFacts
	Machines   []machineFacts
	Source     string // path in the folder; empty if there is none
	HasRules   bool   // whether the folder contains rule sets
	HasScripts bool   // whether it contains scripts, but only of models and cores
	HasSite    string // path of a site's index page; empty if there is none
}

// solverFacts describes a solver in the documents.
type solverFacts struct{ Name, Version string }

// machineFacts describes a machine's state in the documents.
type machineFacts struct{ Name, State string }

// stageFacts describes a stage in the documents.
type stageFacts struct {
	Addr, Kind, Dir    string
	Hardware, Finished string
	Version            string
}

// addProgram adds this program, its source, and the machine reports.
func (f *freezing) addProgram() error {
	if f.Binary != "" {
		f.add(fileItem("bin/smtpipe", f.Binary, 0o755))
	}
	if f.Source != "" {
		f.add(fileItem(f.sourceName(), f.Source, 0o644))
	}
	measured := hardwareOf(f.stageFacts())
	for i, name := range f.Machines {
		text, err := limits.Document.ReadFile(name)
		if err != nil {
			return err
		}
		var report struct{ Profile string }
		if err := json.Unmarshal(text, &report); err != nil {
			return fmt.Errorf("%s is not a machine report; \"smtpipe doctor --json\" prints one: %w", name, err)
		}
		if !slices.Contains(measured, report.Profile) {
			return fmt.Errorf("%s is the report of a machine (%s) that none of these runs were "+
				"measured on", name, report.Profile)
		}
		f.add(bytesItem(fmt.Sprintf("machines/%d.json", i+1), text))
	}
	return nil
}

// hardwareOf returns the machines that executed measured stages, sorted.
func hardwareOf(all []stageFacts) []string {
	var names []string
	for _, s := range all {
		if s.Finished != "" {
			names = append(names, s.Hardware)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (f *freezing) sourceName() string { return "source/" + filepath.Base(f.Source) }

// addDocuments adds the files that describe the folder to people and programs.
func (f *freezing) addDocuments() error {
	x := f.facts()
	for _, name := range []string{"README.md", "CITATION.cff"} {
		text, err := execute(name, x)
		if err != nil {
			return err
		}
		f.add(bytesItem(name, text))
	}
	known, err := f.Evidence.Encode()
	if err != nil {
		return err
	}
	f.add(bytesItem(evidence.Name, known))
	check, err := documents.ReadFile("documents/check.py")
	if err != nil {
		return err
	}
	f.add(bytesItem("check.py", check))
	sboms, err := f.bills()
	if err != nil {
		return err
	}
	for _, b := range sboms {
		f.add(b)
	}
	for name, content := range map[string]any{".zenodo.json": x.zenodo(), "schemas.json": schemas()} {
		text, err := indented(content)
		if err != nil {
			return err
		}
		f.add(bytesItem(name, text))
	}
	text, err := indented(f.crate(x))
	if err != nil {
		return err
	}
	f.add(bytesItem("ro-crate-metadata.json", text))
	return nil
}

func (f *freezing) facts() *facts {
	c := f.Pipeline.Competition()
	title := cmp.Or(f.About.Title, strings.TrimSpace(c.Name), "A competition")
	x := &facts{Title: title, Creators: f.About.Creators, License: f.About.License, Lock: f.lock,
		Pipeline: f.lock.Pipeline, Stages: f.stageFacts(), HasScripts: f.Level == Outputs && len(f.inputs) > 0}
	for _, it := range f.items {
		x.HasRules = x.HasRules || strings.HasPrefix(it.path, "rules/")
	}
	if len(x.Creators) == 0 {
		x.Creators = []string{"The organisers of " + title}
	}
	if f.Source != "" {
		x.Source = f.sourceName()
	}
	for _, s := range x.Stages {
		if s.Finished != "" {
			x.Measured = append(x.Measured, s)
		}
		if page := s.Dir + "/files/index.html"; s.Kind == "report" && f.taken[page] {
			x.HasSite = cmp.Or(x.HasSite, page)
		}
	}
	x.Hardware = hardwareOf(x.Stages)
	for _, name := range slices.Sorted(maps.Keys(f.Solvers)) {
		x.Solvers = append(x.Solvers, solverFacts{name, evidence.Text(f.Solvers[name])})
	}
	for _, m := range f.Evidence.Machines {
		for i := range m.States {
			x.Machines = append(x.Machines, machineFacts{m.Hardware, m.Text(i)})
		}
	}
	return x
}

// stageFacts returns the stages in dependency order.
func (f *freezing) stageFacts() []stageFacts {
	var all []stageFacts
	for i := range f.Steps {
		e := f.lock.Stages[f.Steps[i].Addr]
		all = append(all, stageFacts{Addr: f.Steps[i].Addr, Kind: e[frozen.AttrKind],
			Dir: frozen.StageDir(f.Steps[i].Addr), Hardware: e["hardware"], Finished: e[frozen.AttrFinished],
			Version: e[frozen.AttrVersion]})
	}
	return all
}

func execute(name string, x *facts) ([]byte, error) {
	text, err := documents.ReadFile(path.Join("documents", name+".tmpl"))
	if err != nil {
		return nil, err
	}
	t, err := template.New(name).Funcs(template.FuncMap{"yaml": yamlText, "code": codeText}).Parse(string(text))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, x)
	return b.Bytes(), err
}

// yamlText returns text as YAML. JSON is valid YAML.
func yamlText(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// codeText returns untrusted text as Markdown code for a table cell.
func codeText(s string) string {
	return "`" + strings.NewReplacer("`", "'", "|", "\\|").Replace(s) + "`"
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// zenodo returns the metadata of a Zenodo deposit.
func (x *facts) zenodo() any {
	type creator struct {
		Name string `json:"name"`
	}
	license := "" // Zenodo accepts only one licence
	if len(x.License.AnyOf) == 1 {
		license = strings.ToLower(x.License.AnyOf[0])
	}
	var creators []creator
	for _, c := range x.Creators {
		creators = append(creators, creator{c})
	}
	return struct {
		Title       string    `json:"title"`
		UploadType  string    `json:"upload_type"`
		Description string    `json:"description"`
		Date        string    `json:"publication_date"`
		Creators    []creator `json:"creators"`
		License     string    `json:"license,omitempty"`
		Keywords    []string  `json:"keywords"`
	}{x.Title, "dataset", "The pipeline, the measurements and the results of " + x.Title + ", frozen by smtpipe " +
		x.Lock.Version + ". README.md says how to check them.", x.Lock.Date, creators, license,
		[]string{"SMT", "solver competition", "reproducibility"}}
}

// schemas returns a description of the columns of all tables.
func schemas() any {
	type column struct {
		Name string `json:"name"`
		Type string `json:"type"`
		Key  bool   `json:"key,omitempty"`
		Doc  string `json:"description"`
	}
	type schema struct {
		Name    string   `json:"name"`
		Doc     string   `json:"description"`
		Columns []column `json:"columns"`
	}
	var all []schema
	for _, s := range results.Schemas() {
		out := schema{Name: s.Name, Doc: s.Doc}
		for _, c := range s.Columns {
			out.Columns = append(out.Columns, column{c.Name, c.Kind.String(), c.Key, c.Doc})
		}
		all = append(all, out)
	}
	return all
}
