# The tracks of SMT-COMP 2015, from the index of a release to scores: a module, which competition-2015.hcl and shorter
# competitions use. Sections are those of the SMT-COMP 2015 rules. All eligible benchmarks are run (§6, Benchmark
# selection), so that nothing is drawn.

variable "benchmarks" {
  type        = any
  description = "Index of the release: the output benchmarks of an index stage"
}

variable "retired" {
  type        = any
  default     = null
  description = "Benchmarks that are retired from the eligible ones (§6, Benchmark selection, step 1): the output benchmarks of an unfit stage; null: none"
}

variable "removed" {
  type        = any
  default     = null
  description = "Benchmarks that are removed after the runs and not scored (§8): the output benchmarks of an unfit stage; null: none"
}

variable "solvers" {
  type        = any
  description = "The entrants: a table of solvers, or solver blocks"
}

variable "arguments" {
  type        = map(map(list(string)))
  default     = {}
  description = "Further arguments of solver blocks, by track and solver"
}

variable "seed" {
  type        = number
  description = "The competition's seed (§6, Pseudo-random numbers)"
}

variable "wall_time" {
  type        = string
  default     = "40m"
  description = "Wall time limit T, anticipated to be 40 minutes (§5.1, Time and memory limits)"
}

variable "memory" {
  type        = string
  default     = "60GB"
  description = "Memory limit, on the order of 60 GB (§5.1, Time and memory limits)"
}

variable "cores" {
  type        = number
  default     = 4
  description = "Cores of a processor (§5.1, Time and memory limits)"
}

variable "sample" {
  type        = number
  default     = 1000000
  description = "Benchmarks of a logic and track, at most: for short competitions"
}

variable "executor" {
  type        = any
  default     = null
  description = "Where runs are executed; null: here, fully isolated"
}

locals {
  # The tracks by the names that they have today.
  main        = "single_query"
  application = "incremental"
  tracks      = toset([local.main, local.application])
}

# §6: benchmarks of known status are eligible; of an incremental one the prefix in which every status is known.
stage "filter" "eligible" {
  for_each   = local.tracks
  benchmarks = var.benchmarks
  retired    = var.retired

  drop "collection" {
    when   = b.incremental != (each.key == local.application)
    reason = "of the other collection"
  }
  drop "unknown" {
    when   = each.key == local.main ? b.status == "unknown" : startswith(b.statuses, "unknown")
    reason = "of unknown status"
  }
  drop "division" {
    when   = !track_has(competition.tracks, each.key, b.logic)
    reason = "the logic is no division of the track"
  }
}

stage "cap" "tracks" {
  for_each   = stage.filter.eligible
  benchmarks = each.value.benchmarks
  take       = min(n, var.sample)
  seed       = var.seed
}

stage "scramble" "tracks" {
  for_each   = stage.cap.tracks
  benchmarks = each.value.benchmarks
  track      = each.key
  seed       = var.seed
}

stage "execute" "tracks" {
  for_each  = stage.scramble.tracks
  scripts   = each.value.scripts
  solvers   = var.solvers
  arguments = lookup(var.arguments, each.key, {})
  track     = each.key
  executor  = var.executor

  # The dialogue ends at the first check-sat of unknown status: only the prefix before it is eligible (§6).
  continue_after_unknown = false

  limits {
    wall_time = var.wall_time
    memory    = var.memory
    cores     = var.cores
  }
}

stage "validate" "tracks" {
  for_each   = stage.execute.tracks
  runs       = each.value.runs
  benchmarks = stage.cap.tracks[each.key].benchmarks
}

stage "score" "tracks" {
  for_each = stage.validate.tracks
  verdicts = each.value.verdicts
  removed  = var.removed
}

output "scores" {
  value = { for t, s in stage.score.tracks : t => s.scores }
}

output "recognitions" {
  value = { for t, s in stage.score.tracks : t => s.recognitions }
}

output "verdicts" {
  value = { for t, v in stage.validate.tracks : t => v.verdicts }
}

output "selection" {
  value = { for t, c in stage.cap.tracks : t => c.selection }
}

output "exclusions" {
  value = { for t, f in stage.filter.eligible : t => f.exclusions }
}
