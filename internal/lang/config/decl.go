package config

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// decl holds the fields common to all declarations: variables, locals, functions, solvers, executors, stages, outputs,
// checks and module calls. Declarations are the nodes of the graph.
type decl struct {
	id    int // position in declaration order, across all modules
	mod   *module
	addr  string // full address, such as module.x.stage.cap.main
	rng   hcl.Range
	uses  []use
	bad   bool // whether it has errors outside its expressions
	stage bool
	deps  []dep
}

// base returns the common fields of a declaration of any kind.
func (d *decl) base() *decl { return d }

// dep is a declaration that another declaration refers to, with the place and the expression.
type dep struct {
	to   *decl
	rng  hcl.Range
	expr hclsyntax.Expression
}

// use is an expression in a declaration, with the names that it can refer to in addition to its module's declarations.
type use struct {
	expr  hclsyntax.Expression
	row   *rowexpr.Scope // scope of a row expression
	names []string       // the expression's own names, such as a function's parameters
	own   []*decl        // declarations of these names
	each  bool           // whether each.key and each.value are available
	self  bool           // whether self.name is available
	mod   *module        // module in which to look up references; nil: the declaration's
}

type variable struct {
	decl
	name        string
	typ         cty.Type
	defaults    *typeexpr.Defaults
	def         cty.Value // default value; cty.NilVal: none
	sensitive   bool
	validations []condition
	given       cty.Value // in the root module: value from a flag, file or the environment; cty.NilVal: none
	givenBy     string    // source of the given value, for errors
}

// condition is a check block or a variable's validation.
type condition struct {
	cond, message hclsyntax.Expression
}

type local struct {
	decl
	expr hclsyntax.Expression
}

type userFunction struct {
	decl
	name     string
	params   []string
	variadic string
	result   hclsyntax.Expression
	own      []*decl // declarations of its parameters
}

type solver struct {
	decl
	name    string
	forEach hclsyntax.Expression
	attrs   hclsyntax.Attributes
}

type executor struct {
	decl
	kind  *worker.Kind // kind of executor; nil if it does not exist
	name  string
	attrs hclsyntax.Attributes
}

type stage struct {
	decl
	kind    *stages.Kind
	name    string
	forEach hclsyntax.Expression
	body    *hclsyntax.Body
}

type output struct {
	decl
	name        string
	forEach     hclsyntax.Expression
	value, path hclsyntax.Expression
}

type check struct {
	decl
	name string
	condition
}

type moduleCall struct {
	decl
	name    string
	forEach hclsyntax.Expression
	inputs  hclsyntax.Attributes
	child   *module
}

// module is one use of a folder of files: the root, or a child created by a module block.
type module struct {
	addr   string // address; "" for the root, otherwise like module.x.module.y
	folder string // path relative to the pipeline's folder, with forward slashes
	parent *module
	call   *moduleCall

	partial bool // whether a file could not be parsed, which means that declarations may be missing

	vars      named[*variable]
	locals    named[*local]
	functions named[*userFunction]
	solvers   named[*solver]
	executors named[*executor] // executors by kind.name
	stages    named[*stage]    // stages by kind.name
	outputs   named[*output]
	checks    named[*check]
	calls     named[*moduleCall]
}

// all returns the module and all modules that it calls, level by level.
func (m *module) all() []*module {
	modules := []*module{m}
	for i := 0; i < len(modules); i++ {
		for _, c := range modules[i].calls.all() {
			modules = append(modules, c.child)
		}
	}
	return modules
}

// address returns the full address of a declaration in the module.
func (m *module) address(name string) string {
	if m.addr == "" {
		return name
	}
	return m.addr + "." + name
}

// namesOf returns the names of things.
func namesOf[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
	}
	return names
}

// named is a dictionary that iterates in declaration order.
type named[T any] struct {
	order []string
	by    map[string]T
}

func (n *named[T]) get(name string) (T, bool) {
	v, ok := n.by[name]
	return v, ok
}

func (n *named[T]) add(name string, v T) {
	if n.by == nil {
		n.by = map[string]T{}
	}
	n.by[name] = v
	n.order = append(n.order, name)
}

// all returns the values in declaration order.
func (n *named[T]) all() []T {
	vs := make([]T, len(n.order))
	for i, name := range n.order {
		vs[i] = n.by[name]
	}
	return vs
}
