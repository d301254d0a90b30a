# The tracks of SMT-COMP 2019, from the index of a release to scores: a module that competition-2019.hcl uses. Sections refer
# to the SMT-COMP 2019 rules.

base {
  source = "../modules/drawn-tracks.hcl"
}

variable "history" {
  description = "Results of the competition of 2018: the output runs of an import stage"
}

variable "competitive" {
  description = "Competitive divisions by track (§6: others are not run); null: all"
}

variable "challenge" {
  type        = list(string)
  default     = []
  description = "Families that their submitters dedicated to the industry-challenge track, as patterns like non-incremental/QF_BV/20190311-*"
}

variable "tracks" {
  default     = ["single_query", "incremental", "unsat_core", "model_validation", "industry_challenge"]
  description = "Tracks to run (§3); the industry challenge only if families are dedicated to it"
}

variable "n" {
  description = "What n is in the places of a logic (§6, step 3): its eligible benchmarks, or all of the library"
}

variable "rounding" {
  description = "A part of a benchmark in the places of a logic (§6, step 3): floor or ceil"
}

variable "wall_time" {
  default     = "40m"
  description = "Wall time limit T of all tracks but the industry challenge: 40 minutes (§5.2, 5.3, 5.5, 5.6)"
}

variable "challenge_time" {
  type        = string
  default     = "12h"
  description = "Wall time limit T of the industry-challenge track: 12 hours (§5.4)"
}

variable "core_validation_time" {
  default     = "5m"
  description = "Wall time limit of a validation solver, anticipated to be around 5 minutes (§5.5, Time Limit)"
}

