package trace

import "strings"

// splitter splits a script into commands.
//
// Line feeds before a command are dropped. Other text before it, such as a comment, is part of the command. A command
// ends with the parenthesis that closes its first one. The rest of that line is part of the next command.
type splitter struct {
	text []byte
	pos  int

	// literal splits like the official executor: string literals are not recognised, and a backslash escapes the next
	// character. Otherwise, string literals are recognised and the backslash is an ordinary character, as in SMT-LIB.
	literal bool
}

// command is the text of one command, without the line feeds before it.
type command struct {
	text     []byte
	checkSat bool
}

// isExit reports whether the command is (exit).
func (c command) isExit() bool { return string(trim(c.text)) == "(exit)" }

// next returns the next command. ok is false if the script ends before another command is complete.
func (s *splitter) next() (cmd command, ok bool) {
	for s.pos < len(s.text) && s.text[s.pos] == '\n' {
		s.pos++
	}
	start := s.pos
	open, depth, nested := -1, 0, false
	for i := start; i < len(s.text); i++ {
		switch s.text[i] {
		case '(':
			if depth++; depth == 1 {
				open = i
			} else {
				nested = true
			}
		case ')':
			if depth == 0 {
				continue
			}
			if depth--; depth == 0 {
				s.pos = i + 1
				return command{s.text[start:s.pos], !nested && isCheckSat(s.text[open+1:i])}, true
			}
		case ';', '|', '"', '\\':
			i = s.skip(i)
		}
	}
	s.pos = len(s.text)
	return command{}, false
}

// skip returns the last position of the construct at i, in which parentheses do not count.
func (s *splitter) skip(i int) int {
	c := s.text[i]
	switch {
	case c == '\\' && s.literal:
		return i + 1
	case c == '\\', c == '"' && s.literal:
		return i
	}
	end := c
	if c == ';' {
		end = '\n'
	}
	for i++; i < len(s.text) && s.text[i] != end; i++ {
	}
	return i // a doubled quote inside a string closes it and opens the next one
}

// isCheckSat reports whether the text between a command's parentheses is check-sat, ignoring white space.
func isCheckSat(inner []byte) bool {
	const want = "check-sat"
	n := 0
	for _, c := range inner {
		if strings.IndexByte(space, c) >= 0 {
			continue
		}
		if n == len(want) || c != want[n] {
			return false
		}
		n++
	}
	return n == len(want)
}
