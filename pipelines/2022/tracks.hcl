# The tracks of SMT-COMP 2022, from the index of a release to scores: a module that competition-2022.hcl and shorter
# competitions use. Sections refer to the SMT-COMP 2022 rules.

variable "benchmarks" {
  type        = any
  description = "Index of the release: the output benchmarks of an index stage"
}

variable "history" {
  type        = any
  description = "Results of earlier competitions: the output runs of an import stage"
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
  type        = map(list(string))
  default     = null
  description = "Competitive logics by track (others are not run: divisions by §6, logics by §3); null: all logics"
}

variable "tracks" {
  type        = list(string)
  default     = ["single_query", "incremental", "unsat_core", "model_validation", "proof", "parallel", "cloud"]
  description = "Tracks to run (§3); the cloud track is selected here and run elsewhere, and its results are imported"
}

variable "only" {
  type        = string
  default     = "everything"
  description = "selection: benchmarks are selected and nothing is executed; everything"
}

variable "answers" {
  type        = any
  default     = null
  description = "Answers of the single-query track where it is not executed here (§6, step 3): a table history/1; null: those of the runs here"
}

variable "n" {
  type        = string
  default     = "eligible"
  description = "What n is in the places of a logic (§6, step 4): its eligible benchmarks, or all of the library"
}

variable "rounding" {
  type        = string
  default     = "floor"
  description = "A part of a benchmark in the places of a logic (§6, step 4): floor or ceil"
}

variable "easy_time" {
  type        = string
  default     = "wall"
  description = "Easy benchmarks (§6, step 2): the second is one of wall time, or of cpu time"
}

variable "easy_years" {
  type        = string
  default     = "all"
  description = "Easy benchmarks (§6, step 2): easy in all the years in which they were run together, or in any of them"
}

variable "easy_runs" {
  type        = number
  default     = 2
  description = "Runs that there must be at least before a benchmark is easy (§6, step 2): one solver alone is not all"
}

variable "easy_answers" {
  type        = string
  default     = "correct"
  description = "Easy benchmarks (§6, step 2): solved is answered correctly, or any: whatever was answered"
}

variable "model_logics" {
  type        = string
  default     = "divisions"
  description = "Logics of the model-validation track: divisions: those of its divisions, with the QF_FPArith that §3 adds; sources: only those of §6, Benchmark sources"
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
  type        = string
  default     = "20m"
  description = "Wall time limit T: 20 minutes in every track (§5.2 to 5.8)"
}

variable "core_validation_time" {
  type        = string
  default     = "5m"
  description = "Wall time limit of a validation solver, anticipated to be around 5 minutes (§5.4, Time Limit)"
}

variable "model_time" {
  type        = string
  default     = "15m"
  description = "Time for checking a model, anticipated to be around 15 minutes (§5.5, Time Limit)"
}

variable "memory" {
  type        = string
  default     = "60GB"
  description = "Memory limit, on the order of 60 GB (§5.1, Time and Memory Limits)"
}

variable "scratch" {
  type        = string
  default     = "20GB"
  description = "Disk space of a run, typically 20 GB (§5.1, Persistent State); what is written counts as memory, too"
}

variable "cores" {
  type        = number
  default     = 4
  description = "Cores of a processor (§5.1, Time and Memory Limits)"
}

variable "parallel_cores" {
  type        = number
  default     = 64
  description = "Cores in the parallel track; the rules refer to a page for them (§5.1, Time and Memory Limits)"
}

variable "parallel_memory" {
  type        = string
  default     = "256GB"
  description = "Memory limit in the parallel track; the rules refer to a page for it (§5.1, Time and Memory Limits)"
}

variable "sample" {
  type        = number
  default     = 1000000
  description = "Benchmarks of a logic and track, at most: for short competitions"
}

variable "hard_from" {
  type        = string
  default     = "5m"
  description = "Parallel and cloud tracks: a solved benchmark is hard if no earlier run solved it in less CPU time (§5.6 and 5.7 ask for sufficiently high run times and leave the estimation to the organisers)"
}

variable "hard_places" {
  type        = number
  default     = 400
  description = "Benchmarks of the parallel and of the cloud track (§5.6, 5.7)"
}

