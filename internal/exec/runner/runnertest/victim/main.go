// Command victim misbehaves in the ways that its arguments name. The runner's tests execute it. Each command imitates a
// solver that burns CPU time, floods its output, forks, hides or attacks.
//
// Usage: victim COMMAND [ARG...] [, COMMAND [ARG...]]...
//
// Commands separated by commas are executed in order.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
)

// commands maps names to misbehaviours.
var commands = map[string]func(args []string){
	"alloc":       alloc,
	"args":        printArgs,
	"attack":      attack,
	"burn":        burn,
	"burnuser":    burnUser,
	"child":       child,
	"closeout":    closeOut,
	"connect":     connect,
	"daemon":      daemon,
	"echo":        echo,
	"exit":        exit,
	"facts":       facts,
	"flood":       flood,
	"forkbomb":    forkBomb,
	"ignore":      ignoreSignals,
	"ipc":         ipc,
	"kill":        kill,
	"killall":     killAll,
	"leavecgroup": leaveCgroup,
	"leavefiles":  leaveFiles,
	"line":        longLine,
	"ls":          list,
	"print":       printText,
	"raise":       raisePriority,
	"read":        read,
	"readall":     readAll,
	"sleep":       sleep,
	"spawn":       spawn,
	"stdin":       stdin,
	"stop":        stop,
	"truncate":    truncateOut,
	"write":       write,
}

func main() {
	args := os.Args[1:]
	for len(args) > 0 {
		n := 0
		for n < len(args) && args[n] != "," {
			n++
		}
		deed := args[:n]
		args = args[min(n+1, len(args)):]
		if len(deed) == 0 {
			continue
		}
		f, ok := commands[deed[0]]
		if !ok {
			fmt.Fprintf(os.Stderr, "victim knows no %q, only %v\n", deed[0], slices.Sorted(maps.Keys(commands)))
			os.Exit(64)
		}
		f(deed[1:])
	}
}

// fail exits with a message, which the tests print.
func fail(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(65)
}
