package verify

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// TestPage checks that the page states the same as the text, needs no other files, and shows untrusted input as text.
func TestPage(t *testing.T) {
	same := Report{Path: "frozen", Stages: []Stage{{Addr: "stage.score.main", State: Same, Rows: 3},
		{Addr: "stage.execute.main", State: Measured, Why: "on a machine", Rows: 9}},
		Signature: Signature{State: unchecked, Key: "ssh-ed25519 SHA256:abc"}}
	differs := same
	differs.Differences = []Finding{{"stage.score.main.scores", `row <script>alert(1)</script>: column n is "3", and "4" follows`}}
	differs.Signature = Signature{State: bad, Why: "it was made with another key"}
	again := same
	again.Measurement = &Measurement{Runs: 12, Here: "a laptop", Elsewhere: true, Factor: 1.5,
		Times: []SolverTimes{{Solver: "z3", Runs: 31, Ratio: 1.62, Low: 1.5, High: 1.7, Verdict: TimesDiffer},
			{Solver: "cvc5", Runs: 4, Verdict: TooFew}},
		Contradictions: []Contradiction{{Solver: "z3", Benchmark: "LIA/a.smt2", Then: "sat", Now: "unsat",
			LogThen: "sat\n", LogNow: "<b>unsat</b>\n"}}}
	tests := []struct {
		name   string
		report Report
		want   []string
		not    []string
	}{
		{"same", same, []string{">holds<", "was recomputed and is the same: 1 stages.", "whoever invents outputs",
			`<span class="badge warn">unchecked</span> the lock is signed with ssh-ed25519 SHA256:abc`, ">on a machine<"},
			[]string{">differs<", "Differences", "Measurement"}},
		{"differs", differs, []string{">differs<", "NOT what it claims to be: 1 thing differs.",
			"row &lt;script&gt;alert(1)&lt;/script&gt;",
			`<span class="badge bad">bad</span> BAD: it was made with another key`}, []string{">holds<", "<script"}},
		{"contradicts", again, []string{">holds<", ">contradicts<", "12 runs were repeated on a laptop",
			"1.50 times the original ones",
			">1.62<", ">1.50 to 1.70<", ">differ<", ">too few<", ">CONTRADICTION: z3 on", "&lt;b&gt;unsat&lt;/b&gt;",
			"LIA/a.smt2: sat then, unsat now"},
			[]string{"No answer contradicts", "whoever invents", "does not contradict"}},
	}
	outside := regexp.MustCompile(`(?i)(src|href)="[^#]|url\(|@import|<script|https?://`)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := tt.report.WriteHTML(&b); err != nil {
				t.Fatal(err)
			}
			page := b.String()
			if found := outside.FindString(page); found != "" {
				t.Errorf("the page needs something else: %q", found)
			}
			for _, want := range tt.want {
				if !strings.Contains(page, want) {
					t.Errorf("the page does not have %q:\n%s", want, page[strings.Index(page, "<body>"):])
				}
			}
			for _, not := range tt.not {
				if strings.Contains(page[strings.Index(page, "<body>"):], not) {
					t.Errorf("the page has %q", not)
				}
			}
		})
	}
}
