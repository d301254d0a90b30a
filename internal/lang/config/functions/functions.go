// Package functions implements the functions of the pipeline language. All are pure: equal arguments produce equal
// results, independent of the clock, the environment, the network and randomness. The functions that read files (file,
// fileset, file_text) read inputs of the pipeline, whose contents are part of keys.
package functions

import (
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Env holds the parts of the pipeline that functions can use.
type Env struct {
	Folder string // folder that paths are relative to
	File   func(path string) (stages.File, error)
	Note   func(files []string) // records files that the pipeline is built from
}

// All returns the language's functions by name.
func All(env Env) map[string]function.Function {
	all := map[string]function.Function{
		"abs":             stdlib.AbsoluteFunc,
		"can":             tryfunc.CanFunc,
		"ceil":            rowexpr.CeilFunc,
		"chomp":           stdlib.ChompFunc,
		"chunklist":       stdlib.ChunklistFunc,
		"coalesce":        stdlib.CoalesceFunc,
		"coalescelist":    stdlib.CoalesceListFunc,
		"compact":         stdlib.CompactFunc,
		"concat":          stdlib.ConcatFunc,
		"contains":        stdlib.ContainsFunc,
		"csvdecode":       csvDecodeFunc,
		"distinct":        distinctFunc,
		"element":         stdlib.ElementFunc,
		"flatten":         stdlib.FlattenFunc,
		"floor":           rowexpr.FloorFunc,
		"format":          formatFunc,
		"formatlist":      formatListFunc,
		"indent":          indentFunc,
		"index":           indexFunc,
		"join":            joinFunc,
		"jsondecode":      jsonDecodeFunc,
		"jsonencode":      stdlib.JSONEncodeFunc,
		"keys":            stdlib.KeysFunc,
		"length":          lengthFunc,
		"log":             logFunc,
		"lookup":          stdlib.LookupFunc,
		"lower":           stdlib.LowerFunc,
		"max":             stdlib.MaxFunc,
		"merge":           stdlib.MergeFunc,
		"min":             stdlib.MinFunc,
		"parseint":        stdlib.ParseIntFunc,
		"pow":             powFunc,
		"range":           rangeFunc,
		"regex":           stdlib.RegexFunc,
		"regexall":        regexAllFunc,
		"regexreplace":    regexReplaceFunc,
		"replace":         replaceFunc,
		"reverse":         stdlib.ReverseListFunc,
		"setintersection": stdlib.SetIntersectionFunc,
		"setproduct":      setProductFunc,
		"setsubtract":     stdlib.SetSubtractFunc,
		"setunion":        stdlib.SetUnionFunc,
		"signum":          stdlib.SignumFunc,
		"slice":           stdlib.SliceFunc,
		"sort":            stdlib.SortFunc,
		"split":           splitFunc,
		"strrev":          stdlib.ReverseFunc,
		"substr":          stdlib.SubstrFunc,
		"sum":             sumFunc,
		"title":           stdlib.TitleFunc,
		"trim":            stdlib.TrimFunc,
		"trimprefix":      stdlib.TrimPrefixFunc,
		"trimspace":       stdlib.TrimSpaceFunc,
		"trimsuffix":      stdlib.TrimSuffixFunc,
		"try":             tryfunc.TryFunc,
		"upper":           stdlib.UpperFunc,
		"values":          stdlib.ValuesFunc,
		"zipmap":          stdlib.ZipmapFunc,

		"startswith": startsWithFunc,
		"endswith":   endsWithFunc,
		"strlen":     stdlib.StrlenFunc,

		"tostring": toFunc("tostring"),
		"tonumber": toFunc("tonumber"),
		"tobool":   toFunc("tobool"),
		"tolist":   toFunc("tolist"),
		"toset":    toFunc("toset"),
		"tomap":    toFunc("tomap"),

		"competition_seed": competitionSeedFunc,
		"division":         divisionFunc,
		"glob_match":       globMatchFunc,
		"logics":           logicsFunc,
		"track_has":        trackHasFunc,
		"bytes":            bytesFunc,
		"rules":            rulesFunc(env),
		"seconds":          secondsFunc,
	}
	for name, f := range fileFunctions(env) {
		all[name] = f
	}
	return all
}
