// Package config reads pipelines: HCL files with competition, variable, locals, function, solver, executor, stage,
// check, output and module blocks. It builds the stage graph, expands stage blocks into instances with typed arguments,
// and reports all mistakes in all files together, each with its source.
//
// # Phases
//
//   - Load parses all files, decodes the blocks into declarations, resolves every reference statically, sorts the
//     declarations (internal/graph) and evaluates everything that does not depend on a stage's output. This checks
//     types, row expressions and arguments before anything executes.
//   - Expand, Outputs and Checks evaluate the pipeline again with the outputs known so far. An unknown output is an
//     unknown value of its declared type. Values that depend on it carry marks that name it.
//
// Evaluation is lazy and proceeds by declaration: a reference to local.x evaluates that local once. Values that cannot
// depend on a stage are evaluated only once per Pipeline.
//
// The package knows stages only through their declarations (stages.Kind) and never executes one.
package config