variable "cloud" {
  type        = map(any)
  default     = {}
  description = "Runs of the cloud track, which is executed elsewhere (§5.7): the output executed of import stages, by any name"
}

variable "cloud_entrants" {
  type        = any
  default     = []
  description = "Who made these runs: a list with the outputs entrants of the same stages; what entrants tells counts more"
}

variable "executor" {
  type        = any
  default     = null
  description = "Where runs are executed; null: here, fully isolated"
}

locals {
  # Tracks with benchmarks determined by the library, and those that also need answers from the single-query track (§6, step 3).
  first = setintersection(toset(var.tracks), toset(["single_query", "incremental", "parallel", "cloud"]))
  hard  = setintersection(local.first, toset(["parallel", "cloud"]))
  later = setintersection(toset(var.tracks), toset(["unsat_core", "model_validation", "proof"]))

  cores  = var.only == "selection" ? toset([]) : setintersection(local.later, toset(["unsat_core"]))
  others = var.only == "selection" ? toset([]) : setsubtract(local.later, toset(["unsat_core"]))

  # §6, Benchmark sources.
  model_logics = ["QF_BV", "QF_IDL", "QF_RDL", "QF_LIA", "QF_LRA", "QF_LIRA", "QF_UF", "QF_UFBV", "QF_UFIDL", "QF_UFLIA", "QF_UFLRA"]
}

locals {
  # The options and their valid values.
  options = {
    only         = ["selection", "everything"]
    n            = ["eligible", "library"]
    rounding     = ["floor", "ceil"]
    easy_time    = ["wall", "cpu"]
    easy_years   = ["all", "any"]
    easy_answers = ["correct", "any"]
    model_logics = ["divisions", "sources"]
  }
  chosen = { only = var.only, n = var.n, rounding = var.rounding, easy_time = var.easy_time, easy_years = var.easy_years, easy_answers = var.easy_answers, model_logics = var.model_logics }
  wrong  = [for name, value in local.chosen : "${name} is ${join(" or ", local.options[name])}" if !contains(local.options[name], value)]
}

check "options" {
  condition = length(local.wrong) == 0
  message   = "An option has a value that it does not know: ${join("; ", local.wrong)}."
}

# A logic is run if it is in one of the year's divisions of the track (§6, Divisions) and competitive (§6, Competitive Divisions; §3,
# "Logics can be non-competitive in competitive divisions").
function "runs" {
  params = [track, logic]
  result = track_has(competition.tracks, track == "proof" ? "single_query" : track, logic) && (var.competitive == null ? true : contains(lookup(coalesce(var.competitive, {}), track, []), logic))
}

# §6, step 4: the places of a logic with n benchmarks.
function "places" {
  params = [n]
  result = n <= 300 ? n : n <= 600 ? 300 : whole(n / 2)
}

function "whole" {
  params = [x]
  result = var.rounding == "ceil" ? ceil(x) : floor(x)
}

# No run contradicts the status or, if the status is unknown, another run.
function "is_right" {
  params = [h, b]
  result = b.status == "sat" ? h.unsat == 0 : b.status == "unsat" ? h.sat == 0 : h.sat == 0 || h.unsat == 0
}

# §6, step 2: solved by all solvers in less than one second.
function "is_easy" {
  params = [h, b]
  result = h.runs >= var.easy_runs && h.all_solved && (var.easy_answers == "any" || is_right(h, b)) && (var.easy_time == "cpu" ? h.max_cpu : h.max_wall) < 1
}

# A logic's division. The proof track has the same divisions as the single-query track.
function "division_of" {
  params = [track, logic]
  result = division(competition.tracks, track == "proof" ? "single_query" : track, logic)
}

# §6, steps 1 and 2.
stage "filter" "first" {
  for_each   = local.first
  benchmarks = var.benchmarks
  retired    = var.retired
  history    = var.history
  track      = "single_query"
  years      = [2018, 2019, 2020]

  drop "collection" {
    when   = b.incremental != (each.key == "incremental")
    reason = "of the other collection"
  }
  drop "not_run" {
    when   = !runs(each.key, b.logic)
    reason = "the logic is in no division of the track, or not competitive"
  }
  drop "easy" {
    when      = each.key == "single_query" && is_easy(h, b)
    each_year = var.easy_years == "any"
    reason    = "solved by all solvers in less than one second in 2018 to 2020"
    trivial   = true
  }
}

