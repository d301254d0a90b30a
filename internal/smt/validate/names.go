package validate

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// Names holds the named top-level assertions of a script.
type Names struct {
	List    []string // names in script order, without bars
	Asserts int      // number of assert commands, named or not

	index map[string]int
}

func (n Names) has(name string) bool {
	_, ok := n.index[name]
	return ok
}

// ScriptNames returns the names of a script's assertions, (assert (! t :named f)), as the scrambler writes them for the
// unsat-core track. Only the outermost annotation counts. Duplicate names and unclosed commands are errors.
//
// It makes one pass over the tokens. Terms may be nested to any depth.
func ScriptNames(script []byte) (Names, error) {
	n := Names{index: make(map[string]int)}
	src := string(script)
	err := eachCommand(src, func(c command) error {
		if c.head != "assert" {
			return nil
		}
		n.Asserts++
		if c.label == "" {
			return nil
		}
		name := bare(c.label)
		if n.has(name) {
			return fmt.Errorf("two assertions have the name %s, the second one at %v", quote(c.label),
				smtlib.PositionAt(src, c.start))
		}
		n.index[name] = len(n.List)
		n.List = append(n.List, name)
		return nil
	})
	return n, err
}

// command is a command within a script's text.
type command struct {
	start, end int    // range in the text, including the parentheses
	head       string // the first token, if it is a symbol
	first      string // the second token, unless it begins a list

	// For an assert, the range of its term (inside the annotation if there is one), and the name in the annotation as
	// written, or "".
	termStart, termEnd int
	label              string
}

// eachCommand calls visit for every command in src. It skips tokens between commands, because scripts are checked
// elsewhere.
func eachCommand(src string, visit func(command) error) error {
	s := scanner{lex: smtlib.NewLexer(src), src: src}
	for {
		open := s.lex.Next()
		switch open.Kind {
		case smtlib.EOF:
			return nil
		case smtlib.LParen:
			c, err := s.command(open)
			if err == nil {
				err = visit(c)
			}
			if err != nil {
				return err
			}
		}
	}
}

// scanner reads S-expressions as ranges of src, without a stack.
type scanner struct {
	lex  *smtlib.Lexer
	src  string
	open smtlib.Token // opening parenthesis of the command
}

// command reads the rest of a command after its opening parenthesis.
func (s *scanner) command(open smtlib.Token) (c command, err error) {
	s.open = open
	c.start = int(open.Start)
	head := s.lex.Next()
	if head.Kind == smtlib.Symbol {
		c.head = s.lex.Text(head)
	}
	if head.Kind == smtlib.RParen {
		c.end = int(head.End)
		return c, nil
	}
	if head.Kind == smtlib.LParen {
		c.end, err = s.closeAll(2)
		return c, err
	}
	arg := s.lex.Next()
	switch {
	case arg.Kind == smtlib.RParen:
		c.end, c.termStart, c.termEnd = int(arg.End), int(arg.Start), int(arg.Start)
		return c, nil
	case arg.Kind == smtlib.EOF:
		return c, s.unclosed()
	case c.head == "assert":
		c.termStart, c.termEnd, c.label, err = s.term(arg)
	case arg.Kind == smtlib.LParen:
		_, err = s.closeAll(1)
	default:
		c.first = s.lex.Text(arg)
	}
	if err == nil {
		c.end, err = s.closeAll(1)
	}
	return c, err
}

// term reads the term that begins with first. For (! t ... :named n ...), it returns the range of t and the name n.
func (s *scanner) term(first smtlib.Token) (start, end int, label string, err error) {
	start, end = int(first.Start), int(first.End)
	if first.Kind != smtlib.LParen {
		return start, end, "", nil
	}
	head := s.lex.Next()
	switch {
	case head.Kind == smtlib.RParen:
		return start, int(head.End), "", nil
	case head.Kind == smtlib.LParen:
		end, err = s.closeAll(2)
		return start, end, "", err
	case head.Kind != smtlib.Symbol || s.lex.Text(head) != "!":
		end, err = s.closeAll(1)
		return start, end, "", err
	}
	inner := s.lex.Next()
	start, end = int(inner.Start), int(inner.End)
	switch inner.Kind {
	case smtlib.RParen: // (!)
		return start, start, "", nil
	case smtlib.LParen:
		if end, err = s.closeAll(1); err != nil {
			return 0, 0, "", err
		}
	}
	label, err = s.attributes()
	return start, end, label, err
}

// attributes reads to the end of an annotation and returns its first name.
func (s *scanner) attributes() (label string, err error) {
	named := false
	for {
		tok := s.lex.Next()
		switch {
		case tok.Kind == smtlib.RParen:
			return label, nil
		case tok.Kind == smtlib.EOF:
			return "", s.unclosed()
		case tok.Kind == smtlib.LParen:
			if _, err := s.closeAll(1); err != nil {
				return "", err
			}
		case named && label == "" && (tok.Kind == smtlib.Symbol || tok.Kind == smtlib.QuotedSymbol):
			label = s.lex.Text(tok)
		}
		named = tok.Kind == smtlib.Keyword && s.lex.Text(tok) == ":named"
	}
}

// closeAll reads until depth open lists are closed, and returns the position after the last parenthesis.
func (s *scanner) closeAll(depth int) (int, error) {
	for {
		tok := s.lex.Next()
		switch tok.Kind {
		case smtlib.LParen:
			depth++
		case smtlib.RParen:
			if depth--; depth == 0 {
				return int(tok.End), nil
			}
		case smtlib.EOF:
			return 0, s.unclosed()
		}
	}
}

func (s *scanner) unclosed() error {
	return fmt.Errorf("the command at %v is not closed", smtlib.PositionAt(s.src, int(s.open.Start)))
}
