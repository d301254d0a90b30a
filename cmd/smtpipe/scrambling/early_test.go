package scrambling

import (
	"reflect"
	"testing"
)

func TestPlain(t *testing.T) {
	with := func(change func(*Flags)) Flags {
		f := Default()
		change(&f)
		return f
	}
	tests := []struct {
		name  string
		args  []string
		flags Flags
		file  string // "" if the command line is left to the rest of the program
	}{
		{"nothing but the command", nil, Default(), "-"},
		{"a file", []string{"a.smt2"}, Default(), "a.smt2"},
		{"standard input", []string{"-"}, Default(), "-"},
		{"a seed", []string{"--seed", "42", "a.smt2"}, with(func(f *Flags) { f.Seed = 42 }), "a.smt2"},
		{"a seed in hexadecimal, as the library reads it", []string{"--seed=0x10", "-"}, with(func(f *Flags) { f.Seed = 16 }), "-"},
		{"all flags", []string{"--mode", "incremental", "--no-header", "--annotations=all", "--core", "c", "a"},
			Flags{Mode: "incremental", Annotations: "all", Core: "c", NoHeader: true}, "a"},
		{"the last one counts", []string{"--seed", "1", "--seed", "2"}, with(func(f *Flags) { f.Seed = 2 }), "-"},
		{"a seed that is no number", []string{"--seed", "x", "a"}, Flags{}, ""},
		{"a flag without its value", []string{"--seed"}, Flags{}, ""},
		{"a flag with a value that it does not take so", []string{"--no-header=true", "a"}, Flags{}, ""},
		{"a flag behind the file", []string{"a", "--seed", "1"}, Flags{}, ""},
		{"a flag of the long way", []string{"--count-asserts", "a"}, Flags{}, ""},
		{"help", []string{"--help"}, Flags{}, ""},
		{"the end of the flags", []string{"--", "a"}, Flags{}, ""},
		{"two files", []string{"a", "b"}, Flags{}, ""},
		{"an empty name", []string{""}, Flags{}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			flags, file, ok := plain(append([]string{"smtpipe", "tool", "scramble"}, tt.args...))
			if ok != (tt.file != "") {
				t.Fatalf("got %v (%+v, %q), want %v", ok, flags, file, tt.file != "")
			}
			if ok && (file != tt.file || !reflect.DeepEqual(flags, tt.flags)) {
				t.Errorf("got %+v and %q, want %+v and %q", flags, file, tt.flags, tt.file)
			}
		})
	}
	for _, args := range [][]string{nil, {"smtpipe"}, {"smtpipe", "tool"}, {"smtpipe", "tool", "score"}, {"smtpipe", "plan", "scramble"}} {
		if _, _, ok := plain(args); ok {
			t.Errorf("took %q for a call of the scrambler", args)
		}
	}
}
