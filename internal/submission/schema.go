package submission

import (
	"encoding/json"
	"fmt"
	"unicode"

	"github.com/smtpipe/smtpipe/internal/comp"
)

type object = map[string]any

// Schema returns the JSON schema (draft 7) of submission files. kinds are the competition's own tracks. Everything that
// Parse and Expand accept conforms to it. Parse refuses more than a schema can express: fields that occur twice,
// invalid expressions for logics, seeds of more than 64 bits, impossible hosts and ports. Expand refuses divisions and
// logics that the year does not know.
func Schema(kinds comp.Kinds) ([]byte, error) {
	notBlank := object{"type": "string", "pattern": `\S`}
	address := object{"type": "string", "pattern": `^[hH][tT][tT][pP][sS]?://([^\s/?#@]*@)?[^\s/?#@:]\S*$`}
	text, null := object{"type": "string"}, object{"type": "null"}
	ref := func(name string) object { return object{"$ref": "#/$defs/" + name} }
	orNull := func(o object) object { return object{"anyOf": []any{o, null}} }
	list := func(of object, atLeast int) object {
		return object{"type": "array", "items": of, "minItems": atLeast}
	}
	closed := func(fields object, required ...string) object {
		o := object{"type": "object", "properties": fields, "additionalProperties": false}
		if len(required) > 0 {
			o["required"] = required
		}
		return o
	}
	flag := object{"type": "boolean"}
	schema := closed(object{
		"name":               notBlank,
		"contributors":       list(ref("contributor"), 1),
		"contacts":           list(object{"type": "string", "pattern": `@[^@]+\.[^@]+`}, 1),
		"archive":            orNull(ref("archive")),
		"command":            orNull(ref("command")),
		"website":            address,
		"system_description": address,
		"solver_type":        object{"enum": []SolverType{Wrapped, Derived, Standalone, Portfolio}},
		"participations":     list(ref("participation"), 0),
		"seed": object{"anyOf": []any{object{"type": "integer"},
			object{"type": "string", "pattern": `^\s*[+-]?[0-9]+\s*$`}, null}},
		"competitive": flag,
		"final":       flag,
	}, "name", "contributors", "contacts", "website", "system_description", "solver_type", "participations")
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "A submission to SMT-COMP"
	schema["allOf"] = []any{
		derivedNames(), everywhere("archive", given), everywhere("command", given), finalArchives(),
	}
	digest := object{"type": []string{"string", "null"}, "pattern": `\S`, "description": "in hexadecimal"}
	digests := closed(object{"sha256": digest, "sha512": digest})
	digests["anyOf"] = []any{has("sha256", given), has("sha512", given)}
	schema["$defs"] = object{
		"contributor": object{"anyOf": []any{notBlank,
			closed(object{"name": notBlank, "website": orNull(address)}, "name")}},
		"archive": object{"type": "object", "required": []string{"url"}, "properties": object{"url": address,
			"h": orNull(digests)}},
		"command": object{"anyOf": []any{
			object{"type": "array", "items": []any{notBlank}, "additionalItems": text, "minItems": 1},
			closed(object{"binary": notBlank, "arguments": list(text, 0), "compa_starexec": flag}, "binary"),
		}},
		"participation": closed(object{
			"tracks": list(object{"enum": fileTracks(kinds)}, 0),
			"logics": object{"anyOf": []any{text, list(notBlank, 0)},
				"description": "logics, or a regular expression for their whole names"},
			"divisions":    list(notBlank, 0),
			"archive":      orNull(ref("archive")),
			"command":      orNull(ref("command")),
			"experimental": flag,
		}, "tracks"),
	}
	out, err := json.MarshalIndent(schema, "", "  ")
	return append(out, '\n'), err
}

// given matches everything except null.
var given = object{"not": object{"type": "null"}}

// has requires a field of a form.
func has(field string, form object) object {
	return object{"required": []string{field}, "properties": object{field: form}}
}

// everywhere requires a field of a form in the submission or in each participation.
func everywhere(field string, form object) object {
	return object{"anyOf": []any{has(field, form),
		object{"properties": object{"participations": object{"items": has(field, form)}}}}}
}

// derivedNames requires BASE-NAME if a solver is derived (SMT-COMP 2026 rules, §4 "Derived Tool").
func derivedNames() object {
	return object{"if": has("solver_type", object{"const": Derived}),
		"then": has("name", object{"pattern": `^[^-]*[^-\s][^-]*-[\s\S]*\S`})}
}

// finalArchives requires archives on Zenodo if a submission is final.
func finalArchives() object {
	zenodo := ""
	for _, c := range zenodoHost {
		zenodo += fmt.Sprintf("[%c%c]", c, unicode.ToUpper(c))
	}
	archive := object{"archive": object{"properties": object{"url": object{"pattern": `://([^\s/?#@]*@)?` + zenodo +
		`(:[0-9]*)?([/?#]|$)`}}}}
	return object{"if": has("final", object{"const": true}), "then": object{"properties": object{
		"archive":        archive["archive"],
		"participations": object{"items": object{"properties": archive}},
	}}}
}
