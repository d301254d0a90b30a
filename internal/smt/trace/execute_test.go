package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// peer plays a solver. It answers each write with the next reply, and its output ends after the last reply. Execute is
// synchronous, so peer needs no goroutine.
type peer struct {
	replies  []string
	received []string
	unread   bytes.Buffer
	clock    fakeClock
}

func (p *peer) Write(b []byte) (int, error) {
	p.received = append(p.received, string(b))
	if len(p.replies) > 0 {
		p.unread.WriteString(p.replies[0])
		p.replies = p.replies[1:]
		p.clock.wall += time.Second
		p.clock.cpu += 2 * time.Second
	}
	return len(b), nil
}

func (p *peer) Read(b []byte) (int, error) { return p.unread.Read(b) }

// fakeClock is advanced by hand.
type fakeClock struct{ wall, cpu time.Duration }

func (c *fakeClock) WallTime() time.Duration { return c.wall }
func (c *fakeClock) CPUTime() time.Duration  { return c.cpu }

func mustParse(t testing.TB, text string) *Script {
	t.Helper()
	s, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// three is a benchmark with three check-sats whose expected answers are sat, unknown and unsat.
const three = `sat
unknown
unsat
--- BENCHMARK BEGINS HERE ---
(set-logic QF_UF)
(check-sat)
(push 1)
(check-sat)
(pop 1)
(check-sat)
(exit)
`

// TestExecute compares with dialogues of the official trace executor: the commands sent, the output, and the ending.
func TestExecute(t *testing.T) {
	opt := Options{ContinueAfterUnknown: true}
	tests := []struct {
		name    string
		script  string
		opt     Options
		replies string // separated by spaces; ~ stands for a line feed and _ for a space
		log     string
		ending  Ending
		answers string
		sent    int // number of writes, including the option and (exit)
	}{
		{"all right", three, opt, "success~ success~ sat~ success~ unsat~ success~ unsat~ success~",
			"sat\nunsat\nunsat\n", Finished, "sat,unsat*2", 8},
		{"up to the first unknown", three, Options{}, "success~ success~ sat~ success~", "sat\n", Finished, "sat", 4},
		{"unknown is no reason to stop", three, opt, "success~ success~ unknown~ success~ unknown~ success~ unsat~ " +
			"success~", "unknown\nunknown\nunsat\n", Finished, "unknown*2,unsat", 8},
		{"wrong answer", three, opt, "success~ success~ unsat~", "WRONG solver response: got unsat, expected sat\n",
			WrongAnswer, "unsat", 3},
		{"wrong at last", three, opt, "success~ success~ sat~ success~ sat~ success~ sat~",
			"sat\nsat\nWRONG solver response: got sat, expected unsat\n", WrongAnswer, "sat*3", 7},
		{"blank lines before the response", three, Options{}, "success~ ~~_~success~ ~_sat~ success~", "sat\n",
			Finished, "sat", 4},
		{"carriage return", three, Options{}, "success\r~ success\r~ sat\r~ success~", "sat\n", Finished, "sat", 4},
		{"no success for the option", three, opt, "unsupported~",
			"BAD response to set-option command: 'unsupported\n'\n", BadResponse, "", 1},
		{"dead at once", three, opt, "", "BAD response to set-option command: unexpected EOF\n", SolverEnded, "", 1},
		{"half a line at the end", three, opt, "succ", "BAD response to set-option command: unexpected EOF\n",
			SolverEnded, "", 1},
		{"error for a command", three, opt, "success~ (error_\"x\")~",
			"BAD response to status command: '(error \"x\")\n'\n", BadResponse, "", 2},
		{"dead after a command", three, opt, "success~ success~", "BAD response: unexpected EOF\n", SolverEnded, "", 3},
		{"dies in its answer", three, opt, "success~ success~ uns", "BAD response: unexpected EOF\n", SolverEnded, "",
			3},
		{"success for a check-sat", three, opt, "success~ success~ success~",
			"BAD response to check command: 'success\n'\n", BadResponse, "", 3},
		{"longer word", three, opt, "success~ success~ satisfied~", "BAD response to check command: 'satisfied\n'\n",
			BadResponse, "", 3},
		{"answers twice", three, opt, "success~ success~ sat~unsat~ success~",
			"sat\nBAD response to status command: 'unsat\n'\n", BadResponse, "sat", 4},
		{"keeps what was answered before a bad response", three, opt, "success~ success~ sat~ success~ (error)~",
			"sat\nBAD response to check command: '(error)\n'\n", BadResponse, "sat", 5},
		{"NUL in the response", three, opt, "success~ success~ sat\x00~",
			"BAD response to check command: 'sat\x00\n'\n", BadResponse, "", 3},
		{"not UTF-8", three, opt, "success~ \xff\xfe~", "BAD response to status command: '\xff\xfe\n'\n", BadResponse,
			"", 2},
		{"nothing expected", "unknown\nsat\n--- BENCHMARK BEGINS HERE ---\n(check-sat)\n", Options{}, "success~", "",
			Finished, "", 2},
		{"no answers in the header", "--- BENCHMARK BEGINS HERE ---\n(check-sat)\n", opt, "success~", "", Finished, "",
			2},
		{"exit before the last answer", "sat\nsat\n--- BENCHMARK BEGINS HERE ---\n(check-sat)\n (exit)\n(check-sat)",
			opt, "success~ sat~", "sat\n", Finished, "sat", 3},
		{"exit with a comment is a command", "sat\n--- BENCHMARK BEGINS HERE ---\n;c\n(exit)\n(check-sat)", opt,
			"success~ success~ sat~", "sat\n", Finished, "sat", 4},
		{"script too short", "sat\nsat\n--- BENCHMARK BEGINS HERE ---\n(check-sat)\n", opt, "success~ sat~",
			"sat\nBAD benchmark: unexpected EOF\n", BadBenchmark, "sat", 2},
		{"command not closed", "sat\n--- BENCHMARK BEGINS HERE ---\n(assert (and x y)\n(check-sat)\n", opt, "success~",
			"BAD benchmark: unexpected EOF\n", BadBenchmark, "", 1},
		{"check-sat-assuming is none", "sat\n--- BENCHMARK BEGINS HERE ---\n(check-sat-assuming (a))(check-sat)", opt,
			"success~ success~ sat~", "sat\n", Finished, "sat", 4},
		{"white space in check-sat", "sat\n--- BENCHMARK BEGINS HERE ---\n(\n check-sat\t)", opt, "success~ sat~",
			"sat\n", Finished, "sat", 3},
		{"comment in check-sat", "sat\n--- BENCHMARK BEGINS HERE ---\n(check-sat ;)\n)(check-sat)", opt,
			"success~ success~ sat~", "sat\n", Finished, "sat", 4},

		// Quirks that only Literal reproduces.
		{"literal: white space behind the answer", three, Options{Literal: true}, "success~ success~ sat_~",
			"WRONG solver response: got sat, expected sat\n", WrongAnswer, "sat", 3},
		{"literal: white space before it", three, Options{Literal: true}, "success~ success~ __sat~", "sat\n", Finished,
			"sat", 4},
		{"literal: white space before the expected answer", " sat\n--- BENCHMARK BEGINS HERE ---\n(check-sat)",
			Options{Literal: true}, "success~ sat~", "WRONG solver response: got sat, expected sat\n", WrongAnswer,
			"sat", 2},
		{"literal: unknown with white space behind", three, Options{Literal: true}, "success~ success~ unknown_~",
			"unknown\n", Finished, "unknown", 4},
		{"a parenthesis in a string", "sat\n--- BENCHMARK BEGINS HERE ---\n(assert (= x \")|;\"))(check-sat)",
			Options{}, "success~ success~ sat~", "sat\n", Finished, "sat", 4},
		{"literal: a parenthesis in a string", "sat\n--- BENCHMARK BEGINS HERE ---\n(echo \"(\")(check-sat)",
			Options{Literal: true}, "success~", "BAD benchmark: unexpected EOF\n", BadBenchmark, "", 1},
		{"a doubled quote in a string", "sat\n--- BENCHMARK BEGINS HERE ---\n(echo \"a\"\")\"\"\")(check-sat)",
			Options{}, "success~ success~ sat~", "sat\n", Finished, "sat", 4},
		{"literal: a backslash hides a parenthesis", "sat\n--- BENCHMARK BEGINS HERE ---\n(echo \\))(check-sat)",
			Options{Literal: true}, "success~ success~ sat~", "sat\n", Finished, "sat", 4},
		{"a backslash is a character", "sat\n--- BENCHMARK BEGINS HERE ---\n(echo \"\\\")(check-sat)", Options{},
			"success~ success~ sat~", "sat\n", Finished, "sat", 4},
		{"a parenthesis in bars and comments", "sat\n--- BENCHMARK BEGINS HERE ---\n; (\n(declare-fun |(\\;| () " +
			"Bool) ;)\n(check-sat)", Options{Literal: true}, "success~ success~ sat~", "sat\n", Finished, "sat", 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			p := &peer{}
			for _, reply := range strings.Fields(tt.replies) {
				p.replies = append(p.replies, strings.NewReplacer("~", "\n", "_", " ").Replace(reply))
			}
			if strings.ContainsRune(tt.replies, '\r') { // strings.Fields would split at it
				p.replies = nil
				for reply := range strings.SplitSeq(tt.replies, " ") {
					p.replies = append(p.replies, strings.ReplaceAll(reply, "~", "\n"))
				}
			}
			tt.opt.Log = &log
			got := Execute(t.Context(), mustParse(t, tt.script), p, p, &p.clock, tt.opt)
			if diff := cmp.Diff(tt.log, log.String()); diff != "" {
				t.Errorf("printed (-want +got):\n%s", diff)
			}
			if answers := EncodeAnswers(got.Answers); got.Ending != tt.ending || answers != tt.answers ||
				len(p.received) != tt.sent {
				t.Errorf("ending %s, answers %q, %d writes; want %s, %q, %d\nsent %q", got.Ending, answers,
					len(p.received), tt.ending, tt.answers, tt.sent, p.received)
			}
			if len(got.Times) != len(got.Answers) {
				t.Errorf("%d times for %d answers", len(got.Times), len(got.Answers))
			}
		})
	}
}

