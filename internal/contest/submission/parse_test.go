package submission_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// valid is a submission that uses every optional form. Tests replace one of its lines.
const valid = `{
  "name": "Abacus",
  "contributors": ["Ada Lovelace", {"name": "Charles Babbage", "website": "https://example.org/cb"}],
  "contacts": ["Ada Lovelace <ada@example.org>", "cb@engines.example.org"],
  "archive": {"url": "https://zenodo.org/records/1/files/abacus.zip", "h": {"sha256": "` + digest64 + `"}},
  "command": ["bin/abacus", "--fast", ""],
  "website": "http://example.org/",
  "system_description": "https://example.org/abacus.pdf",
  "solver_type": "Standalone",
  "participations": [
    {"tracks": ["SingleQuery", "Incremental"], "logics": "QF_.*"},
    {"tracks": ["UnsatCore"], "logics": ["LIA"], "divisions": ["QF_Bitvec"], "experimental": true,
     "archive": {"url": "https://zenodo.org/records/2/files/core.zip"},
     "command": {"binary": "run", "arguments": ["-c"], "compa_starexec": true}}
  ],
  "seed": " 4711 ",
  "competitive": false,
  "final": true
}
`

const digest64 = "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

func TestParseValid(t *testing.T) {
	s, err := submission.Parse("abacus.json", []byte(valid))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "Abacus" || s.Type != submission.Standalone || s.Competitive || !s.Final || *s.Seed != 4711 {
		t.Errorf("wrong root fields: %+v", s)
	}
	contributors := []submission.Contributor{{Name: "Ada Lovelace"}, {Name: "Charles Babbage",
		Website: "https://example.org/cb"}}
	contacts := []submission.Contact{{Name: "Ada Lovelace", Address: "ada@example.org"},
		{Name: "cb", Address: "cb@engines.example.org"}}
	archive := &submission.Archive{URL: "https://zenodo.org/records/1/files/abacus.zip",
		SHA256: strings.ToLower(digest64)}
	command := &submission.Command{Binary: "bin/abacus", Arguments: []string{"--fast", ""}}
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"contributors", s.Contributors, contributors},
		{"contacts", s.Contacts, contacts},
		{"archive", s.Archive, archive},
		{"command", s.Command, command},
		{"warnings", s.Warnings, submission.Problems(nil)},
		{"tracks", s.Participations[0].Tracks, []string{"SingleQuery", "Incremental"}},
		{"pattern", s.Participations[0].Pattern.String(), "QF_.*"},
		{"logics", s.Participations[1].Logics, []comp.Logic{"LIA"}},
		{"divisions", s.Participations[1].Divisions, []comp.Division{"QF_Bitvec"}},
		{"experimental", s.Participations[1].Experimental, true},
		{"own command", s.Participations[1].Command, &submission.Command{Binary: "run", Arguments: []string{"-c"},
			StarExec: true}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestParseDefaults(t *testing.T) {
	s, err := submission.Parse("m.json", []byte(`{"name": "Base-M", "contributors": ["A"], "contacts": ["a@b.org"],
		"website": "https://b.org", "system_description": "https://b.org/d", "solver_type": "derived",
		"participations": [{"tracks": ["Parallel"], "archive": {"url": "https://b.org/a"}, "command": ["m"]}], "seed": null}`))
	if err != nil {
		t.Fatal(err)
	}
	if !s.Competitive || s.Final || s.Seed != nil || s.Archive != nil || s.Command != nil ||
		s.Participations[0].Pattern != nil {
		t.Errorf("wrong defaults: %+v", s)
	}
}

// TestParseRules violates one rule per case, by replacing old with new in valid, and expects one problem at the
// pointer.
func TestParseRules(t *testing.T) {
	for _, c := range []struct{ name, old, new, pointer, text string }{
		{"unknown field", `"name": "Abacus"`, `"name": "Abacus", "nmae": 1`, "/nmae",
			`unknown field "nmae"; did you mean "name"? The fields here are`},
		{"twice", `"name": "Abacus"`, `"name": "Abacus", "name": "B"`, "/name", "occurs twice"},
		{"no name", `"name": "Abacus",`, ``, "", `"name" is missing`},
		{"empty name", `"Abacus"`, `" "`, "/name", "must not be empty"},
		{"name is a number", `"Abacus"`, `7`, "/name", "must be a string, not the number 7"},
		{"no contributor", `["Ada Lovelace", {"name": "Charles Babbage", "website": "https://example.org/cb"}]`, `[]`,
			"/contributors", "at least 1"},
		{"contributor number", `["Ada Lovelace", {`, `[3, {`, "/contributors/0", "name or an object"},
		{"contributor field", `"name": "Charles Babbage"`, `"name": "C", "mail": "x"`, "/contributors/1/mail",
			"unknown field"},
		{"contributor site", `"https://example.org/cb"`, `"example.org"`, "/contributors/1/website", "http or https"},
		{"no contact", `["Ada Lovelace <ada@example.org>", "cb@engines.example.org"]`, `[]`, "/contacts", "at least 1"},
		{"contact without host", `"cb@engines.example.org"`, `"cb@engines"`, "/contacts/1", "mail address"},
		{"contact is a name", `"cb@engines.example.org"`, `"Charles Babbage"`, "/contacts/1", "mail address"},
		{"contact of two words", `"cb@engines.example.org"`, `"c b@engines.org"`, "/contacts/1", "mail address"},
		{"archive address", `"https://zenodo.org/records/1/files/abacus.zip"`, `"ftp://zenodo.org/x"`, "/archive/url",
			"http or https"},
		{"archive without address", `{"url": "https://zenodo.org/records/1/files/abacus.zip", "h"`, `{"h"`, "/archive",
			`"url" is missing`},
		{"digest of another kind", `{"sha256"`, `{"md5": "", "sha256"`, "/archive/h/md5", "unknown field"},
		{"no digest", `{"sha256": "` + digest64 + `"}`, `{}`, "/archive/h", "must have sha256 or sha512"},
		{"digest number", `{"sha256": "` + digest64 + `"}`, `{"sha512": 3}`, "/archive/h/sha512", "must be a string"},
		{"empty command", `["bin/abacus", "--fast", ""]`, `[]`, "/command", "at least 1"},
		{"command string", `["bin/abacus", "--fast", ""]`, `"abacus"`, "/command", "must be an array"},
		{"command number", `"--fast"`, `1`, "/command/1", "must be a string"},
		{"command without binary", `"binary": "run", `, ``, "/participations/1/command", `"binary" is missing`},
		{"command field", `"compa_starexec"`, `"starexec"`, "/participations/1/command/starexec", "unknown field"},
		{"website", `"http://example.org/"`, `"http:///x"`, "/website", "http or https"},
		{"no description", `"system_description": "https://example.org/abacus.pdf",`, ``, "",
			`"system_description" is missing`},
		{"solver type", `"Standalone"`, `"standalone"`, "/solver_type", "unknown solver type"},
		{"participation field", `"experimental"`, `"experimantal"`, "/participations/1/experimantal", "unknown field"},
		{"no tracks", `"tracks": ["UnsatCore"], `, ``, "/participations/1", `"tracks" is missing`},
		{"pattern", `"QF_.*"`, `"QF_("`, "/participations/0/logics", "not a regular expression"},
		{"logics number", `["LIA"]`, `[1]`, "/participations/1/logics/0", "must be a string"},
		{"divisions string", `["QF_Bitvec"]`, `"QF_Bitvec"`, "/participations/1/divisions", "must be an array"},
		{"experimental word", `"experimental": true`, `"experimental": "yes"`, "/participations/1/experimental",
			"true or false"},
		{"seed word", `" 4711 "`, `"one"`, "/seed", "must be an integer"},
		{"seed fraction", `" 4711 "`, `1.5`, "/seed", "must be an integer"},
		{"seed beyond all bounds", `" 4711 "`, `1e999999`, "/seed", "must be an integer"},
		{"seed almost zero", `" 4711 "`, `1e-999999`, "/seed", "must be an integer"},
		{"seed truth", `" 4711 "`, `true`, "/seed", "must be an integer"},
		{"competitive word", `"competitive": false`, `"competitive": 0`, "/competitive", "true or false"},
		{"seed list", `" 4711 "`, `[1]`, "/seed", "must be an integer"},
		{"competitive null", `"competitive": false`, `"competitive": null`, "/competitive", "not null"},
		{"experimental null", `"experimental": true`, `"experimental": null`, "/participations/1/experimental",
			"not null"},
		{"logics null", `"logics": ["LIA"]`, `"logics": null`, "/participations/1/logics", "not null"},
		{"logics object", `"logics": ["LIA"]`, `"logics": {}`, "/participations/1/logics",
			"an array of logics or a regular expression"},
		{"arguments null", `"arguments": ["-c"]`, `"arguments": null`, "/participations/1/command/arguments",
			"not null"},
		{"name null", `"Abacus"`, `null`, "/name", "must be a string, not null"},
		{"participations object", `"participations": [`, `"participations": {"a": [], "b": [`, "", "not JSON"},
		{"port", `"http://example.org/"`, `"http://example.org:70000/"`, "/website", "http or https"},
		{"blank in an address", `"http://example.org/"`, `"http://example.org/a b"`, "/website", "http or https"},
		{"contact with a hyphen at the end", `"cb@engines.example.org"`, `"cb@engines-.org"`, "/contacts/1",
			"mail address"},
		{"contact with two hosts", `"cb@engines.example.org"`, `"cb@a.org@b.org"`, "/contacts/1", "mail address"},
		{"contact that is not closed", `"cb@engines.example.org"`, `"C <cb@a.org"`, "/contacts/1", "mail address"},
		{"derived without its base", `"Standalone"`, `"derived"`, "/name", "BASE-NAME"},
		{"byte order mark", "{\n  \"name\"", "\ufeff{\n  \"name\"", "", "byte order mark"},
		{"not UTF-8", "Ada Lovelace\", {", "Ad\xe1\", {", "", "invalid UTF-8; save the file as UTF-8"},
		{"half a character", `"Abacus"`, `"A\udc00"`, "", "half of a character"},
		{"final without an address", `"https://zenodo.org/records/1/files/abacus.zip"`, `"zenodo.org/a"`,
			"/archive/url", "http or https"},
		{"final elsewhere", `"https://zenodo.org/records/1/files/abacus.zip"`, `"https://www.zenodo.org/a"`, "/archive/url",
			"must be at zenodo.org"},
		{"final participation elsewhere", `"https://zenodo.org/records/2/files/core.zip"`, `"https://example.org/a"`,
			"/participations/1/archive/url", "must be at zenodo.org"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if strings.Count(valid, c.old) != 1 {
				t.Fatalf("%q occurs %d times in the valid submission", c.old, strings.Count(valid, c.old))
			}
			_, err := submission.Parse("x.json", []byte(strings.Replace(valid, c.old, c.new, 1)))
			problems, ok := errors.AsType[submission.Problems](err)
			if !ok || len(problems) != 1 {
				t.Fatalf("got %v, want one problem", err)
			}
			if p := problems[0]; p.Pointer != c.pointer || !strings.Contains(p.Text, c.text) {
				t.Errorf("got %v, want %s: ...%s...", p, c.pointer, c.text)
			}
		})
	}
}

