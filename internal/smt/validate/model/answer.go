package model

import (
	"bytes"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// readAnswer returns the first word of the response after any success, and the offset after that word and any further
// success. If the response does not begin with a word, it returns "(" or the text of the first token.
func readAnswer(response []byte) (answer string, rest int) {
	lex := smtlib.NewLexer(string(response))
	tok := lex.Next()
	for isSuccess(lex, tok) {
		tok = lex.Next()
	}
	if tok.Kind == smtlib.EOF {
		return "", len(response)
	}
	rest = int(tok.End)
	answer = lex.Text(tok)
	for tok = lex.Next(); isSuccess(lex, tok); tok = lex.Next() {
		rest = int(tok.End)
	}
	return answer, rest
}

func isSuccess(lex *smtlib.Lexer, tok smtlib.Token) bool {
	return tok.Kind == smtlib.Symbol && lex.Text(tok) == "success"
}

// judgeAnswer judges responses without a model. It returns false if there may be a model.
func judgeAnswer(answer string, rest []byte) (Result, bool) {
	switch comp.Answer(answer) {
	case comp.AnswerSat:
		if onlyBlank(rest) || errorResponse(rest) {
			return Result{Verdict: Unknown, Kind: NoModel, Reason: "the answer is sat, but no model follows"}, true
		}
		return Result{}, false
	case comp.AnswerUnsat:
		return Result{Verdict: Invalid, Kind: AnswerUnsat, Reason: "the answer is unsat"}, true
	case comp.AnswerUnknown:
		return Result{Verdict: Unknown, Kind: AnswerUnknown, Reason: "the answer is unknown"}, true
	case comp.AnswerNone:
		return Result{Verdict: Unknown, Kind: NoAnswer, Reason: "the response is empty"}, true
	}
	if len(answer) > 40 {
		answer = answer[:40] + "..."
	}
	return Result{Verdict: Unknown, Kind: NoAnswer, Reason: "the response begins with " + strings.ToValidUTF8(answer,
		"?") + ", not with an answer"}, true
}

// blankAnswer returns the response with spaces instead of the answer, so that offsets in the model equal offsets in the
// response.
func blankAnswer(response []byte, rest int) []byte {
	text := bytes.Clone(response)
	for i := range rest {
		if text[i] != '\n' {
			text[i] = ' '
		}
	}
	return text
}

// onlyBlank reports whether a text contains nothing but white space and comments.
func onlyBlank(text []byte) bool {
	return smtlib.NewLexer(string(text)).Next().Kind == smtlib.EOF
}

// errorResponse reports whether the text after the answer is an error message or unsupported, as printed by solvers
// without models.
func errorResponse(text []byte) bool {
	lex := smtlib.NewLexer(string(text))
	tok := lex.Next()
	if tok.Kind != smtlib.LParen {
		return tok.Kind == smtlib.Symbol && lex.Text(tok) == "unsupported"
	}
	tok = lex.Next()
	return tok.Kind == smtlib.Symbol && lex.Text(tok) == "error"
}

// modelEnd returns the offset after a model's closing parenthesis. ok is false if the model is not in parentheses or
// they are not closed.
func modelEnd(text []byte) (end int, ok bool) {
	lex := smtlib.NewLexer(string(text))
	depth := 0
	for i := 0; ; i++ {
		tok := lex.Next()
		switch {
		case tok.Kind == smtlib.EOF, i == 0 && tok.Kind != smtlib.LParen:
			return 0, false
		case i == 1 && tok.Kind == smtlib.Symbol && lex.Text(tok) != "model":
			return 0, false // a single definition, without surrounding parentheses
		case tok.Kind == smtlib.LParen:
			depth++
		case tok.Kind == smtlib.RParen:
			if depth--; depth == 0 {
				return int(tok.End), true
			}
		}
	}
}
