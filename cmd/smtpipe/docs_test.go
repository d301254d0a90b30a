package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
)

// docPages returns the pages whose commands are checked.
func docPages(t *testing.T) []string {
	t.Helper()
	pages := allPages(t)
	return slices.DeleteFunc(append(pages, "../../README.md"), func(page string) bool {
		folder := filepath.Base(filepath.Dir(page))
		return folder == "rules" || folder == "stages" // other tests check these examples
	})
}

func allPages(t *testing.T) []string {
	t.Helper()
	top, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(top) == 0 || len(top) > 4 {
		t.Fatalf("docs has %v, %v; there should be one to four pages beside its folders", top, err)
	}
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("docs: %v, %v", pages, err)
	}
	return append(top, pages...)
}

// TestPagesSayForWhom checks that each handwritten page states, below its title, who should read it.
func TestPagesSayForWhom(t *testing.T) {
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		title, rest, _ := strings.Cut(string(text), "\n\n")
		says := strings.HasPrefix(title, "# ") && strings.HasPrefix(rest, "*For ")
		if filepath.Base(page) != "README.md" && !says {
			t.Errorf("%s does not begin with its title and \"*For …*\"", page)
		}
	}
}

// example contains commands that a page asks readers to type: a block, or the last column of a table.
type example struct {
	page     string
	line     int
	prepared string // for "run", the archive in testdata/docs that prepares the folder
	reason   string // for "not run", the reason
	scripts  []string
}

// TestDocs executes the commands in README.md and docs/. A comment before a block selects the folder:
//
//	<!-- run: NAME -->        testdata/docs/NAME.txtar: a test script that prepares it, its files, and the
//	                          file "after", a script that checks what the commands left
//	<!-- not run: REASON -->
//
// All blocks of a page with the same name are executed in one folder, each in a separate shell. A command that must end
// with an exit code other than 0 states it: "# exit code 3". Tables whose last heading ends with "with smtpipe" are
// executed command by command.
func TestDocs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, page := range docPages(t) {
		byName := map[string][]example{}
		for _, e := range pageExamples(t, page) {
			switch {
			case e.prepared == "" && e.reason == "":
				t.Errorf("%s:%d: commands without <!-- run: NAME --> or <!-- not run: REASON -->", e.page, e.line)
			case e.prepared != "":
				byName[e.prepared] = append(byName[e.prepared], e)
			}
		}
		for name, examples := range byName {
			writeDocScript(t, dir, name, examples)
		}
	}
	params := scriptParams(t)
	params.Dir = dir
	params.UpdateScripts = false
	params.ContinueOnError = true // report all stale commands together
	testscript.Run(t, params)
}

// writeDocScript writes the test script for those blocks of a page that are executed in the same prepared folder.
func writeDocScript(t *testing.T, dir, name string, examples []example) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "docs", name+".txtar"))
	if err != nil {
		t.Fatalf("%s:%d: %v", examples[0].page, examples[0].line, err)
	}
	var script strings.Builder
	script.Write(archive.Comment)
	for _, e := range examples {
		for i, commands := range e.scripts {
			file := fmt.Sprintf("line-%d-%d.sh", e.line, i)
			fmt.Fprintf(&script, "\nexec sh -eux %s\n", file)
			archive.Files = append(archive.Files, txtar.File{Name: file, Data: []byte(commands)})
		}
	}
	for _, f := range archive.Files {
		if f.Name == "after" {
			script.Write(f.Data)
		}
	}
	archive.Comment = []byte(script.String())
	page := strings.TrimSuffix(filepath.Base(examples[0].page), ".md")
	if err := os.WriteFile(filepath.Join(dir, page+"_"+name+".txt"), txtar.Format(archive), 0o666); err != nil {
		t.Fatal(err)
	}
}

var (
	docNote    = regexp.MustCompile(`^<!-- (run|not run): (.*) -->$`)
	docCommand = regexp.MustCompile(`^\s*(\$ )?(\S*/)?(smtpipe|make|table-generator)( |$)`)
	docCode    = regexp.MustCompile("`((?:\\./)?smtpipe [^`]*)`([^`]*)")
	docExit    = regexp.MustCompile(`exit code (\d+)`)
	docOther   = regexp.MustCompile(`^(not yet|nothing to type): \S`)
)

// pageExamples returns a page's blocks and tables with commands.
func pageExamples(t *testing.T, page string) (examples []example) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	var note []string
	for i := 0; i < len(lines); {
		if m := docNote.FindStringSubmatch(lines[i]); m != nil {
			note = m
			i++
			continue
		}
		end, scripts := docBlock(t, page, lines, i)
		if len(scripts) > 0 {
			e := example{page: page, line: i + 1, scripts: scripts}
			if note != nil && note[1] == "run" {
				e.prepared = note[2]
			} else if note != nil {
				e.reason = note[2]
			}
			examples = append(examples, e)
		} else if note != nil && lines[i] != "" {
			t.Errorf("%s:%d: a comment about commands, and no commands after it", page, i+1)
		}
		if lines[i] != "" {
			note = nil
		}
		i = end
	}
	return examples
}

