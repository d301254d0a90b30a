// Package docsite builds a static site from the project's documentation, for a release. The site works from disk,
// without a server or a network. Only the search needs JavaScript. Equal inputs produce equal bytes.
package docsite

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed page.html site.css search.js
var assets embed.FS

// group is a section of the navigation. A pattern includes all matching files that no other group lists.
type group struct {
	Title string
	Files []string
}

// groups lists every page. A page below docs that is missing here is an error.
var groups = []group{
	{"Begin", []string{"README.md", "docs/README.md", "docs/start/tutorial.md", "docs/start/*.md"}},
	{"Write", []string{"docs/write/language.md", "docs/write/reference.md", "docs/write/*.md"}},
	{"Run", []string{"docs/run/weeks.md", "docs/run/plan.md", "docs/run/*.md"}},
	{"Publish and check", []string{"docs/publish/report.md", "docs/publish/*.md", "SECURITY.md"}},
	{"Tools and notebooks", []string{"docs/tools/every-day.md", "docs/tools/*.md", "docs/notebooks/*.ipynb"}},
	{"Rules", []string{"docs/rules/README.md", "docs/rules/*.md"}},
	{"Stages", []string{"docs/stages/README.md", "docs/stages/tables.md", "docs/stages/*.md"}},
	{"Inside", []string{"ARCHITECTURE.md", "CONTRIBUTING.md", "docs/inside/*.md", "CHANGELOG.md"}},
}

// page is a document.
type page struct {
	File, Out string // paths below the project's root and below the site
	Title     string
	group     string

	source   []byte
	pictures map[string][]byte // pictures in a notebook
	doc      ast.Node
	anchors  map[string]bool
	sections []section
}

// section is a heading with the text below it, for the search and the table of contents.
type section struct {
	ID, Title string
	Level     int
	Text      string
}

// Write writes the site of the project at root to the folder dir, which need not exist. It reports all broken links.
func Write(root, dir string) error {
	s, err := load(root)
	if err != nil {
		return err
	}
	files := map[string][]byte{}
	for _, p := range s.pages {
		body, err := s.render(p, files)
		if err != nil {
			return fmt.Errorf("%s: %w", p.File, err)
		}
		files[p.Out] = body
	}
	if err := s.checkLinks(); err != nil {
		return err
	}
	for _, name := range []string{"site.css", "search.js"} {
		if files[name], err = assets.ReadFile(name); err != nil {
			return err
		}
	}
	if files["index.js"], err = s.index(); err != nil {
		return err
	}
	for name, content := range files {
		out := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(out, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// site holds the pages in navigation order.
type site struct {
	root  string
	pages []*page
	by    map[string]*page // pages by file
	links []link
}

// link is a link to a page in the site.
type link struct{ from, to, anchor string }

func load(root string) (*site, error) {
	s := &site{root: root, by: map[string]*page{}}
	var errs []error
	for _, g := range groups {
		for _, pattern := range g.Files {
			names, err := fs.Glob(os.DirFS(root), pattern)
			if err != nil {
				return nil, err
			}
			if len(names) == 0 {
				errs = append(errs, fmt.Errorf("%s has a place in the navigation and is not there", pattern))
			}
			for _, name := range names {
				if s.by[name] != nil {
					continue
				}
				p, err := read(root, name, g.Title)
				if err != nil {
					return nil, err
				}
				s.by[name], s.pages = p, append(s.pages, p)
			}
		}
	}
	err := fs.WalkDir(os.DirFS(root), "docs", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" && s.by[name] == nil {
			errs = append(errs, fmt.Errorf("%s has no place in the navigation; give it one in internal/ship/docsite", name))
		}
		return err
	})
	return s, errors.Join(append(errs, err)...)
}

func markdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
}

// read parses a document.
func read(root, name, group string) (*page, error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	var pictures map[string][]byte
	if prefix, is := strings.CutSuffix(path.Base(name), ".ipynb"); is {
		if source, pictures, err = notebook(source, prefix); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	p := &page{File: name, Out: outOf(name), group: group, source: source, pictures: pictures,
		anchors: map[string]bool{}}
	p.doc = markdown().Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(
		parser.WithIDs(&ids{used: p.anchors}))))
	for n := p.doc.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			if _, html := n.(*ast.HTMLBlock); !html && len(p.sections) > 0 {
				last := &p.sections[len(p.sections)-1]
				last.Text += " " + plain(n, source)
			}
			continue
		}
		id, _ := h.AttributeString("id")
		b, _ := id.([]byte)
		p.sections = append(p.sections, section{ID: string(b), Title: plain(h, source), Level: h.Level})
		if p.Title == "" {
			p.Title = plain(h, source)
		}
	}
	if p.Title == "" {
		return nil, fmt.Errorf("%s has no heading", name)
	}
	return p, nil
}

// outOf returns the path of a document's page in the site.
func outOf(name string) string {
	if path.Base(name) == "README.md" {
		return path.Join(path.Dir(name), "index.html")
	}
	return strings.ToLower(strings.TrimSuffix(name, path.Ext(name))) + ".html"
}

