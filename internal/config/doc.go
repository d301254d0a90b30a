// Package config reads pipelines: HCL files with competition, variable, locals, function, solver, executor, stage,
// check, output and module blocks. It builds the stage graph, expands stage blocks into instances with typed arguments,
// and reports every mistake of every file at once, with its source.
//
// # Phases
//
//   - Load parses all files, decodes the blocks into declarations, resolves every reference statically, sorts the
//     declarations (internal/graph) and evaluates whatever does not depend on an output of a stage, so that types, row
//     expressions and arguments are checked before anything executes.
//   - Expand, Outputs and Checks evaluate again with the outputs that are known by then. An output that is not known is
//     an unknown value of its declared type; what depends on it waits for it, and says for what.
//
// Evaluation is lazy and by declaration: a reference to local.x evaluates that local once. What cannot depend on a
// stage is evaluated once for the life of the Pipeline.
//
// The package knows stages only by their declarations (stages.Kind) and never executes one.
package config
