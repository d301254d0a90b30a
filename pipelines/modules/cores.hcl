# Validation of unsat cores, which the 2019 (§5.5), 2022 (§5.4) and 2026 (§5.4) rules describe alike: the solvers that are sound in
# the division of the single-query track vote on each core. The definition of a majority differs by year and is in the year's
# rules.

variable "runs" {
  type        = any
  description = "Runs of the unsat-core track: the output runs of an execute stage"
}

variable "benchmarks" {
  type        = any
  description = "Benchmarks of the unsat-core track"
}

variable "verdicts" {
  type        = any
  description = "Verdicts of the single-query track, which say who is sound"
}

variable "solvers" {
  type        = any
  description = "The entrants: a table of solvers, or solver blocks"
}

variable "arguments" {
  type        = map(list(string))
  default     = {}
  description = "Further arguments of solver blocks, by solver"
}

variable "executor" {
  type        = any
  default     = null
  description = "Where runs are executed; null: here, fully isolated"
}

variable "merge_stderr" {
  type        = bool
  default     = true
  description = "Whether output and error channel are one"
}

variable "wall_time" {
  type        = string
  description = "Wall time limit of a validation solver"
}

variable "memory" {
  type        = string
  description = "Memory limit"
}

variable "cores" {
  type        = number
  description = "Cores of a processor"
}

stage "unsat_core_validation" "unsat_core" {
  runs     = var.runs
  verdicts = var.verdicts
}

stage "execute" "votes" {
  scripts   = stage.unsat_core_validation.unsat_core.scripts
  enter     = stage.unsat_core_validation.unsat_core.validators
  solvers   = var.solvers
  arguments = var.arguments
  track     = "single_query"
  executor  = var.executor

  merge_stderr = var.merge_stderr

  limits {
    wall_time = var.wall_time
    memory    = var.memory
    cores     = var.cores
  }
}

stage "validate" "unsat_core" {
  runs       = var.runs
  core_runs  = stage.execute.votes.runs
  benchmarks = var.benchmarks
}

output "verdicts" {
  value = stage.validate.unsat_core.verdicts
}
