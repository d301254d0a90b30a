package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/all"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// BlockDoc describes a top-level block in words, for example for an editor. A stage's attributes are those of its kind;
// a module's attributes are the variables in its files.
type BlockDoc struct {
	Name   string
	Labels []string // meaning of each label
	Doc    string
	Attrs  []stages.Attr
}

// Blocks describes the top-level blocks.
func Blocks() []BlockDoc {
	var blocks []BlockDoc
	for _, f := range blockForms() {
		d := blockDocs[f.name]
		blocks = append(blocks, BlockDoc{Name: f.name, Labels: f.labels, Doc: d.Doc, Attrs: d.Attrs})
	}
	return blocks
}

// ExecutorAttrs returns the attributes of a kind of executor, or nil for an unknown kind.
func ExecutorAttrs(kind string) []stages.Attr {
	k := all.Kind(kind)
	if k == nil {
		return nil
	}
	return executorAttrs(k)
}

// executorAttrs returns the attributes of a kind of executor, or those of all kinds if k is nil.
func executorAttrs(k *worker.Kind) []stages.Attr {
	attrs := []stages.Attr{
		attrDoc("jobs", cty.Number, "number of concurrent runs; default: as many as cores and memory allow"),
		attrDoc("isolation", cty.String, "full, cgroup, namespaces, none or best_effort"),
		attrDoc("image", cty.DynamicPseudoType, "image that is the root file system of the runs of solvers "+
			"without their own image; by default the image of the competition"),
	}
	if k == nil {
		return attrs
	}
	if !k.Here {
		attrs = append(attrs, attrDoc("hardware", cty.String, "profile of the machines that measure"))
	}
	for _, a := range k.Attrs {
		attrs = append(attrs, attrDoc(a.Name, a.Type, a.Doc))
	}
	return attrs
}

// schemaOf returns the schema of a top-level block.
func schemaOf(block string) bodySchema {
	article := "A"
	if strings.ContainsRune("aeiou", rune(block[0])) {
		article = "An"
	}
	return kindSchema(fmt.Sprintf("%s %q block", article, block), "", blockDocs[block].Attrs, nil, false)
}

// ValidationBlock describes a variable's nested validation block.
func ValidationBlock() stages.Block {
	return stages.Block{Name: "validation", Doc: "a condition on the value", Attrs: []stages.Attr{
		requiredDoc("condition", cty.Bool, "condition that the value must fulfil"),
		requiredDoc("message", cty.String, "message if it does not hold"),
	}}
}

// attrDoc describes an attribute. Its other fields have default values.
func attrDoc(name string, typ cty.Type, doc string) stages.Attr {
	return stages.Attr{Name: name, Type: typ, Doc: doc}
}

func requiredDoc(name string, typ cty.Type, doc string) stages.Attr {
	return stages.Attr{Name: name, Type: typ, Doc: doc, Required: true}
}

var forEachDoc = attrDoc(forEachName, cty.DynamicPseudoType,
	"a map, an object or a set of strings; creates one instance per element, with each.key and each.value")

