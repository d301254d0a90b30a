package selection_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
)

func TestReadUnfit(t *testing.T) {
	list, err := selection.ReadUnfit(strings.NewReader(`benchmark,reason
QF_BV/a/x.smt2,"not well-formed, in line 3"

incremental/UF/y.smt2, too easy
`))
	want := []selection.Unfit{
		{"QF_BV/a/x.smt2", "not well-formed, in line 3", 2},
		{"incremental/UF/y.smt2", "too easy", 4},
	}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("got %v (%v), want %v", list, err, want)
	}
	if list, err := selection.ReadUnfit(strings.NewReader("benchmark,reason\n")); err != nil || len(list) != 0 {
		t.Errorf("an empty list gives %v (%v)", list, err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "must begin with the line benchmark,reason"},
		{"no header", "QF_BV/a/x.smt2,broken\n", "must begin with the line benchmark,reason"},
		{"one column", "benchmark\nQF_BV/a/x.smt2\n", "wrong number of fields"},
		{"no reason", "benchmark,reason\nUF/x.smt2,\n", "line 2: there is no reason for UF/x.smt2"},
		{"no benchmark", "benchmark,reason\n,broken\n", "line 2: there is no benchmark"},
		{"twice", "benchmark,reason\nUF/x.smt2,a\nUF/y.smt2,a\nUF/x.smt2,b\n",
			"line 4: UF/x.smt2 is already in line 2"},
		{"two mistakes", "benchmark,reason\nUF/x.smt2,\nUF/x.smt2,b\n",
			"line 2: there is no reason for UF/x.smt2\nline 3: UF/x.smt2 is already in line 2"},
	} {
		_, err := selection.ReadUnfit(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestManyErrors checks that a list with many mistakes, such as one for another release, is reported in few lines.
func TestManyErrors(t *testing.T) {
	text := "benchmark,reason\n" + strings.Repeat("UF/x.smt2,\n", 1000)
	_, err := selection.ReadUnfit(strings.NewReader(text))
	_, absent := selection.FindUnfit(make([]selection.Unfit, 1000), nil)
	for _, err := range []error{err, absent} {
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != 21 || lines[20] != "there are 980 more errors" {
			t.Errorf("%d lines, the last is %q", len(lines), lines[len(lines)-1])
		}
	}
}

func TestFindUnfit(t *testing.T) {
	paths := []string{
		"incremental/UF/b.smt2", "incremental/UF/both.smt2", "non-incremental/UF/a.smt2",
		"non-incremental/UF/both.smt2",
		"AUFLIA+p/x.smt",
	}
	for _, c := range []struct {
		name  string
		list  []string
		want  []int
		error string
	}{
		{"none", nil, []int{-1, -1, -1, -1, -1}, ""},
		{"with and without the collection", []string{"UF/a.smt2", "incremental/UF/b.smt2"}, []int{1, -1, 0, -1, -1},
			""},
		{"a folder before it", []string{"./non-incremental/UF/both.smt2"}, []int{-1, -1, -1, 0, -1}, ""},
		{"of 2008", []string{"AUFLIA+p/x.smt"}, []int{-1, -1, -1, -1, 0}, ""},
		{"unknown", []string{"UF/a.smt2", "UF/c.smt2"}, nil, "line 3: there is no benchmark UF/c.smt2"},
		{"of the other collection", []string{"incremental/UF/a.smt2"}, nil,
			"line 2: there is no benchmark incremental/UF/a.smt2"},
		{"of both", []string{"UF/both.smt2"}, nil,
			"line 2: UF/both.smt2 is ambiguous: incremental/UF/both.smt2 or non-incremental/UF/both.smt2; name the collection"},
		{"twice by two names", []string{"UF/a.smt2", "non-incremental/UF/a.smt2"}, nil,
			"line 3: non-incremental/UF/a.smt2 is already in line 2"},
	} {
		var list []selection.Unfit
		for i, name := range c.list {
			list = append(list, selection.Unfit{Benchmark: name, Reason: "some", Line: i + 2})
		}
		got, err := selection.FindUnfit(list, paths)
		if c.error != "" && err != nil && err.Error() == c.error {
			continue
		}
		if c.error != "" || err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, want %v, %q", c.name, got, err, c.want, c.error)
		}
	}
}
