# The tracks of SMT-COMP 2022: what differs from 2026/tracks.hcl. A module that competition-2022.hcl and shorter competitions use.
# Sections refer to the SMT-COMP 2022 rules.

base {
  source = "../2026/tracks.hcl"

  # No reading of the organisers' later tool, no heats that stop early, and a proof and a cloud track.
  without = [
    "variable.sizes", "variable.new_benchmarks", "variable.easy", "variable.unknown_status", "variable.answer_years",
    "variable.heats_stopped", "variable.hard_clock", "variable.generator", "variable.flavour", "check.polars",
    "function.is_agreed", "stage.validate.models", "local.kind", "local.parallel", "local.models", "local.all",
    "local.run", "local.model_divisions", "stage.filter.first.runs_per_year", "stage.filter.later.years",
    "stage.cap.first.first", "stage.cap.first.generator", "stage.cap.first.flavour", "stage.cap.later.first",
    "stage.cap.later.generator", "stage.cap.later.flavour", "stage.hard.first.generator", "stage.hard.first.flavour",
    "stage.heat.first.stop", "stage.heat.later.stop",
  ]
}

variable "benchmarks" {
  description = "Index of the release: the output benchmarks of an index stage"
}

variable "competitive" {
  description = "Competitive logics by track (others are not run: divisions by §6, logics by §3); null: all logics"
}

variable "tracks" {
  default     = ["single_query", "incremental", "unsat_core", "model_validation", "proof", "parallel", "cloud"]
  description = "Tracks to run (§3); the cloud track is selected here and run elsewhere, and its results are imported"
}

variable "easy_time" {
  description = "Easy benchmarks (§6, step 2): the second is one of wall time, or of cpu time"
}

variable "model_logics" {
  description = "Logics of the model-validation track: divisions: those of its divisions, with the QF_FPArith that §3 adds; sources: only those of §6, Benchmark sources"
}

variable "wall_time" {
  description = "Wall time limit T: 20 minutes in every track (§5.2 to 5.8)"
}

variable "core_validation_time" {
  default     = "5m"
  description = "Wall time limit of a validation solver, anticipated to be around 5 minutes (§5.4, Time Limit)"
}

variable "memory" {
  default     = "60GB"
  description = "Memory limit, on the order of 60 GB (§5.1, Time and Memory Limits)"
}

variable "scratch" {
  type        = string
  default     = "20GB"
  description = "Disk space of a run, typically 20 GB (§5.1, Persistent State); what is written counts as memory, too"
}

variable "parallel_cores" {
  default     = 64
  description = "Cores in the parallel track; the rules refer to a page for them (§5.1, Time and Memory Limits)"
}

variable "parallel_memory" {
  default     = "256GB"
  description = "Memory limit in the parallel track; the rules refer to a page for it (§5.1, Time and Memory Limits)"
}

variable "hard_from" {
  default     = "5m"
  description = "Parallel and cloud tracks: a solved benchmark is hard if no earlier run solved it in less CPU time (§5.6 and 5.7 ask for sufficiently high run times and leave the estimation to the organisers)"
}

variable "hard_places" {
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

locals {
  # Tracks with benchmarks determined by the library, and those that also need answers from the single-query track (§6, step 3).
  first = setintersection(toset(var.tracks), toset(["single_query", "incremental", "parallel", "cloud"]))
  hard  = setintersection(local.first, toset(["parallel", "cloud"]))
  later = setintersection(toset(var.tracks), toset(["unsat_core", "model_validation", "proof"]))

  cores  = var.only == "selection" ? toset([]) : setintersection(local.later, toset(["unsat_core"]))
  others = var.only == "selection" ? toset([]) : setsubtract(local.later, toset(["unsat_core"]))

  years = [2018, 2019, 2020]

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
    reason    = "solved by all solvers in less than one second in ${min(local.years...)} to ${max(local.years...)}"
    trivial   = true
  }
}

# The library, for n = library.
stage "filter" "library" {
  drop "collection" {
    when = b.incremental != (each.key == "incremental")
  }
}

# §6, step 4. New families are guaranteed a benchmark in cases b and c.
stage "cap" "first" {
  for_each       = { for t, f in stage.filter.first : t => f if !contains(local.hard, t) }
  guarantee      = b.new ? b.family : null
  guarantee_when = n > 300
}

# §5.6 and 5.7: 400 instances of sufficiently high run times, in any year. The rules leave the estimate to the organisers. Here it uses earlier
# results; see "Hard instances" in docs/write/selection.md.
stage "hard" "first" {
  for_each = local.hard
  hard     = h.min_cpu >= seconds(var.hard_from)
}

# §6, Heats.
stage "heat" "first" {
  group_by = division_of(each.key, b.logic)
}

stage "scramble" "first" {
  for_each = { for t, s in local.entered : t => s if var.only == "everything" && t != "cloud" }
}

stage "execute" "first" {
  merge_stderr = each.key != "incremental" # §5.1: output and error channel are merged

  limits {
    wall_time = var.wall_time
    memory    = each.key == "parallel" ? var.parallel_memory : var.memory
    scratch   = var.scratch
    cores     = each.key == "parallel" ? var.parallel_cores : var.cores
  }
}

# §6, steps 2 and 3; an unknown status is determined by the single-query track's sound solvers.
stage "filter" "later" {
  history = var.answers != null ? var.answers : stage.validate.first["single_query"].sound

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
  guarantee      = b.new ? b.family : null
  guarantee_when = n > 300
}

# §6, Heats.
stage "heat" "later" {
  group_by = division_of(each.key, b.logic)
}

stage "execute" "later" {
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
}

# What a list of benchmarks must state besides their paths.
output "columns" {
  value = { unsat_core = ["status", "asserts"], model_validation = ["status"], proof = ["status"] }
}
