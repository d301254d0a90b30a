package stages

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Node is a stage block of a pipeline before it is expanded into instances.
type Node struct {
	Addr  string // such as stage.cap.single_query
	Kind  *Kind
	Deps  []string // sorted addresses of the stage blocks that it refers to
	Range hcl.Range
}

// Instance is one stage with evaluated arguments. A block without for_each has one instance, whose address is the
// block's.
type Instance struct {
	Addr   string // such as stage.cap.tracks["unsat_core"]
	Kind   *Kind
	Args   *Args    // arguments that are not known yet have unknown values
	Action Action   // nil while Waits is not empty
	Waits  []string // addresses whose outputs are needed but not known yet
	Open   bool     // stands for all instances of its block while its own for_each or its module's is unknown
	Range  hcl.Range
}

// Known holds the outputs of computed instances, by address and output name.
type Known map[string]map[string]cty.Value
