package ui

import (
	"os"

	"golang.org/x/term"
)

// terminalWidth returns the number of columns of a terminal.
func terminalWidth(f *os.File) (int, error) {
	w, _, err := term.GetSize(int(f.Fd()))
	return w, err
}