func TestParseAllowed(t *testing.T) {
	for _, c := range []struct{ name, old, new string }{
		{"logic pattern with look-ahead", `"QF_.*"`, `"(?!QF_).*"`},
		{"character of two halves", `"Abacus"`, `"A\ud83d\ude00"`},
		{"an escaped backslash before u", `"Abacus"`, `"A\\ud83d"`},
		{"seed as a number", `" 4711 "`, `12`},
		{"seed with a zero fraction", `" 4711 "`, `4.20e1`},
		{"seed of 2^32 - 1", `" 4711 "`, `"4294967295"`},
		{"not final elsewhere", `"final": true`, `"final": false`},
		{"no logics", `, "logics": "QF_.*"`, ``},
		{"null archive", `"archive": {"url": "https://zenodo.org/records/2/files/core.zip"},`, `"archive": null,`},
		{"internal track", `["UnsatCore"]`, `["UnsatCoreValidation"]`},
		{"accents", `"Ada Lovelace <ada@example.org>"`, `"Tomáš Novák <tn@example.org>"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := submission.Parse("x.json", []byte(strings.Replace(valid, c.old, c.new, 1))); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestParseCollectsAll expects three problems on three lines.
func TestParseCollectsAll(t *testing.T) {
	text := strings.Replace(valid, `"Abacus"`, `1`, 1)
	text = strings.Replace(text, `"Standalone"`, `"alone"`, 1)
	text = strings.Replace(text, `"final": true`, `"final": 1`, 1)
	_, err := submission.Parse("x.json", []byte(text))
	want := []string{"x.json:2:11: /name: must be a string", "x.json:9:18: /solver_type: unknown",
		"x.json:18:12: /final: must be true"}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(want) {
		t.Fatalf("got %d problems, want %d:\n%v", len(lines), len(want), err)
	}
	for i := range want {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("problem %d: got %q, want %q...", i, lines[i], want[i])
		}
	}
}

func TestParseMissing(t *testing.T) {
	for _, c := range []struct{ name, old, text string }{
		{"archive", `"archive": {"url": "https://zenodo.org/records/1/files/abacus.zip", "h": {"sha256": "` + digest64 +
			`"}},`, "/participations/0: archive is missing: neither the submission nor this participation"},
		{"command", `"command": ["bin/abacus", "--fast", ""],`,
			"/participations/0: command is missing: neither the submission nor this participation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := submission.Parse("x.json", []byte(strings.Replace(valid, c.old, "", 1)))
			if err == nil || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want the one problem %q", err, c.text)
			}
		})
	}
}

