package stages

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
)

// Node is a stage block of a pipeline before it is expanded into instances.
type Node struct {
	Addr  string // such as stage.cap.single_query
	Kind  *Kind
	Deps  []string // addresses of the stage blocks that it refers to, sorted
	Range hcl.Range
}

// Instance is one stage with evaluated arguments. A block without for_each has one instance with the block's address.
type Instance struct {
	Addr   string // such as stage.cap.tracks["unsat_core"]
	Kind   *Kind
	Args   *Args    // arguments that are not known yet are unknown values
	Action Action   // nil while Waits is not empty
	Waits  []string // addresses whose outputs are needed but not known yet
	Open   bool     // stands for all instances of its block: its for_each, or that of its module, is not known yet
	Range  hcl.Range
}

// Known holds the outputs of the instances that have been computed: address, output's name, value.
type Known map[string]map[string]cty.Value