variable "model_time" {
  default     = "5m"
  description = "Time for checking a model, anticipated to be around 5 minutes (§5.6, Time Limit)"
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

locals {
  # What is executed: a track, or the part of the industry challenge that uses the incremental track's protocol (§5.4).
  parts = {
    single_query          = { track = "single_query", dialogue = false, challenge = false }
    incremental           = { track = "incremental", dialogue = true, challenge = false }
    unsat_core            = { track = "unsat_core", dialogue = false, challenge = false }
    model_validation      = { track = "model_validation", dialogue = false, challenge = false }
    challenge             = { track = "industry_challenge", dialogue = false, challenge = true }
    challenge_incremental = { track = "industry_challenge", dialogue = true, challenge = true }
  }
  run    = { for name, part in local.parts : name => part if contains(var.tracks, part.track) && (!part.challenge || length(var.challenge) > 0) }
  tracks = toset([for part in local.run : part.track])

  # What is executed.
  executed = { for name, part in local.run : name => part if var.only == "everything" }
}

# A division is a logic. It is run if it is competitive (§6, Competitive Divisions), also in the industry challenge.
function "runs" {
  params = [track, logic]
  result = var.competitive == null ? true : contains(lookup(coalesce(var.competitive, {}), track, []), logic)
}

function "dedicated" {
  params = [path]
  result = length([for pattern in var.challenge : pattern if glob_match("${pattern}/**", path)]) > 0
}

# §6, Benchmark sources, and steps 1 and 2.
stage "filter" "tracks" {
  for_each   = local.tracks
  benchmarks = var.benchmarks
  retired    = var.retired
  history    = var.history
  track      = "single_query"
  years      = [2018]

  drop "collection" {
    when   = each.key != "industry_challenge" && b.incremental != (each.key == "incremental")
    reason = "of the other collection"
  }
  drop "challenge" {
    when   = each.key == "industry_challenge" && !dedicated(b.path)
    reason = "not dedicated to the industry challenge"
  }
  drop "not_run" {
    when   = !runs(each.key, b.logic)
    reason = "the division is not competitive"
  }
  drop "easy" {
    when      = each.key == "single_query" && is_easy(h, b)
    each_year = var.easy_years == "any"
    reason    = "solved by all solvers in less than one second in 2018"
    trivial   = true
  }
  drop "one_assertion" {
    when    = each.key == "unsat_core" && b.asserts <= 1
    reason  = "a single assertion"
    trivial = true
  }
  drop "not_unsat" {
    when   = each.key == "unsat_core" && b.status != "unsat"
    reason = "not of status unsat"
  }
  drop "not_sat" {
    when   = each.key == "model_validation" && (b.status != "sat" || b.logic != "QF_BV")
    reason = "not of status sat, or not in QF_BV"
  }
}

# The library, for n = library.
stage "filter" "library" {
  for_each = var.n == "library" ? local.tracks : toset([])

  drop "collection" {
    when = each.key != "industry_challenge" && b.incremental != (each.key == "incremental")
  }
}

# §6, step 3; the industry challenge takes all, in both collections (§5.4). New families are guaranteed a benchmark in cases b and c.
stage "cap" "tracks" {
  for_each       = stage.filter.tracks
  benchmarks     = each.value.benchmarks
  exclusions     = each.value.exclusions
  counted        = var.n == "library" ? stage.filter.library[each.key].benchmarks : null
  group_by       = each.key == "industry_challenge" && b.incremental ? "${b.logic} (incremental)" : b.logic
  take           = min(each.key == "industry_challenge" ? n : places(n), var.sample)
  guarantee      = b.new ? b.family : null
  guarantee_when = n > 300
  seed           = var.seed
}

# §6, Heats. A division is a logic.
stage "heat" "tracks" {
  for_each   = { for t, c in stage.cap.tracks : t => c if var.heats_run != null }
  benchmarks = each.value.benchmarks
  weights    = var.heats
  through    = var.heats_run
  seed       = var.seed
}

locals {
  entered = merge(stage.cap.tracks, stage.heat.tracks)
}

# The industry challenge's halves are executed separately.
stage "filter" "halves" {
  for_each   = { for name, part in local.executed : name => part if part.challenge }
  benchmarks = local.entered["industry_challenge"].benchmarks

  drop "collection" {
    when   = b.incremental != each.value.dialogue
    reason = "of the other collection"
  }
}

locals {
  selected = { for name, part in local.executed : name => part.challenge ? stage.filter.halves[name].benchmarks : local.entered[part.track].benchmarks }
}

stage "scramble" "parts" {
  for_each   = local.executed
  benchmarks = local.selected[each.key]
  track      = each.value.dialogue ? "incremental" : each.value.track
  seed       = var.seed
}

stage "execute" "parts" {
  for_each  = local.executed
  scripts   = stage.scramble.parts[each.key].scripts
  solvers   = var.solvers
  arguments = lookup(var.arguments, each.key, {})
  track     = each.value.track
  dialogue  = each.value.dialogue
  executor  = var.executor

  limits {
    wall_time = each.value.challenge ? var.challenge_time : var.wall_time
    memory    = var.memory
    scratch   = var.scratch
    cores     = var.cores
  }
}

stage "validate" "parts" {
  for_each   = { for name, part in local.executed : name => part if name != "unsat_core" }
  runs       = stage.execute.parts[each.key].runs
  benchmarks = local.selected[each.key]
  model_time = var.model_time
}

# §5.5, Validation.
module "unsat_core" {
  for_each     = { for name, part in local.executed : name => part if name == "unsat_core" }
  runs         = stage.execute.parts["unsat_core"].runs
  benchmarks   = local.selected["unsat_core"]
  verdicts     = stage.validate.parts["single_query"].verdicts
  merge_stderr = false
}

# The entrants are joined last, so that a corrected team or a reason against an entrant only changes what follows.
locals {
  judged = merge(stage.validate.parts, module.unsat_core)
}

# A track is scored as a whole: a division of the industry challenge has the benchmarks of both halves. The sequential
# score omits the incremental ones (§7.2.2).
stage "score" "tracks" {
  for_each = toset([for part in local.executed : part.track])
  verdicts = [for name, part in local.executed : local.verdicts[name] if part.track == each.key]
}

# By part. The industry challenge has two parts.
output "runs" {
  value = { for t, e in stage.execute.parts : t => e.runs }
}

# The tables that are scored together, by track.
output "judged" {
  value = { for t in toset([for part in local.executed : part.track]) : t => [for name, part in local.executed : local.verdicts[name] if part.track == t] }
}

output "selected" {
  value = { for t, c in stage.cap.tracks : t => c.benchmarks }
}

output "selection" {
  value = { for t, c in stage.cap.tracks : t => c.selection }
}

output "exclusions" {
  value = { for t, f in stage.filter.tracks : t => f.exclusions }
}

# Why each benchmark is included or excluded, in the order of the decisions.
output "choices" {
  value = { for t, c in stage.cap.tracks : t => [stage.filter.tracks[t].choices, c.choices] }
}

# What a list of benchmarks must state besides their paths.
output "columns" {
  value = { unsat_core = ["status", "asserts"], model_validation = ["status"] }
}