var blockDocs = map[string]BlockDoc{
	"smtpipe": {Doc: "Declares the versions of smtpipe that the pipeline works with.", Attrs: []stages.Attr{
		attrDoc("required_version", cty.String, `constraint on the version, such as ">= 0.2"`),
	}},
	hclsource.BaseBlock: {Doc: "Names the file that this one is based on, and whose blocks it changes.",
		Attrs: []stages.Attr{
			requiredDoc("source", cty.String, "the file, relative to this file's folder"),
			attrDoc("without", cty.List(cty.String), "addresses of its blocks, and of their attributes and nested "+
				"blocks, to leave out, such as variable.x or stage.cap.main.seed"),
		}},
	"competition": {Doc: "Describes the competition that the pipeline organises.", Attrs: []stages.Attr{
		requiredDoc("name", cty.String, "name of the competition"),
		requiredDoc("year", cty.Number, "year with four digits"),
		attrDoc("edition", cty.String, `as "21st"`),
		attrDoc("rules", cty.String, "rules of a year, by its number, or a folder of your own; by default those of "+
			"the year"),
		attrDoc("tracks", cty.Map(cty.Map(cty.List(cty.String))), "logics by track and division; default: from "+
			"the rules"),
		attrDoc("image", cty.String, "image that is the root file system of runs: an OCI layout or archive, or what "+
			"docker save writes; by default runs see the programs of the machine"),
	}},
	"variable": {Doc: "Declares an input value: from --var, a file, or the environment.",
		Attrs: []stages.Attr{
			attrDoc("type", cty.DynamicPseudoType, "type of the value, such as list(string)"),
			attrDoc("default", cty.DynamicPseudoType, "value if none is given"),
			attrDoc("description", cty.String, "a description for people"),
			attrDoc("sensitive", cty.Bool, "the value is not shown and does not become part of an output"),
		}},
	"locals":   {Doc: "Gives names to values: each attribute NAME is used as local.NAME."},
	"function": {Doc: "Declares a function of the pipeline.", Attrs: functionDocs},
	"solver": {Doc: "Declares a solver, which stages use as solver.NAME.",
		Attrs: append(slices.Clone(solverAttrs), forEachDoc)},
	"executor": {Doc: "Declares where and how runs are executed."},
	"stage":    {Doc: "One step of the pipeline. Its kind says what it does.", Attrs: []stages.Attr{forEachDoc}},
	"check": {Doc: "A condition on the results; the run fails if it does not hold.", Attrs: []stages.Attr{
		requiredDoc("condition", cty.Bool, "what must hold"),
		requiredDoc("message", cty.String, "message if it does not hold"),
	}},
	"output": {Doc: "Names a result, and writes it outside the store if it has a path.", Attrs: []stages.Attr{
		requiredDoc("value", cty.DynamicPseudoType, "the result"),
		attrDoc("path", cty.String, "file or folder to write"),
		attrDoc("description", cty.String, "a description for people"),
		forEachDoc,
	}},
	"module": {Doc: "Uses the files of a folder as part of this pipeline. The other attributes are its variables.",
		Attrs: []stages.Attr{
			requiredDoc("source", cty.String, "folder or file of the module, relative to this file's folder"),
			attrDoc(sharedName, cty.List(cty.String),
				"names of variables of the module that are variables here, too, with the same types and defaults"),
			forEachDoc,
		}},
}

var functionDocs = []stages.Attr{
	requiredDoc("params", cty.DynamicPseudoType, "names of the parameters, such as [a, b]"),
	attrDoc("variadic_param", cty.DynamicPseudoType, "name of the list of all further arguments"),
	requiredDoc("result", cty.DynamicPseudoType, "expression that a call returns"),
}

// solverAttrs describes a solver block's attributes, except for_each.
var solverAttrs = []stages.Attr{
	attrDoc("name", cty.String, "name in tables; default: the block's label"),
	requiredDoc("command", cty.List(cty.String), "program and its arguments"),
	attrDoc("archive", cty.DynamicPseudoType, "archive that holds the program: a path or a file"),
	attrDoc("image", cty.DynamicPseudoType, "root file system image for its runs, which may contain its program: a "+
		"path or a file; default: the executor's or the competition's image"),
	attrDoc("team", cty.String, "the submitting team; default: the solver's name"),
	attrDoc("competitive", cty.Bool, "whether it competes; default: true"),
	attrDoc("type", cty.String, "standalone, portfolio, wrapped or derived"),
	attrDoc("base_solver", cty.String, "of a derived solver, the solver that it is derived from"),
	attrDoc("tracks", cty.List(cty.String), "tracks that it enters"),
	attrDoc("logics", cty.List(cty.String), "logics that it enters, as names or patterns; by default all"),
	attrDoc("open_source", cty.Bool, "its source is open"),
	attrDoc("new_entrant", cty.Bool, "it takes part for the first time"),
	attrDoc("starexec", cty.Bool, "its archive is one of StarExec"),
	attrDoc("seed", cty.Number, "its part of the competition's seed"),
	attrDoc("website", cty.String, "its address"),
	attrDoc("system_description", cty.String, "address of its description"),
	attrDoc("version_command", cty.List(cty.String), "program and arguments that print its version; default: "+
		"--version, then -version; not part of a key"),
}