// TestSent checks that commands are sent verbatim, including line breaks, comments and the text before them.
func TestSent(t *testing.T) {
	script := mustParse(t, "sat\n--- BENCHMARK BEGINS HERE ---\n\n\n  ; first (\n(set-logic\n\tQF_UF) ; "+
		"behind\n\n(check-sat)   (exit) ")
	p := &peer{replies: []string{"success\n", "success\n", "sat\n", "success\n"}}
	got := Execute(t.Context(), script, p, p, &p.clock, Options{})
	want := []string{
		"(set-option :print-success true)\n",
		"  ; first (\n(set-logic\n\tQF_UF)\n",
		" ; behind\n\n(check-sat)\n",
		"(exit)\n",
	}
	if diff := cmp.Diff(want, p.received); diff != "" || got.Commands != 2 {
		t.Errorf("%d commands; sent (-want +got):\n%s", got.Commands, diff)
	}
}

// TestTimes uses a clock that advances by 1 s of wall time and 2 s of CPU time with every reply. The answers to writes
// 3, 5 and 7 therefore arrive at 3, 5 and 7 s.
func TestTimes(t *testing.T) {
	p := &peer{replies: []string{"success\n", "success\n", "sat\n", "success\n", "unknown\n", "success\n", "unsat\n"}}
	r := Execute(t.Context(), mustParse(t, three), p, p, &p.clock, Options{ContinueAfterUnknown: true})
	second := time.Second
	if diff := cmp.Diff([]Stamp{{3 * second, 6 * second}, {5 * second, 10 * second}, {7 * second, 14 * second}},
		r.Times); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}
	tests := []struct {
		limit time.Duration
		want  Counts
	}{
		{0, Counts{Correct: 2, Unknown: 1, Decided: 2, Last: Stamp{7 * second, 14 * second}, Answered: true}},
		{7 * second, Counts{Correct: 2, Unknown: 1, Decided: 2, Last: Stamp{7 * second, 14 * second}, Answered: true}},
		{7*second - 1, Counts{Correct: 1, Unknown: 1, Decided: 1, Last: Stamp{3 * second, 6 * second}, Answered: true}},
		{4 * second, Counts{Correct: 1, Decided: 1, Last: Stamp{3 * second, 6 * second}, Answered: true}},
		{second, Counts{}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, r.Until(tt.limit)); diff != "" {
			t.Errorf("Until(%v) (-want +got):\n%s", tt.limit, diff)
		}
	}
	wrong := &peer{replies: []string{"success\n", "success\n", "sat\n", "success\n", "sat\n", "success\n", "sat\n"}}
	r = Execute(t.Context(), mustParse(t, three), wrong, wrong, &wrong.clock, Options{ContinueAfterUnknown: true})
	if c := r.Counts(); c.Correct != 0 || c.Wrong != 1 || c.Last.Wall != 7*second {
		t.Errorf("a wrong last answer: %+v; want no correct one, one wrong one, at 7 s", c)
	}
	if c := r.Until(6 * second); c.Correct != 2 || c.Wrong != 0 {
		t.Errorf("before the wrong answer: %+v; want 2 correct ones", c)
	}
}