# The library, for n = library.
stage "filter" "library" {
  for_each   = var.n == "library" ? toset(var.tracks) : toset([])
  benchmarks = var.benchmarks

  drop "collection" {
    when = b.incremental != (each.key == "incremental")
  }
}

# §6, step 4. New families are guaranteed a benchmark in cases b and c.
stage "cap" "first" {
  for_each       = { for t, f in stage.filter.first : t => f if !contains(local.hard, t) }
  benchmarks     = each.value.benchmarks
  exclusions     = each.value.exclusions
  counted        = var.n == "library" ? stage.filter.library[each.key].benchmarks : null
  take           = min(places(n), var.sample)
  guarantee      = b.new ? b.family : null
  guarantee_when = n > 300
  seed           = var.seed
}

# §5.6 and 5.7: 400 instances of sufficiently high run times, in any year. The rules leave the estimate to the organisers. Here it uses earlier
# results; see "Hard instances" in docs/write/selection.md.
stage "hard" "first" {
  for_each   = local.hard
  benchmarks = stage.filter.first[each.key].benchmarks
  history    = var.history
  track      = "single_query"
  hard       = h.min_cpu >= seconds(var.hard_from)
  places     = min(var.hard_places, var.sample)
  seed       = var.seed
}

locals {
  selected = merge(stage.cap.first, stage.hard.first)
}

# §6, Heats.
stage "heat" "first" {
  for_each   = { for t, s in local.selected : t => s if var.heats_run != null }
  benchmarks = each.value.benchmarks
  weights    = var.heats
  through    = var.heats_run
  group_by   = division_of(each.key, b.logic)
  seed       = var.seed
}

locals {
  entered = merge(local.selected, stage.heat.first)
}

stage "scramble" "first" {
  for_each   = { for t, s in local.entered : t => s if var.only == "everything" && t != "cloud" }
  benchmarks = each.value.benchmarks
  track      = each.key
  seed       = var.seed
}

stage "execute" "first" {
  for_each  = stage.scramble.first
  scripts   = each.value.scripts
  solvers   = var.solvers
  arguments = lookup(var.arguments, each.key, {})
  track     = each.key
  executor  = var.executor

  merge_stderr = each.key != "incremental" # §5.1: output and error channel are merged

  limits {
    wall_time = var.wall_time
    memory    = each.key == "parallel" ? var.parallel_memory : var.memory
    scratch   = var.scratch
    cores     = each.key == "parallel" ? var.parallel_cores : var.cores
  }
}

stage "validate" "first" {
  for_each   = stage.execute.first
  runs       = each.value.runs
  benchmarks = local.entered[each.key].benchmarks
}

# §6, steps 2 and 3; an unknown status is determined by the single-query track's sound solvers.
stage "filter" "later" {
  for_each   = local.later
  benchmarks = var.benchmarks
  retired    = var.retired
  history    = var.answers != null ? var.answers : stage.validate.first["single_query"].sound

  drop "collection" {
    when   = b.incremental
    reason = "of the incremental collection"
  }
  drop "not_run" {
    when   = !runs(each.key, b.logic)
    reason = "the logic is in no division of the track, or not competitive"
  }
  drop "logic" {
    when   = each.key == "model_validation" && var.model_logics == "sources" && !contains(local.model_logics, b.logic)
    reason = "models of the logic are not validated"
  }
  drop "one_assertion" {
    when    = each.key == "unsat_core" && b.asserts <= 1
    reason  = "a single assertion"
    trivial = true
  }
  drop "status" {
    when   = b.status == (each.key == "model_validation" ? "unsat" : "sat")
    reason = "has the status that the track does not take"
  }
  drop "status_not_known" {
    when   = b.status == "unknown" && (each.key == "model_validation" ? h.sat == 0 : h.unsat == 0)
    reason = "of unknown status, and no sound solver gave the answer that the track takes"
  }
}