// docBlock returns the line after the block or table that starts at a line, and the commands in it. Any other line
// counts as a block without commands.
func docBlock(t *testing.T, page string, lines []string, i int) (end int, scripts []string) {
	t.Helper()
	end = i + 1
	run := func(in func(string) bool) []string {
		for end < len(lines) && in(lines[end]) {
			end++
		}
		return lines[i:end]
	}
	switch line := lines[i]; {
	case strings.HasPrefix(line, "```"):
		block := run(func(l string) bool { return !strings.HasPrefix(l, "```") })
		end++
		if line == "```" || line == "```sh" {
			return end, shellOf(block[1:])
		}
	case strings.HasPrefix(line, "    ") && i > 0 && lines[i-1] == "":
		return end, shellOf(run(func(l string) bool { return strings.HasPrefix(l, "    ") }))
	case strings.HasPrefix(line, "|"):
		table := run(func(l string) bool { return strings.HasPrefix(l, "|") })
		if !strings.HasSuffix(line, "with smtpipe |") {
			break
		}
		for k, row := range table[2:] {
			cell := lastCell(row)
			found := docCode.FindAllStringSubmatch(cell, -1)
			if len(found) == 0 && !docOther.MatchString(cell) {
				t.Errorf(`%s:%d: no command, nor "not yet: ..." or "nothing to type: ..."`, page, i+k+3)
			}
			for _, m := range found {
				scripts = append(scripts, shellLine(strings.ReplaceAll(m[1], `\|`, "|"), m[2]))
			}
		}
	}
	return end, scripts
}

// lastCell returns a table row's last cell.
func lastCell(row string) string {
	cells := regexp.MustCompile(`[^\\]\|`).Split(strings.TrimSuffix(row, "|"), -1)
	return strings.TrimSpace(cells[len(cells)-1])
}

// shellOf returns a block's shell script, or nil if the block contains no smtpipe command. In a block with prompts, the
// other lines are output.
func shellOf(block []string) []string {
	if !slices.ContainsFunc(block, docCommand.MatchString) {
		return nil
	}
	prompts := slices.ContainsFunc(block, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "$ ") })
	var script, whole strings.Builder
	for _, line := range block {
		command, prompt := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if prompts && !prompt {
			continue
		}
		part, more := strings.CutSuffix(command, `\`)
		whole.WriteString(part)
		if more {
			continue
		}
		_, comment, _ := strings.Cut(whole.String(), " # ")
		script.WriteString(shellLine(whole.String(), comment))
		whole.Reset()
	}
	return []string{script.String()}
}

// shellLine returns a command that must end with the exit code given in the text after it, or with 0.
func shellLine(command, text string) string {
	if m := docExit.FindStringSubmatch(text); m != nil {
		command, _, _ = strings.Cut(command, " # ")
		return "code=0; " + command + " || code=$?; test $code = " + m[1] + "\n"
	}
	return command + "\n"
}

// TestDocsNameCommands checks that every smtpipe command on a page, executed or not, exists with its flags.
func TestDocsNameCommands(t *testing.T) {
	inText := regexp.MustCompile("`(?:\\./)?smtpipe (?:-p \\S+ )?([a-z][^`]*)`")
	inBlock := regexp.MustCompile(`(?m)^(?:code=0; )?(?:\S*/)?smtpipe ([a-z][^;|\n]*)`)
	count := 0
	for _, page := range append(allPages(t), "../../README.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		found := inText.FindAllStringSubmatch(strings.ReplaceAll(string(data), "```", ""), -1)
		for _, e := range pageExamples(t, page) {
			found = append(found, inBlock.FindAllStringSubmatch(strings.Join(e.scripts, ""), -1)...)
		}
		for _, m := range found {
			count++
			if err := commandExists(strings.Fields(m[1])); err != nil {
				t.Errorf("%s: smtpipe %s: %v", page, m[1], err)
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d commands were found in the pages", count)
	}
}

// TestMigratingIsComplete checks that the page names every command of the organisers' tool exactly once.
func TestMigratingIsComplete(t *testing.T) {
	commands := strings.Fields(`show show-json get-contacts get-seed merge-pull-requests-locally validate
		dump-json-schema generate-graphics generate-unsatcore-validation-files
		prepare-execution generate-benchexec convert-benchexec-results store-results stats-of-benchexec-results
		find-disagreement-results scoring-removed-benchmarks show-scores download-archive generate-trivial-benchmarks
		create-benchmarks-list benchmarks-stats merge-results merge-benchmarks show-selection-stats
		show-aws-stats scramble-aws create-cache select-and-scramble generate-test-script check-model-locally
		export-results-pages build-dolmen generate-website-graphics export-tracks export-division-tracks
		generate-certificates`)
	page, err := os.ReadFile("../../docs/start/migrating.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(commands) != 36 {
		t.Errorf("the tool has 36 commands, and the test names %d", len(commands))
	}
	for _, c := range commands {
		if n := len(regexp.MustCompile("(?m)^\\| `"+c+"[` ]").FindAll(page, -1)); n != 1 {
			t.Errorf("the page has %d rows for %s", n, c)
		}
	}
}

// commandExists returns an error unless the words are an existing smtpipe command with existing flags.
func commandExists(words []string) error {
	cmd, rest, err := newRootCommand().Find(words)
	if err != nil {
		return err
	}
	if len(rest) > 0 && cmd.HasSubCommands() && !strings.HasPrefix(rest[0], "-") {
		return fmt.Errorf("%s has no command %s", cmd.CommandPath(), rest[0])
	}
	if cmd.DisableFlagParsing {
		return nil
	}
	for _, word := range rest {
		if word == "--" || word == "#" {
			break
		}
		name, long := strings.CutPrefix(strings.Trim(word, "[]`,.\""), "--")
		name, _, _ = strings.Cut(name, "=")
		if long && cmd.Flags().Lookup(name) == nil && cmd.InheritedFlags().Lookup(name) == nil && name != "help" {
			return fmt.Errorf("%s has no flag --%s", cmd.CommandPath(), name)
		}
	}
	return nil
}
