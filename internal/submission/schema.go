package submission

import "encoding/json"

type object = map[string]any

// Schema returns the JSON schema (draft 7) of submission files. What Parse accepts keeps it. Parse refuses more:
// fields that occur twice, derived solvers without the name of a base, participations without archive or command, bad
// addresses; and Expand what the year does not know.
func Schema() ([]byte, error) {
	notBlank := object{"type": "string", "pattern": `\S`}
	address := object{"type": "string", "pattern": `^[hH][tT][tT][pP][sS]?://[^\s]+$`}
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
	digest := object{"type": []string{"string", "null"}, "description": "in hexadecimal"}
	schema["$defs"] = object{
		"contributor": object{"anyOf": []any{notBlank,
			closed(object{"name": notBlank, "website": orNull(address)}, "name")}},
		"archive": object{"type": "object", "required": []string{"url"}, "properties": object{"url": address,
			"h": orNull(closed(object{"sha256": digest, "sha512": digest}))}},
		"command": object{"anyOf": []any{
			list(text, 1),
			closed(object{"binary": notBlank, "arguments": list(text, 0), "compa_starexec": flag}, "binary"),
		}},
		"participation": closed(object{
			"tracks": list(object{"enum": trackNames}, 0),
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