func TestParseWarnings(t *testing.T) {
	text := strings.Replace(valid, digest64, "cafe", 1)
	text = strings.Replace(text, `{"url": "https://zenodo.org/records/2`,
		`{"size": 3, "url": "https://zenodo.org/records/2`, 1)
	s, err := submission.Parse("x.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) != 2 || s.Warnings[0].Pointer != "/archive/h/sha256" ||
		s.Warnings[1].Pointer != "/participations/1/archive/size" {
		t.Errorf("got the warnings\n%v", s.Warnings)
	}
}

func TestParseOnlySHA512(t *testing.T) {
	text := strings.Replace(valid, `{"sha256": "`+digest64, `{"sha512": "`+digest64+digest64, 1)
	s, err := submission.Parse("x.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) != 1 || s.Warnings[0].Pointer != "/archive/h/sha512" {
		t.Errorf("got the warnings\n%v", s.Warnings)
	}
}

func TestParseSyntax(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "x.json:1:1: the file: not JSON: the file ends too early"},
		{"cut off", "{\n\"name\": \"x\"", "ends too early"},
		{"comma", "{\n \"name\": \"x\",\n}", "x.json:2:13: the file: not JSON: a value must follow this comma"},
		{"two values", "{}\n{}", "x.json:2:1: the file: there is text after the end"},
		{"array", "[]", "must be an object, not an array"},
		{"deep", strings.Repeat("[", 100000), "nested 100000 deep, and a submission has at most 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := submission.Parse("x.json", []byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ...%s...", err, c.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(valid))
	f.Add([]byte(`{"participations": [{"tracks": [null]}], "seed": 1e999999999}`))
	f.Add([]byte("[[{}]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := submission.Parse("x.json", data)
		if (s == nil) == (err == nil) {
			t.Fatalf("submission %v with error %v", s, err)
		}
		if err == nil && (s.Name == "" || len(s.Contacts) == 0) {
			t.Errorf("accepted without name or contact: %+v", s)
		}
	})
}

