package main

import "strings"

// questions are parts of the errors that docs/start/faq.md explains.
var questions = []string{
	"is not delegated to this user",
	"There is no space left",
	"holds something that smtpipe did not write with this store, or that was changed since",
	"cannot be started: ",
	"runs have no result; the others are recorded",
	"is cut: it ends before its content does",
	"; the file was changed",
}

// seeQuestions returns a reference to the explanation of an error, in brackets; empty if there is none, or if the error
// has it already.
func seeQuestions(text string) string {
	const page = "(docs/start/faq.md)"
	if strings.Contains(text, page) {
		return ""
	}
	for _, q := range questions {
		if strings.Contains(text, q) {
			return " " + page
		}
	}
	return ""
}