// plain returns a node's text without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if enter {
				b.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if enter {
				b.Write(n.Lines().Value(source))
			}
		}
		if !enter && n.Type() == ast.TypeBlock {
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// ids names headings as GitHub does, so the same links work in both.
type ids struct{ used map[string]bool }

// Generate implements parser.IDs.
func (x *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(string(value)) {
		switch {
		case r == ' ' || r == '-':
			b.WriteByte('-')
		case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	id := b.String()
	for n := 1; x.used[id]; n++ {
		id = fmt.Sprintf("%s-%d", b.String(), n)
	}
	x.used[id] = true
	return []byte(id)
}

// Put implements parser.IDs.
func (x *ids) Put(value []byte) { x.used[string(value)] = true }

// view is the input for a page's template.
type view struct {
	*page
	Root     string // relative path from the page to the site
	Body     template.HTML
	Groups   []navigation
	Contents []section
}

type navigation struct {
	Title string
	Open  bool
	Pages []entry
}

type entry struct {
	Title, Href string
	Here        bool
}

// render renders a page. It adds pictures to files.
func (s *site) render(p *page, files map[string][]byte) ([]byte, error) {
	if err := s.rewrite(p, files); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := markdown().Renderer().Render(&body, p.source, p.doc); err != nil {
		return nil, err
	}
	root := strings.Repeat("../", strings.Count(p.Out, "/"))
	v := view{page: p, Root: root, Body: template.HTML(body.String())} //nolint:gosec // our own documents
	for _, x := range p.sections {
		if x.Level == 2 || x.Level == 3 {
			v.Contents = append(v.Contents, x)
		}
	}
	for _, g := range groups {
		nav := navigation{Title: g.Title, Open: g.Title == p.group}
		for _, q := range s.pages {
			if q.group == g.Title {
				nav.Pages = append(nav.Pages, entry{q.Title, root + q.Out, q == p})
			}
		}
		v.Groups = append(v.Groups, nav)
	}
	t, err := template.ParseFS(assets, "page.html")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = t.Execute(&out, v)
	return out.Bytes(), err
}

// rewrite turns links to documents into links to pages, and copies pictures. A link to a file that is not a page
// becomes plain text, because the site does not contain source code.
func (s *site) rewrite(p *page, files map[string][]byte) error {
	var gone []*ast.Link
	err := ast.Walk(p.doc, func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			to, keep, err := s.target(p, string(n.Destination))
			if err != nil {
				return ast.WalkStop, err
			}
			n.Destination = []byte(to)
			if !keep {
				gone = append(gone, n)
			}
		case *ast.Image:
			name := path.Join(path.Dir(p.File), string(n.Destination))
			content, err := p.pictures[string(n.Destination)], error(nil)
			if content == nil {
				content, err = os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
			}
			if err != nil {
				return ast.WalkStop, err
			}
			out := "images/" + path.Base(name)
			if old, is := files[out]; is && !bytes.Equal(old, content) {
				return ast.WalkStop, fmt.Errorf("two pictures are named %s", path.Base(name))
			}
			files[out] = content
			n.Destination = []byte(strings.Repeat("../", strings.Count(p.Out, "/")) + out)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range gone {
		for child := n.FirstChild(); child != nil; child = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, child)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
	return err
}

// target returns a link's target within the site, and whether to keep the link.
func (s *site) target(p *page, dest string) (to string, keep bool, err error) {
	u, err := url.Parse(dest)
	if err != nil {
		return "", false, err
	}
	if u.Scheme != "" {
		return dest, true, nil
	}
	name := p.File
	if u.Path != "" {
		name = path.Join(path.Dir(p.File), u.Path)
	}
	q := cmp.Or(s.by[name], s.by[path.Join(name, "README.md")])
	if q == nil {
		if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(name))); err != nil {
			return "", false, fmt.Errorf("the link to %s leads nowhere", dest)
		}
		return "", false, nil
	}
	s.links = append(s.links, link{p.File, q.File, u.Fragment})
	href, err := filepath.Rel(path.Dir("/"+p.Out), "/"+q.Out)
	if q == p {
		href = ""
	}
	if u.Fragment != "" {
		href += "#" + u.Fragment
	}
	return cmp.Or(filepath.ToSlash(href), path.Base(q.Out)), true, err
}

// checkLinks reports links to missing headings.
func (s *site) checkLinks() error {
	var errs []error
	for _, l := range s.links {
		if l.anchor != "" && !s.by[l.to].anchors[l.anchor] {
			errs = append(errs, fmt.Errorf("%s: %s has no heading #%s", l.from, l.to, l.anchor))
		}
	}
	return errors.Join(errs...)
}

// index returns the search index as a script, because a page opened from disk cannot read other files.
func (s *site) index() ([]byte, error) {
	type row struct {
		Page  string `json:"p"`
		Title string `json:"t"`
		Href  string `json:"u"`
		Text  string `json:"x"`
	}
	var rows []row
	for _, p := range s.pages {
		for i, x := range p.sections {
			href := p.Out
			if i > 0 {
				href += "#" + x.ID
			}
			rows = append(rows, row{p.Title, x.Title, href, strings.TrimSpace(x.Text)})
		}
	}
	if !slices.ContainsFunc(rows, func(r row) bool { return r.Text != "" }) {
		return nil, errors.New("the documents have no text")
	}
	b, err := json.Marshal(rows)
	return slices.Concat([]byte("var sections = "), b, []byte(";\n")), err
}
