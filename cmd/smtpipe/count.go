package main

import "fmt"

// counted returns "1 problem" or "2 problems".
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// many returns "1 run" or "658,873 runs".
func many(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return thousands(n) + " " + word + "s"
}

// are returns "1 stage is" or "2 stages are".
func are(n int, word string) string {
	if n == 1 {
		return counted(n, word) + " is"
	}
	return counted(n, word) + " are"
}
