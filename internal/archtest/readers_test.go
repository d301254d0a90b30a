package archtest

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Reasons why a file may be read without a limit from package limits.
const (
	own     = "smtpipe wrote it"
	machine = "it is part of this machine"
	given   = "the user names it, and it is read once: a benchmark, an HCL file to format, what a solver printed"
	bounded = "it has its own bound beside it"
)

// unlimited lists files that read a whole file, or a value of any size and nesting, without a limit from package
// limits, each with the reason.
var unlimited = map[string]string{
	"internal/contest/preflight/workflow.go":   own,
	"internal/lang/builds/library.go":          given,
	"cmd/smtpipe/compare_history.go":           given,
	"internal/lang/builds/lab.go":              given,
	"cmd/smtpipe/exit.go":                      machine,
	"internal/audit/project/failures.go":       given,
	"cmd/smtpipe/fmt.go":                       given,
	"internal/audit/project/document.go":       bounded, // maxPlanBytes
	"internal/audit/reproduce/site.go":         given,
	"internal/base/outfile/outfile.go":         bounded, // only a file of the size of the new content
	"cmd/smtpipe/tool_checkmodel.go":           given,
	"cmd/smtpipe/tool_postprocess.go":          given,
	"cmd/smtpipe/tool_scramble.go":             given,
	"cmd/smtpipe/whatif.go":                    given,
	"internal/cache/action.go":                 own,
	"internal/cache/backup.go":                 own,
	"internal/cache/blob.go":                   own,
	"internal/cache/files.go":                  own,
	"internal/cache/identity.go":               own,
	"internal/cache/publish.go":                own,
	"internal/cache/remote/netrc.go":           given,
	"internal/cache/store.go":                  own,
	"internal/cache/through.go":                own,
	"internal/cache/written.go":                own,
	"internal/audit/freeze/inputs.go":          bounded, // checked against limits.Submission first
	"internal/smt/release/download.go":         own,
	"internal/smt/release/record.go":           bounded, // maxRecord
	"internal/data/results/benchexec/logs.go":  bounded, // maxLog
	"internal/data/results/intake/record.go":   bounded, // 16 MiB per line
	"internal/exec/runner/initproc/init.go":    machine,
	"internal/exec/runner/cgroupv1.go":         machine,
	"internal/exec/runner/layout.go":           machine,
	"internal/exec/runner/solver/unpack.go":    bounded, // 4096 bytes per link
	"internal/exec/runner/topology.go":         machine,
	"internal/audit/signature/key.go":          given,
	"internal/data/results/differ.go":          bounded, // a row that is already in memory
	"internal/exec/solvertree/solvertree.go":   own,
	"internal/stages/command/command.go":       given,
	"internal/stages/fanout/place.go":          own, // a status file
	"internal/stages/report/previous.go":       own,
	"internal/smt/trace/script.go":             given,
	"internal/exec/worker/benchexec/job.go":    own,
	"internal/exec/worker/benchexec/ledger.go": own,
	"internal/exec/worker/exchange/blobs.go":   own, // named by its digest
	"internal/exec/worker/exchange/serve.go":   own,
	"internal/exec/worker/jobs/executor.go":    own,
	"internal/exec/worker/jobs/folder.go":      own,
	"internal/exec/worker/work.go":             given,
}

// notShipped are packages that read no untrusted data, or that define the limits themselves.
var notShipped = []string{"internal/testkit", "internal/ship", "internal/ship/docsite", "internal/base/limits",
	"examples", "internal/exec/runner/runnertest"}

// whole matches calls that read everything, and decoders of nested formats.
var whole = regexp.MustCompile(`\b(os\.ReadFile|io\.ReadAll|json\.NewDecoder|xml\.NewDecoder|csv\.NewReader)\(`)

// TestReaders finds every reader of possibly untrusted data that does not use a limit from package limits.
// TestStrangers in that package feeds hostile files to all other readers.
func TestReaders(t *testing.T) {
	found := map[string]bool{}
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		if strings.HasSuffix(path, "test") || slices.ContainsFunc(notShipped, func(part string) bool {
			return strings.HasPrefix(path, part)
		}) {
			continue // not shipped, or package limits itself
		}
		for _, file := range p.GoFiles {
			src, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			name := path + "/" + file
			for line := range strings.Lines(string(src)) {
				if whole.MatchString(line) && !strings.Contains(line, "limits.") {
					found[name] = true
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if unlimited[name] == "" {
			t.Errorf("%s reads a whole file, or a nested format, without a limit of internal/base/limits; take one, and add "+
				"the reader to strangers_test.go there, or say here why it needs none", name)
		}
	}
	for name := range unlimited {
		if !found[name] {
			t.Errorf("%s has no such reader any more", name)
		}
	}
}