// TestParseEarlier checks the forms that files of 2024 and 2025 can contain but today's cannot.
func TestParseEarlier(t *testing.T) {
	const cloud = `{
  "name": "YicesQS",
  "contributors": ["Ann"],
  "contacts": ["Ann <ann@example.org>"],
  "website": "https://solver.example/",
  "system_description": "https://solver.example/d.pdf",
  "solver_type": "derived",
  "seed": 5,
  "participations": [{"tracks": ["Cloud"], "logics": ["QF_BV"], "aws_repository": "https://images.example/cloud"}]
}`
	s, err := submission.ParseEarlier("cloud.json", []byte(cloud))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Participations[0].AWSRepository; got != "https://images.example/cloud" {
		t.Errorf("the image is %q", got)
	}
	for _, c := range []struct {
		name, text string
		want       []string // expected problems; none: the file is accepted
	}{
		{"image that is no address", strings.Replace(cloud, "https://images.example/cloud", "nowhere", 1),
			[]string{"/participations/0/aws_repository"}},
		{"neither image nor archive", strings.Replace(cloud, `"aws_repository": "https://images.example/cloud"`,
			`"divisions": []`, 1), []string{"archive is missing", "command is missing"}},
		{"unknown field", strings.Replace(cloud, "aws_repository", "aws_image", 1), []string{`unknown field "aws_image"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := submission.ParseEarlier("cloud.json", []byte(c.text))
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
		})
	}
	_, err = submission.Parse("cloud.json", []byte(cloud))
	for _, want := range []string{`unknown field "aws_repository"`, "archive is missing",
		`"BASE-NAME", not "YicesQS"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse: error %v, want %q", err, want)
		}
	}
}