// TestEarly checks that a response that arrives before its command is sent counts as early.
func TestEarly(t *testing.T) {
	script := mustParse(t, "sat\nsat\n--- BENCHMARK BEGINS HERE ---\n(check-sat)(check-sat)")
	p := &peer{replies: []string{"success\n", "sat\nsat\n\n", ""}}
	if r := Execute(t.Context(), script, p, p, &p.clock, Options{}); r.Early != 1 || r.Ending != Finished {
		t.Errorf("%d early responses, ending %s; want 1, %s", r.Early, r.Ending, Finished)
	}
	p = &peer{replies: []string{"success\n\n", "sat\n\n \n", "sat\n"}}
	if r := Execute(t.Context(), script, p, p, &p.clock, Options{}); r.Early != 0 || r.Ending != Finished {
		t.Errorf("blank lines: %d early responses, ending %s; want 0, %s", r.Early, r.Ending, Finished)
	}
}

// TestLongResponse checks that a response may be long but not endless.
func TestLongResponse(t *testing.T) {
	for _, reply := range []string{strings.Repeat("x", 20<<20) + "\n", strings.Repeat(" ", 20<<20) + "success\n"} {
		p := &peer{replies: []string{reply}}
		r := Execute(t.Context(), mustParse(t, three), p, p, &p.clock, Options{})
		if r.Ending != BadResponse || len(r.Message) > maxMessage {
			t.Errorf("ending %s with a message of %d bytes; want %s with %d at most", r.Ending, len(r.Message),
				BadResponse, maxMessage)
		}
	}
	p := &peer{replies: []string{strings.Repeat(" ", 9000) + "success\n", "success\n", "sat\n"}}
	if r := Execute(t.Context(), mustParse(t, three), p, p, &p.clock, Options{}); r.Ending != Finished {
		t.Errorf("a line of 9,007 bytes ended it: %s %s", r.Ending, r.Message)
	}
}

