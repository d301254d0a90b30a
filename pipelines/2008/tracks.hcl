# SMT-COMP 2008, from the index of a release in SMT-LIB 1.2 to scores: a module, which competition-2008.hcl and shorter
# competitions use. Sections are those of the SMT-COMP 2008 rules. A logic is a division; AUFLIA+p and the like are folders of
# the release.

variable "benchmarks" {
  type        = any
  description = "Index of the release: the output benchmarks of an index stage"
}

variable "retired" {
  type        = any
  default     = null
  description = "Benchmarks that are retired before the draw (the rules of 2008 do not speak of it): the output benchmarks of an unfit stage; null: none"
}

variable "removed" {
  type        = any
  default     = null
  description = "Benchmarks that are removed after the runs and not scored (the rules of 2008 do not speak of it): the output benchmarks of an unfit stage; null: none"
}

variable "solvers" {
  type        = any
  description = "The entrants: solver blocks"
}

variable "measures" {
  type        = any
  description = "The solvers by which the difficulty is measured: those of 2007 that finished in good standing (§4)"
}

variable "seed" {
  type        = number
  description = "The competition's seed (§4, Benchmark selection)"
}

variable "wall_time" {
  type        = string
  default     = "20m"
  description = "Time limit, anticipated to be around 20 minutes (§3, Timeouts)"
}

variable "difficulty_time" {
  type        = string
  default     = "10m"
  description = "Time within which a benchmark counts as solved for its difficulty: 10 minutes (§4, Benchmark selection)"
}

variable "memory" {
  type        = string
  default     = "1GB"
  description = "Memory limit; the rules name none"
}

variable "executor" {
  type        = any
  default     = null
  description = "Where runs are executed; null: here, fully isolated"
}

# §4: benchmarks of unknown status are not eligible.
stage "filter" "eligible" {
  benchmarks = var.benchmarks
  retired    = var.retired

  drop "division" {
    when   = !track_has(competition.tracks, "single_query", b.logic)
    reason = "the logic is no division"
  }
  drop "unknown" {
    when   = b.status == "unknown"
    reason = "of unknown status"
  }
}

# §4: the solvers that measure the difficulty get what is not of the category check, as it is.
stage "filter" "measured" {
  benchmarks = stage.filter.eligible.benchmarks

  drop "check" {
    when   = b.category == "check"
    reason = "all of the category check are included"
  }
}

stage "scramble" "measured" {
  benchmarks = stage.filter.measured.benchmarks
  track      = "single_query"
  seed       = 0
}

stage "execute" "measured" {
  scripts  = stage.scramble.measured.scripts
  solvers  = var.measures
  track    = "single_query"
  input    = "stdin"
  executor = var.executor

  limits {
    wall_time = var.difficulty_time
    memory    = var.memory
    cores     = 1
  }
}

stage "validate" "measured" {
  runs       = stage.execute.measured.runs
  benchmarks = stage.filter.measured.benchmarks
}

# §4: all of the category check, and 200 of each division; 5(1 - solved/total), rounded. What nobody ran is of difficulty 5.
stage "pools" "main" {
  benchmarks = stage.filter.eligible.benchmarks
  history    = stage.validate.measured.history
  difficulty = h.runs == 0 ? 5 : floor((10 * (h.runs - h.solved) + h.runs) / (2 * h.runs))
  seed       = var.seed
}

# §4: slightly scrambled, with the seed of the selection.
stage "scramble" "main" {
  benchmarks = stage.pools.main.benchmarks
  track      = "single_query"
  seed       = var.seed
}

stage "execute" "main" {
  scripts  = stage.scramble.main.scripts
  solvers  = var.solvers
  track    = "single_query"
  input    = "stdin" # §3: the benchmark is given on standard input
  executor = var.executor

  limits {
    wall_time = var.wall_time
    memory    = var.memory
    cores     = 1
  }
}

stage "validate" "main" {
  runs       = stage.execute.main.runs
  benchmarks = stage.pools.main.benchmarks
}

stage "score" "main" {
  verdicts = stage.validate.main.verdicts
  removed  = var.removed
}

output "scores" {
  value = stage.score.main.scores
}

output "recognitions" {
  value = stage.score.main.recognitions
}

output "verdicts" {
  value = stage.validate.main.verdicts
}

output "selection" {
  value = stage.pools.main.selection
}

output "exclusions" {
  value = stage.filter.eligible.exclusions
}
