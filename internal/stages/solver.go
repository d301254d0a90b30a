package stages

import (
	"github.com/zclconf/go-cty/cty"
)

// SolverType is the type of a solver block's value, solver.NAME. Attributes that were not given are null.
//
// command is the program and its arguments; program is the installed program that command names, or archive the
// archive that holds it, exactly one of them.
var SolverType = cty.Object(map[string]cty.Type{
	"name":               cty.String,
	"team":               cty.String, // default: the name
	"competitive":        cty.Bool,   // default: true
	"type":               cty.String, // standalone, portfolio, wrapped or derived
	"base_solver":        cty.String, // of a derived solver
	"tracks":             cty.List(cty.String),
	"logics":             cty.List(cty.String), // names or globs; null: all
	"command":            cty.List(cty.String),
	"program":            FileType,
	"archive":            FileType,
	"open_source":        cty.Bool, // default: false
	"new_entrant":        cty.Bool, // default: false
	"starexec":           cty.Bool,
	"seed":               cty.Number,
	"website":            cty.String,
	"system_description": cty.String,
})
