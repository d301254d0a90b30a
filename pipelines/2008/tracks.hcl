# SMT-COMP 2008, from the index of a release in SMT-LIB 1.2 to scores: a module that competition-2008.hcl and shorter
# competitions use. Sections refer to the SMT-COMP 2008 rules. A logic is a division; AUFLIA+p and the like are folders of
# the release.

base {
  source = "../modules/base-tracks.hcl"

  # One track, scored as stage.score.main, on one core and without heats.
  without = [
    "variable.tracks", "variable.arguments", "variable.cores", "variable.heats", "variable.heats_run",
    "variable.sample", "stage.verdicts.tracks", "stage.score.tracks",
  ]
}

variable "retired" {
  description = "Benchmarks that are retired before the draw (the rules of 2008 do not speak of it): the output benchmarks of an unfit stage; null: none"
}

variable "removed" {
  description = "Benchmarks that are removed after the runs and not scored (the rules of 2008 do not speak of it): the output benchmarks of an unfit stage; null: none"
}

variable "measures" {
  type        = any
  default     = null
  description = "The solvers by which the difficulty is measured: those of 2007 that finished in good standing (§4)"
}

variable "competitive" {
  description = "Divisions that are run, by track; null: all"
}

variable "measured" {
  type        = any
  default     = null
  description = "Runs that measure the difficulty where they are not executed here (only = selection): a table history/1"
}

variable "seed" {
  description = "The competition's seed (§4, Benchmark selection)"
}

variable "wall_time" {
  default     = "20m"
  description = "Time limit, anticipated to be around 20 minutes (§3, Timeouts)"
}

variable "difficulty_time" {
  type        = string
  default     = "10m"
  description = "Time within which a benchmark counts as solved for its difficulty: 10 minutes (§4, Benchmark selection)"
}

variable "memory" {
  default     = "1GB"
  description = "Memory limit; the rules name none"
}

locals {
  # §4: the problem divisions; only competitive ones are run.
  all = flatten(values(competition.tracks["single_query"]))
  run = var.competitive == null ? toset(local.all) : setintersection(toset(local.all), toset(lookup(coalesce(var.competitive, {}), "single_query", [])))

  # The only track, if it is executed.
  executed = var.only == "selection" ? toset([]) : toset(["single_query"])
}

# §4: the difficulty of a benchmark is 5(1 - solved/total), here with halves rounded up. What nobody ran has difficulty 5.
function "difficulty" {
  params = [h]
  result = h.runs == 0 ? 5 : floor((10 * (h.runs - h.solved) + h.runs) / (2 * h.runs))
}

# §4: benchmarks with unknown status are not eligible.
stage "filter" "eligible" {
  benchmarks = var.benchmarks
  retired    = var.retired

  drop "collection" {
    when   = b.incremental
    reason = "of the other collection"
  }
  drop "division" {
    when   = !contains(local.run, b.logic)
    reason = "the logic is no division, or not run"
  }
  drop "unknown" {
    when   = b.status == "unknown"
    reason = "of unknown status"
  }
}

# §4: the solvers that measure the difficulty get everything outside the category check, unscrambled.
stage "filter" "measured" {
  for_each   = local.executed
  benchmarks = stage.filter.eligible.benchmarks

  drop "check" {
    when   = b.category == "check"
    reason = "all of the category check are included"
  }
}

stage "scramble" "measured" {
  for_each   = stage.filter.measured
  benchmarks = each.value.benchmarks
  track      = "single_query"
  seed       = 0
}

stage "execute" "measured" {
  for_each = stage.scramble.measured
  scripts  = each.value.scripts
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
  for_each   = stage.execute.measured
  runs       = each.value.runs
  benchmarks = stage.filter.measured[each.key].benchmarks
}

# §4: all of the category check; 200 of each family in the pool of its division; and 200 of each pool, 20 of them crafted and 10
# random. A division's pool and slots are balanced over the statuses, and the difficulties 0 to 2 and 3 to 5.
stage "pools" "main" {
  benchmarks = stage.filter.eligible.benchmarks
  history    = var.only == "selection" ? var.measured : stage.validate.measured["single_query"].history
  always     = b.category == "check"
  pool       = 200
  parts      = 4
  part       = (b.status == "unsat" ? 2 : 0) + (difficulty(h) >= 3 ? 1 : 0)
  seed       = var.seed

  slots "industrial" { places = 170 }
  slots "crafted" { places = 20 }
  slots "random" { places = 10 }
}

# §4: slightly scrambled, with the seed of the selection.
stage "scramble" "main" {
  for_each   = local.executed
  benchmarks = stage.pools.main.benchmarks
  track      = "single_query"
  seed       = var.seed
}

stage "execute" "main" {
  for_each = stage.scramble.main
  scripts  = each.value.scripts
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
  for_each   = stage.execute.main
  runs       = each.value.runs
  benchmarks = stage.pools.main.benchmarks
}

# The entrants are joined last, so that a corrected team or a reason against an entrant only changes what follows.
stage "verdicts" "main" {
  for_each = { for t, v in stage.validate.main : t => v if length(var.entrants) > 0 }
  verdicts = each.value.verdicts
  entrants = var.entrants
}

locals {
  verdicts = merge({ for t, v in stage.validate.main : t => v.verdicts }, { for t, v in stage.verdicts.main : t => v.verdicts })
}

stage "score" "main" {
  for_each = local.verdicts
  verdicts = [each.value]
  rules    = competition.rules.scoring
  removed  = var.removed
}

output "scores" {
  value = { for t, s in stage.score.main : t => s.scores }
}

output "recognitions" {
  value = { for t, s in stage.score.main : t => s.recognitions }
}

output "runs" {
  value = { for t, e in stage.execute.main : t => e.runs }
}

output "selected" {
  value = { single_query = stage.pools.main.benchmarks }
}

output "selection" {
  value = { single_query = stage.pools.main.selection }
}

output "exclusions" {
  value = { single_query = stage.filter.eligible.exclusions }
}

# Why each benchmark is included or excluded, in the order of the decisions.
output "choices" {
  value = { single_query = [stage.filter.eligible.choices, stage.pools.main.choices] }
}

# What a list of benchmarks must state besides their paths.
output "columns" {
  value = { single_query = ["status", "category", "difficulty"] }
}
