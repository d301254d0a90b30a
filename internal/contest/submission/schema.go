package submission

import (
	"encoding/json"
	"fmt"
	"unicode"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

type object = map[string]any

// Schema returns the JSON schema (draft 7) of submission files. kinds holds the competition's own tracks. Parse makes
// the same checks, and some that a schema cannot express: duplicate fields, invalid expressions for logics, seeds of
// more than 64 bits, impossible hosts and ports. Expand rejects tracks, divisions and logics that the year does not
// contain.
func Schema(kinds comp.Kinds) ([]byte, error) {
	return encode(schema(object{"enum": fileTracks(kinds)}, false))
}

func encode(schema object) ([]byte, error) {
	out, err := json.MarshalIndent(schema, "", "  ")
	return append(out, '\n'), err
}

// must adds the message for wrong values of the right type. Editors display it, too.
func must(o object, message string) object {
	o["errorMessage"] = message
	return o
}

// described adds a field's meaning.
func described(o object, meaning string) object {
	o["description"] = meaning
	return o
}

func ref(name string) object { return object{"$ref": "#/$defs/" + name} }

func orNull(o object) object { return object{"anyOf": []any{o, object{"type": "null"}}} }

func flag() object { return object{"type": "boolean"} }

func text(pattern, message string) object {
	return must(object{"type": "string", "pattern": pattern}, message)
}

func filled() object { return text(`\S`, "must not be empty") }

func address() object {
	return text(`^[hH][tT][tT][pP][sS]?://([^\s/?#@]*@)?[^\s/?#@:]\S*$`, addressForm)
}

func list(of object, atLeast int) object {
	return object{"type": "array", "items": of, "minItems": atLeast}
}

// closed returns an object schema that allows no other fields.
func closed(fields object, required ...string) object {
	return object{"type": "object", "properties": fields, "additionalProperties": false,
		"required": append([]string{}, required...)}
}

// The messages for values that the schema rejects, and for wrong values that it accepts.
const (
	addressForm = `must be an http or https address such as "https://host.org/path"`
	mailForm    = `must be a mail address such as "Name <user@host.org>" or "user@host.org"`
	seedForm    = "must be an integer of at most 64 bits, or null"
)

// schema builds the schema. track is the schema of each element of tracks. earlier also allows the forms of 2024 and
// 2025.
func schema(track object, earlier bool) object {
	s := closed(object{
		"name":         described(filled(), "the name in all tables"),
		"contributors": described(list(ref("contributor"), 1), "names, or objects with a `name` and a `website`"),
		"contacts": described(list(text(`@[^@]+\.[^@]+`, mailForm), 1), "at least one address; the first, by name and "+
			"address, defines the team; contacts stay private"),
		"archive": described(orNull(ref("archive")), "`url`, and in `h` the `sha256` of the file"),
		"command": described(orNull(ref("command")), "the program in the archive and its arguments; the benchmark "+
			"follows as the last argument"),
		"website":            described(address(), "the page of the solver"),
		"system_description": described(address(), "the paper or page that describes it"),
		"solver_type": described(object{"enum": []SolverType{Wrapped, Derived, Standalone, Portfolio}},
			"`Standalone`, `Portfolio`, `wrapped` or `derived`, in this capitalization"),
		"seed": described(must(object{"anyOf": []any{object{"type": "integer"},
			text(`^\s*[+-]?[0-9]+\s*$`, seedForm), object{"type": "null"}}}, seedForm),
			"any whole number; the competition's seed is computed from those of all competing solvers"),
		"participations": described(list(ref("participation"), 0), "each has `tracks` and `logics`, a list or a "+
			"regular expression, or `divisions`; an `archive` or `command` here replaces the one above"),
		"competitive": described(flag(), "`false` for a solver that is entered for comparison only"),
		"final":       described(flag(), "`true` when nothing will change any more; the archive must then be at Zenodo"),
	}, "name", "contributors", "contacts", "website", "system_description", "solver_type", "participations")
	s["$schema"] = "http://json-schema.org/draft-07/schema#"
	s["title"] = "A submission to SMT-COMP"
	rules := []any{everywhere("archive", earlier), everywhere("command", earlier), finalArchives()}
	if !earlier {
		rules = append(rules, derivedNames())
	}
	s["allOf"] = rules
	s["$defs"] = object{
		"contributor": must(object{"anyOf": []any{filled(),
			closed(object{"name": filled(), "website": orNull(address())}, "name")}},
			"must be a name or an object with name and website"),
		"archive": object{"type": "object", "required": []string{"url"}, "properties": object{"url": address(),
			"h": orNull(digests())}},
		"command": must(object{"anyOf": []any{
			object{"type": "array", "items": []any{text(`\S`, "must begin with the name of a program")},
				"additionalItems": object{"type": "string"}, "minItems": 1},
			closed(object{"binary": filled(), "arguments": list(object{"type": "string"}, 0), "compa_starexec": flag()},
				"binary"),
		}}, `must be an array such as ["bin/solver", "--option"], or an object with binary and arguments`),
		"participation": participation(track, earlier),
	}
	return s
}

func participation(track object, earlier bool) object {
	fields := object{
		"tracks": list(track, 0),
		"logics": described(must(object{"anyOf": []any{object{"type": "string"}, list(filled(), 0)}},
			"must be an array of logics or a regular expression for their names"),
			"logics, or a regular expression for their whole names"),
		"divisions":    list(filled(), 0),
		"archive":      orNull(ref("archive")),
		"command":      orNull(ref("command")),
		"experimental": flag(),
	}
	if earlier {
		fields["aws_repository"] = orNull(address())
	}
	return closed(fields, "tracks")
}

func digests() object {
	digest := must(object{"type": []string{"string", "null"}, "pattern": `\S`, "description": "in hexadecimal"},
		"must not be empty")
	o := closed(object{"sha256": digest, "sha512": digest})
	const none = "must have sha256 or sha512"
	o["anyOf"] = []any{has("sha256", none), has("sha512", none)}
	return o
}

// has requires a non-null field.
func has(field, message string) object {
	return must(object{"required": []string{field},
		"properties": object{field: must(object{"not": object{"type": "null"}}, message)}}, message)
}

// everywhere requires a field in each participation or in the submission, or a cloud image instead.
func everywhere(field string, earlier bool) object {
	message := field + " is missing: neither the submission nor this participation has one; add it to either"
	own := has(field, message)
	if earlier {
		own = object{"anyOf": []any{own, has("aws_repository", message)}}
	}
	return object{"anyOf": []any{object{"properties": object{"participations": object{"items": own}}},
		has(field, message)}}
}

// derivedNames requires the name of a derived solver to be BASE-NAME (SMT-COMP 2026 rules, §4 "Derived Tool").
func derivedNames() object {
	return object{"if": isSet("solver_type", Derived), "then": object{"properties": object{
		"name": must(object{"pattern": `^[^-]*[^-\s][^-]*-[\s\S]*\S`},
			`a derived solver must be named after its base solver, such as "BASE-NAME"`)}}}
}

func isSet(field string, to any) object {
	return object{"required": []string{field}, "properties": object{field: object{"const": to}}}
}

// finalArchives requires a final submission's archives to be on Zenodo (SMT-COMP 2026 rules, §4 "SMT Solver
// Submission").
func finalArchives() object {
	const host = "zenodo.org"
	anyCase := ""
	for _, c := range host {
		anyCase += fmt.Sprintf("[%c%c]", c, unicode.ToUpper(c))
	}
	archive := object{"archive": object{"properties": object{"url": must(
		object{"pattern": `://([^\s/?#@]*@)?` + anyCase + `(:[0-9]*)?([/?#]|$)`},
		"a final submission must be at "+host+"; upload the archive there")}}}
	return object{"if": isSet("final", true), "then": object{"properties": object{
		"archive":        archive["archive"],
		"participations": object{"items": object{"properties": archive}},
	}}}
}
