// Package exit defines how a command ends: the exit codes that errors carry, and the advice shown for errors of the
// machine.
package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Advice returns advice for an error of the machine, such as a full disk, or "".
func Advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "\nThere is no space left. Free some and run again: finished work is kept."
	case errors.Is(err, syscall.EROFS):
		return "\nThe file system cannot be written. Mount it for writing, or name another store with --store."
	case errors.Is(err, fs.ErrPermission):
		return "\nRun as a user with permission, change the permissions, or name another store with --store."
	}
	return ""
}

// Questions are fragments of the error messages that docs/start/faq.md explains.
var Questions = []string{
	"is not delegated to this user",
	"There is no space left",
	"holds something that smtpipe did not write with this store, or that was changed since",
	"cannot be started: ",
	"runs have no result; the others are recorded",
	"is cut: it ends before its content does",
	"; the file was changed",
}

// SeeQuestions returns a reference to the page that explains an error, in parentheses. It returns "" if no page does or
// the error already contains the reference.
func SeeQuestions(text string) string {
	const page = "(docs/start/faq.md)"
	if strings.Contains(text, page) {
		return ""
	}
	for _, q := range Questions {
		if strings.Contains(text, q) {
			return " " + page
		}
	}
	return ""
}

// Plain explains a file system error, showing the path as written in the pipeline.
func Plain(err error, path string) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no %s", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be read: no permission", path)
	}
	return err
}
