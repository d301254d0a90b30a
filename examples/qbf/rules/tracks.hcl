# The tracks, from an index of benchmarks to scores.

variable "benchmarks" {
  type        = any
  description = "Index of the benchmarks: the output benchmarks of an index stage"
}

variable "solvers" {
  type        = any
  description = "The entrants: solver blocks"
}

variable "wall_time" {
  type        = string
  default     = "900s"
  description = "Time limit of a run"
}

variable "memory" {
  type        = string
  default     = "2GB"
  description = "Memory limit of a run"
}

variable "executor" {
  type        = any
  default     = null
  description = "Where runs are executed; null: here, fully isolated"
}

locals {
  tracks = toset(keys(competition.tracks))
}

# Benchmarks are not changed.
stage "scramble" "tracks" {
  for_each   = local.tracks
  benchmarks = var.benchmarks
  track      = each.key
  seed       = 0
}

stage "execute" "tracks" {
  for_each = stage.scramble.tracks
  scripts  = each.value.scripts
  solvers  = var.solvers
  track    = each.key
  executor = var.executor

  limits {
    wall_time = var.wall_time
    memory    = var.memory
  }
}

stage "validate" "tracks" {
  for_each   = stage.execute.tracks
  runs       = each.value.runs
  benchmarks = var.benchmarks

  checker "certificate" {
    program     = file("certificate.py")
    interpreter = ["/usr/bin/python3"]
    answers     = ["sat", "unsat"]
    valid       = "^RIGHT$"
    invalid     = "^WRONG"
  }
}

stage "verdicts" "tracks" {
  for_each = stage.validate.tracks
  verdicts = each.value.verdicts
  entrants = var.solvers
}

stage "score" "tracks" {
  for_each = stage.verdicts.tracks
  verdicts = each.value.verdicts
  rules    = competition.rules.scoring
}

output "runs" {
  value = [for r in stage.execute.tracks : r.runs]
}

output "verdicts" {
  value = [for v in stage.verdicts.tracks : v.verdicts]
}

output "scores" {
  value = [for s in stage.score.tracks : s.scores]
}
