# What the tracks of all years have in common: inputs, entrants, scores and outputs. YEAR/tracks.hcl states what differs. Sections are
# those of the rules of 2019, 2022 and 2026.

variable "benchmarks" {
  type        = any
  description = "Index of the release: the output benchmarks of an index stage"
}

variable "retired" {
  type        = any
  default     = null
  description = "Benchmarks that are retired before the draw (§6, step 1): the output benchmarks of an unfit stage; null: none"
}

variable "removed" {
  type        = any
  default     = null
  description = "Benchmarks that are removed after the runs and not scored (§8): the output benchmarks of an unfit stage; null: none"
}

variable "solvers" {
  type        = any
  default     = null
  description = "The entrants: a table of solvers, or solver blocks"
}

variable "entrants" {
  type        = any
  default     = []
  description = "Who takes part: a list with the output entrants of a submissions stage, or solver blocks; empty: every solver, for a team of its own"
}

variable "arguments" {
  type        = map(map(list(string)))
  default     = {}
  description = "Further arguments of solver blocks, by track and solver"
}

variable "competitive" {
  type    = map(list(string))
  default = null
}

variable "tracks" {
  type = list(string)
}

variable "only" {
  type        = string
  default     = "everything"
  description = "selection: benchmarks are selected and nothing is executed; everything"
}

variable "heats" {
  type        = list(number)
  default     = [1]
  description = "Sizes of the heats into which the selected benchmarks of each division are divided, in proportion to each other (§6, Heats)"
}

variable "heats_run" {
  type        = number
  default     = null
  description = "How many heats are run, from the first one on; the others are ignored (§6, Heats). null: there are no heats"
}

variable "seed" {
  type        = number
  description = "The competition's seed (§6, Pseudo-random numbers)"
}

variable "wall_time" {
  type = string
}

variable "memory" {
  type = string
}

variable "cores" {
  type        = number
  default     = 4
  description = "Cores of a processor (§5.1, Time and Memory Limits)"
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

check "only" {
  condition = contains(["selection", "everything"], var.only)
  message   = "only is selection or everything."
}

# The entrants are joined last, so that a corrected team or a reason against an entrant only changes what follows.
stage "verdicts" "tracks" {
  for_each = { for t, v in local.judged : t => v if length(var.entrants) > 0 }
  verdicts = each.value.verdicts
  entrants = var.entrants
}

locals {
  verdicts = merge({ for t, v in local.judged : t => v.verdicts }, { for t, v in stage.verdicts.tracks : t => v.verdicts })
}

stage "score" "tracks" {
  for_each = local.verdicts
  verdicts = [each.value]
  rules    = competition.rules.scoring
  removed  = var.removed
}

output "scores" {
  value = { for t, s in stage.score.tracks : t => s.scores }
}

output "recognitions" {
  value = { for t, s in stage.score.tracks : t => s.recognitions }
}

output "verdicts" {
  value = local.verdicts
}
