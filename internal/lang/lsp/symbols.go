package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/lang/config"
)

// symbol is a block or local value as written in the text, which can contain errors.
type symbol struct {
	root  string // first word of its references, such as "stage"
	name  string // rest of its references, such as "cap.main"; empty without a label
	file  string
	at    span // range of the name's last part
	whole span
	doc   string
	from  string // a module's source
}

func (s *symbol) addr() string { return strings.TrimSuffix(s.root+"."+s.name, ".") }

func (s *symbol) kind() int {
	if kind, ok := symbolKinds[s.root]; ok {
		return kind
	}
	return otherSymbol
}

// symbolsIn returns the blocks and local values in a text.
func symbolsIn(file string, src []byte) []symbol {
	var all []symbol
	for _, c := range chunksOf(src) {
		if c.open < 0 {
			continue
		}
		whole := span{c.headAt.start, c.tokens[len(c.tokens)-1].Range.End.Byte}
		s := symbol{root: c.head, file: file, at: c.headAt, whole: whole}
		switch c.head {
		case "locals":
			c.walk(c.end, func(cur *cursor, equals int) {
				if len(cur.stack) == 1 && equals > 0 {
					t := c.tokens[equals-1]
					all = append(all, symbol{root: "local", name: string(t.Bytes), file: file, at: spanOf(t.Range),
						whole: spanOf(t.Range)})
				}
			})
			continue
		case "variable":
			s.root = "var"
		case "module":
			all = append(all, c.shared(file)...)
		}
		if root := config.RootNamed(s.root); root != nil && len(c.labels) != root.Names && root.Block != "" {
			continue // half typed
		}
		var names []string
		for _, l := range c.labels {
			names, s.at = append(names, string(l.Bytes)), spanOf(l.Range)
		}
		s.name, s.doc, s.from = strings.Join(names, "."), c.text("description"), c.text("source")
		all = append(all, s)
	}
	return all
}

// shared returns the module's variables that its block also declares in the pipeline.
func (c *chunk) shared(file string) (all []symbol) {
	c.walk(c.end, func(cur *cursor, equals int) {
		if len(cur.stack) != 1 || cur.top().attr != "variables" {
			return
		}
		for _, t := range c.tokens[equals:] {
			switch t.Type {
			case hclsyntax.TokenCBrack:
				return
			case hclsyntax.TokenQuotedLit:
				all = append(all, symbol{root: "var", name: string(t.Bytes), file: file, at: spanOf(t.Range),
					whole: spanOf(t.Range)})
			}
		}
	})
	return all
}

// text returns the value of an attribute in the block if it is a plain string.
func (c *chunk) text(name string) (text string) {
	c.walk(c.end, func(cur *cursor, equals int) {
		if len(cur.stack) == 1 && cur.top().attr == name && equals+2 < len(c.tokens) &&
			c.tokens[equals+1].Type == hclsyntax.TokenOQuote && c.tokens[equals+2].Type == hclsyntax.TokenQuotedLit {
			text = string(c.tokens[equals+2].Bytes)
		}
	})
	return text
}

// read returns a file's text from the editor, or else from disk.
func (s *server) read(file string) []byte {
	if src, ok := s.buffers()[file]; ok {
		return src
	}
	src, err := hclsource.ReadPath(file)
	if err != nil {
		return nil
	}
	return src
}

// filesOf returns the files that form a pipeline or module: path itself, or the files in the folder.
func (s *server) filesOf(path string) []string {
	if strings.HasSuffix(path, ".hcl") {
		return []string{path}
	}
	var files []string
	entries, _ := os.ReadDir(path) // a nonexistent folder has no files
	for _, e := range entries {
		if !e.IsDir() && config.IsSource(e.Name()) {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	for name := range s.buffers() {
		if filepath.Dir(name) == path && config.IsSource(filepath.Base(name)) && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return files
}

// symbols returns the declarations in a pipeline or module and in the files that it is based on.
func (s *server) symbols(path string) []symbol {
	var all []symbol
	files := s.filesOf(path)
	for i := 0; i < len(files); i++ {
		for _, sym := range symbolsIn(files[i], s.read(files[i])) {
			base := filepath.Join(filepath.Dir(files[i]), sym.from)
			switch {
			case sym.root != hclsource.BaseBlock:
				all = append(all, sym)
			case !slices.Contains(files, base):
				files = append(files, base)
			}
		}
	}
	return all
}

// rootOf returns the pipeline that a file belongs to: its folder, or only the file if several files in the folder are
// competitions, as in a folder of examples.
func (s *server) rootOf(file string) string {
	folder, competitions := filepath.Dir(file), 0
	for _, f := range s.filesOf(folder) {
		if isCompetition(s.read(f)) {
			competitions++
		}
	}
	if competitions > 1 {
		return file
	}
	return folder
}

func isCompetition(src []byte) bool {
	return slices.ContainsFunc(chunksOf(src), func(c chunk) bool { return c.head == "competition" && c.open >= 0 })
}

// isRuleSet reports whether a text is a scoring rule set.
func isRuleSet(src []byte) bool {
	return slices.ContainsFunc(chunksOf(src), func(c chunk) bool { return c.head == "rule_set" && c.open >= 0 })
}
