package ui

import (
	"os"

	"golang.org/x/term"
)

// terminalWidth returns a terminal's number of columns.
func terminalWidth(f *os.File) (int, error) {
	w, _, err := term.GetSize(int(f.Fd()))
	return w, err
}