// TestInterrupt checks that cancelling the context ends dialogues with solvers that hang, flood or do not read.
func TestInterrupt(t *testing.T) {
	tests := []struct {
		name string
		talk func(in io.Reader, out io.Writer)
	}{
		{"hangs", func(in io.Reader, _ io.Writer) { _, _ = io.Copy(io.Discard, in) }},
		{"never reads", func(io.Reader, io.Writer) {}},
		{"floods with blank lines", func(in io.Reader, out io.Writer) {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			for {
				if _, err := out.Write([]byte("\n\n\n\n")); err != nil {
					return
				}
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			fromUs, in := io.Pipe()
			out, toUs := io.Pipe()
			done := make(chan struct{})
			go func() { defer close(done); tt.talk(fromUs, toUs) }()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			r := Execute(ctx, mustParse(t, three), in, out, &fakeClock{}, Options{})
			if r.Ending != Interrupted {
				t.Errorf("ending %s, want %s", r.Ending, Interrupted)
			}
			<-done
		})
	}
}

// TestSplitLines checks that responses may arrive byte by byte.
func TestSplitLines(t *testing.T) {
	fromUs, in := io.Pipe()
	out, toUs := io.Pipe()
	go func() {
		defer toUs.Close()
		replies := []string{"success\n", "success\n", "sat\n", "success\n"}
		buf := make([]byte, 256)
		for _, reply := range replies {
			if _, err := fromUs.Read(buf); err != nil {
				return
			}
			for i := range len(reply) {
				if _, err := toUs.Write([]byte{reply[i]}); err != nil {
					return
				}
			}
		}
	}()
	if r := Execute(t.Context(), mustParse(t, three), in, out, &fakeClock{}, Options{}); r.Ending != Finished ||
		len(r.Answers) != 1 {
		t.Errorf("ending %s, %d answers (%s); want %s, 1", r.Ending, len(r.Answers), r.Message, Finished)
	}
}

func TestCountsVerdict(t *testing.T) {
	tests := []struct {
		counts Counts
		checks int
		want   comp.Verdict
	}{
		{Counts{Correct: 3, Decided: 3}, 3, comp.Correct},
		{Counts{Correct: 2, Decided: 2}, 3, comp.Unknown},
		{Counts{Correct: 2, Decided: 2, Unknown: 1}, 3, comp.Unknown},
		{Counts{Wrong: 1, Decided: 3}, 3, comp.Wrong},
		{Counts{}, 0, comp.Unknown},
	}
	for _, tt := range tests {
		if got := tt.counts.Verdict(tt.checks); got != tt.want {
			t.Errorf("%+v of %d: %s, want %s", tt.counts, tt.checks, got, tt.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		name, text string
		line       string // line of the HeaderError, or empty for ErrNoSeparator
	}{
		{"empty", "", ""},
		{"no separator", "sat\nunsat\n", ""},
		{"script without header", "(set-logic QF_UF)\n", "(set-logic QF_UF)\n"},
		{"bad line", "sat\nmaybe\n--- BENCHMARK BEGINS HERE ---\n", "maybe\n"},
		{"blank line", "sat\n\n--- BENCHMARK BEGINS HERE ---\n", "\n"},
		{"longer word", "satisfiable\n", "satisfiable\n"},
		{"no line feed", "nonsense", "nonsense"},
		{"separator with text", "--- BENCHMARK BEGINS HERE --- now\n", "--- BENCHMARK BEGINS HERE --- now\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(tt.text))
			header, isHeader := errors.AsType[*HeaderError](err)
			switch {
			case tt.line == "" && !errors.Is(err, ErrNoSeparator):
				t.Errorf("error %v, want %v", err, ErrNoSeparator)
			case tt.line != "" && (!isHeader || header.Line != tt.line):
				t.Errorf("error %v, want one about %q", err, tt.line)
			}
		})
	}
	if s := mustParse(t, " sat \r\n\tunsat\n--- BENCHMARK BEGINS HERE ---\r\n(exit)"); len(s.Expected) != 2 ||
		string(s.Body) != "(exit)" {
		t.Errorf("white space in the header: %v, body %q", s.Expected, s.Body)
	}
}

func TestResultJSON(t *testing.T) {
	r := Result{
		Ending: WrongAnswer, Checks: 5, Commands: 17, Wrong: 1, Early: 2,
		Message: "WRONG solver response: got sat, expected unsat",
		Answers: []comp.Answer{"sat", "sat", "unknown", "sat"},
		Times: []Stamp{{1500, 3000}, {2_000_000, 4_000_000}, {2_000_000, 4_000_000},
			{9 * time.Second, 30 * time.Second}},
	}
	for i := range r.Times { // stamps are in whole microseconds
		r.Times[i] = Stamp{r.Times[i].Wall.Truncate(time.Microsecond), r.Times[i].CPU.Truncate(time.Microsecond)}
	}
	text, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"ending":"wrong_answer","checks":5,"commands":17,"answers":"sat*2,unknown,sat","correct":0,"wrong":1,"unknown":1,` +
		`"early":2,"last_wall_s":9,"last_cpu_s":30,"wall_us":[1,1999,0,8998000],"cpu_us":[3,3997,0,29996000],` +
		`"message":"WRONG solver response: got sat, expected unsat"}`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	var back Result
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	for _, bad := range []string{`{`, `{"answers":"sat*2","wall_us":[1],"cpu_us":[1]}`, `{"answers":"sat*0"}`,
		`{"answers":"sat*99999999999"}`, `{"answers":"yes"}`, `{"answers":"sat,"}`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// FuzzExecute checks that for any header, script and solver, the dialogue ends without a panic and with consistent
// results.
func FuzzExecute(f *testing.F) {
	f.Add([]byte(three), []byte("success\nsuccess\nsat\nsuccess\nunsat\n"), true, false)
	f.Add([]byte("sat\n--- BENCHMARK BEGINS HERE ---\n(a \"\\|;"), []byte("\xff\x00"), false, true)
	f.Fuzz(func(t *testing.T, text, output []byte, unknown, literal bool) {
		script, err := Parse(bytes.NewReader(text))
		if err != nil {
			return
		}
		var log bytes.Buffer
		r := Execute(t.Context(), script, io.Discard, bytes.NewReader(output), &fakeClock{},
			Options{ContinueAfterUnknown: unknown, Literal: literal, Log: &log})
		if len(r.Answers) != len(r.Times) || len(r.Answers) > r.Checks || r.Wrong > 1 {
			t.Fatalf("%d answers, %d times, %d checks, %d wrong", len(r.Answers), len(r.Times), r.Checks, r.Wrong)
		}
		if n := bytes.Count(log.Bytes(), []byte("\n")); n < len(r.Answers)-r.Wrong {
			t.Fatalf("%d lines printed for %d answers", n, len(r.Answers))
		}
		wire, err := json.Marshal(&r)
		if err != nil {
			t.Fatal(err)
		}
		var back Result
		if err := json.Unmarshal(wire, &back); err != nil {
			t.Fatalf("%s: %v", wire, err)
		}
	})
}