stage "cap" "later" {
  for_each       = stage.filter.later
  benchmarks     = each.value.benchmarks
  exclusions     = each.value.exclusions
  counted        = var.n == "library" ? stage.filter.library[each.key].benchmarks : null
  take           = min(places(n), var.sample)
  guarantee      = b.new ? b.family : null
  guarantee_when = n > 300
  seed           = var.seed
}

# §6, Heats.
stage "heat" "later" {
  for_each   = { for t, s in stage.cap.later : t => s if var.heats_run != null }
  benchmarks = each.value.benchmarks
  weights    = var.heats
  through    = var.heats_run
  group_by   = division_of(each.key, b.logic)
  seed       = var.seed
}

locals {
  entered_later = merge(stage.cap.later, stage.heat.later)
}

stage "scramble" "later" {
  for_each   = { for t, s in local.entered_later : t => s if var.only == "everything" }
  benchmarks = each.value.benchmarks
  track      = each.key
  seed       = var.seed
}

stage "execute" "later" {
  for_each  = stage.scramble.later
  scripts   = each.value.scripts
  solvers   = var.solvers
  arguments = lookup(var.arguments, each.key, {})
  track     = each.key
  executor  = var.executor

  merge_stderr = each.key != "proof" # §5.1: output and error channel are merged, but not in the proof track (§5.8)

  limits {
    wall_time = var.wall_time
    memory    = var.memory
    scratch   = var.scratch
    cores     = var.cores
  }
}

stage "validate" "others" {
  for_each   = local.others
  runs       = stage.execute.later[each.key].runs
  benchmarks = local.entered_later[each.key].benchmarks
  model_time = var.model_time
}

# §5.4, Validation.
module "unsat_core" {
  source     = "rules:cores"
  for_each   = local.cores
  runs       = stage.execute.later[each.key].runs
  benchmarks = local.entered_later[each.key].benchmarks
  verdicts   = stage.validate.first["single_query"].verdicts
  solvers    = var.solvers
  arguments  = lookup(var.arguments, "single_query", {})
  executor   = var.executor
  wall_time  = var.core_validation_time
  memory     = var.memory
  cores      = var.cores
}

# §5.7: the cloud track is executed elsewhere; its answers are judged like those of the parallel track.
stage "validate" "cloud" {
  for_each   = var.cloud
  runs       = each.value
  benchmarks = var.benchmarks
}

# The proof exhibition track has no scores (§5.8).
# The entrants are joined last, so that a corrected team or a reason against an entrant only changes what follows.
locals {
  judged = merge(stage.validate.first, stage.validate.others, module.unsat_core)
}

stage "verdicts" "tracks" {
  for_each = { for t, v in local.judged : t => v if length(var.entrants) > 0 }
  verdicts = each.value.verdicts
  entrants = var.entrants
}

stage "verdicts" "cloud" {
  for_each = { for t, v in stage.validate.cloud : t => v if length(var.cloud_entrants) > 0 }
  verdicts = each.value.verdicts
  entrants = concat(var.cloud_entrants, var.entrants)
}

locals {
  verdicts = merge(
    { for t, v in merge(local.judged, stage.validate.cloud) : t => v.verdicts },
    { for t, v in merge(stage.verdicts.tracks, stage.verdicts.cloud) : t => v.verdicts },
  )
}

stage "score" "tracks" {
  for_each = { for t, v in local.verdicts : t => v if t != "proof" }
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

output "runs" {
  value = { for t, e in merge(stage.execute.first, stage.execute.later) : t => e.runs }
}

output "verdicts" {
  value = local.verdicts
}

output "selected" {
  value = { for t, c in merge(local.selected, stage.cap.later) : t => c.benchmarks }
}

output "selection" {
  value = { for t, c in merge(local.selected, stage.cap.later) : t => c.selection }
}

output "exclusions" {
  value = { for t, f in merge(stage.filter.first, stage.filter.later) : t => f.exclusions }
}

# Why each benchmark is included or excluded, in the order of the decisions.
output "choices" {
  value = { for t, s in merge(local.selected, stage.cap.later) : t => [merge(stage.filter.first, stage.filter.later)[t].choices, s.choices] }
}

# What a list of benchmarks must state besides their paths.
output "columns" {
  value = { unsat_core = ["status", "asserts"], model_validation = ["status"], proof = ["status"] }
}
