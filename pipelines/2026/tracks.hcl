# The tracks of SMT-COMP 2026, from a list of benchmarks to scores: a module that competition-2026.hcl and shorter
# competitions use. Sections refer to the SMT-COMP 2026 rules. The variables sizes, new_benchmarks, n, rounding, easy, easy_years,
# easy_runs, unknown_status, model_logics and hard_from choose where the text can be read in two ways, or the organisers' tool of June
# 2026 differs from it (docs/write/selection.md); the default is the text.

base {
  source = "../modules/drawn-tracks.hcl"
}

variable "benchmarks" {
  description = "The benchmarks to select from: the output benchmarks of an index stage, or of an import stage if only is selection"
}

variable "competitive" {
  description = "Competitive logics by track (§6: others are not run); null: all logics"
}

variable "tracks" {
  default     = ["single_query", "incremental", "unsat_core", "model_validation", "parallel"]
  description = "Tracks to run (§3)"
}

variable "answers" {
  type        = any
  default     = null
  description = "Answers of the single-query track where it is not executed here (§6, step 3): a table history/1; null: those of the runs here"
}

variable "answer_years" {
  type        = list(number)
  default     = null
  description = "With answers: count only those of these years, while any other year can show that solvers disagree; null: all"
}

variable "sizes" {
  type        = string
  default     = "rules"
  description = "Places of a logic (§6, step 4): rules, or half: half of n above 600, whatever n is"
}

variable "new_benchmarks" {
  type        = string
  default     = "families"
  description = "New benchmarks (§6, step 4): one of each of the families above 600, or first: all of them before the others"
}

variable "easy" {
  type        = string
  default     = "wall"
  description = "Easy benchmarks (§6, step 2): wall: as the text says; cpu: as the organisers' tool finds them, by CPU time of at most a second"
}

variable "easy_time" {
  description = "Easy benchmarks (§6, step 2): the second of the text is one of wall time, or of cpu time"
}

variable "unknown_status" {
  type        = string
  default     = "sound"
  description = "Whom to believe of an unknown status (§6, step 3): sound: any solver without errors; agreed: two solvers, if none says otherwise"
}

variable "model_logics" {
  type        = string
  default     = "divisions"
  description = "Logics of the model-validation track: divisions: those of the divisions that §5.5 lists; sources: only those of §6, Benchmark sources; table: all of the organisers' table of divisions, as their tool draws, with QF_FPArith"
}

variable "hard_from" {
  type        = string
  default     = "10m"
  description = "Parallel track: a benchmark is hard if no earlier run solved it in less wall time (§5.6 asks for sufficiently high run times and leaves the estimation to the organisers)"
}

variable "hard_places" {
  type        = number
  default     = 400
  description = "Benchmarks of the parallel track (§5.6)"
}

variable "heats_stopped" {
  type        = map(map(number))
  default     = {}
  description = "Divisions of each track that end after an earlier heat than the others, with its number, such as { single_query = { QF_Bitvec = 2 } }"
}

variable "hard_clock" {
  type        = string
  default     = "wall"
  description = "Parallel track: hard_from is a wall time from which on a benchmark is hard, or cpu: a CPU time that is not enough to solve it"
}

variable "generator" {
  type        = string
  default     = "glibc"
  description = "Random numbers (§6): glibc, or polars: as the organisers' tool draws since 2024, with new_benchmarks first"
}

variable "flavour" {
  type        = string
  default     = null
  description = "polars: rand-0.8 (polars up to 1.31) or rand-0.9 (from 1.32 on)"
}

variable "wall_time" {
  default     = "20m"
  description = "Wall time limit T: 20 minutes in every track (§5.2 to 5.6)"
}

variable "core_validation_time" {
  default     = "20m"
  description = "Wall time limit of a validation solver (§5.4, Time Limit)"
}

variable "model_time" {
  default     = "15m"
  description = "Time for checking a model, anticipated to be around 15 minutes (§5.5, Time Limit)"
}

variable "memory" {
  default     = "30GB"
  description = "Memory limit, on the order of 30 GB (§5.1, Time and Memory Limits)"
}

variable "parallel_cores" {
  type        = number
  default     = 128
  description = "Cores in the parallel track: a machine of 128 processors (§4, Solver execution)"
}

variable "parallel_memory" {
  type        = string
  default     = "1TB"
  description = "Memory limit in the parallel track: a machine of 1 TB (§4, Solver execution)"
}

locals {
  # The options and their valid values.
  options = {
    only           = ["selection", "everything"]
    sizes          = ["rules", "half"]
    new_benchmarks = ["families", "first"]
    n              = ["eligible", "library"]
    rounding       = ["floor", "ceil"]
    easy           = ["wall", "cpu"]
    hard_clock     = ["wall", "cpu"]
    generator      = ["glibc", "polars"]
    easy_time      = ["wall", "cpu"]
    easy_years     = ["all", "any"]
    easy_answers   = ["correct", "any"]
    unknown_status = ["sound", "agreed"]
    model_logics   = ["divisions", "sources", "table"]
  }
  chosen = { only = var.only, sizes = var.sizes, new_benchmarks = var.new_benchmarks, n = var.n, rounding = var.rounding, easy = var.easy, hard_clock = var.hard_clock, generator = var.generator, easy_time = var.easy_time, easy_years = var.easy_years, easy_answers = var.easy_answers, unknown_status = var.unknown_status, model_logics = var.model_logics }
}

check "polars" {
  condition = var.generator != "polars" || var.new_benchmarks == "first"
  message   = "The generator polars needs new_benchmarks = \"first\": the organisers' tool guarantees no places to families."
}

locals {
  # A track that the rules declare is selected, executed and judged like its kind.
  kind = merge({ for t in var.tracks : t => t }, competition.rules.kinds)

  # Tracks with benchmarks determined by the library, and those that also need answers from the single-query track (§6, step 3).
  first    = toset([for t in var.tracks : t if contains(["single_query", "incremental", "parallel"], local.kind[t])])
  parallel = toset([for t in local.first : t if local.kind[t] == "parallel"])
  later    = toset([for t in var.tracks : t if contains(["unsat_core", "model_validation"], local.kind[t])])

  cores  = toset([for t in local.later : t if var.only == "everything" && local.kind[t] == "unsat_core"])
  models = toset([for t in local.later : t if var.only == "everything" && local.kind[t] == "model_validation"])

  # The years with results that make a benchmark easy (§6, step 2).
  years = [2018, 2019, 2020, 2021, 2022, 2023, 2024]

  # The logics of each track that are run: those that the year has in a division of it (§6, Divisions) and that are competitive (§6,
  # Competitive Divisions and Logics).
  all = { for t in var.tracks : t => toset(flatten(values(competition.tracks[t]))) }
  run = var.competitive == null ? local.all : { for t in var.tracks : t => setintersection(local.all[t], toset(lookup(coalesce(var.competitive, {}), t, []))) }

  # §5.5, Benchmark Selection. These divisions contain arrays and datatypes, like those of the single-query track.
  model_divisions = ["QF_Bitvec", "QF_Datatypes", "QF_Equality", "QF_Equality+Bitvec", "QF_Equality+LinearArith", "QF_Equality+NonLinearArith", "QF_LinearIntArith", "QF_NonLinearIntArith", "QF_LinearRealArith", "QF_NonLinearRealArith"]

  model_logics = {
    divisions = flatten([for d in local.model_divisions : lookup(lookup(competition.tracks, "single_query", {}), d, [])])
    # §6, Benchmark sources.
    sources = ["QF_BV", "QF_IDL", "QF_RDL", "QF_LIA", "QF_LRA", "QF_LIRA", "QF_UF", "QF_UFBV", "QF_UFIDL", "QF_UFLIA", "QF_UFLRA"]
  }
}

# §6, step 4: the places of a logic with n benchmarks.
function "places" {
  params = [n]
  result = n <= 300 ? n : n <= 600 ? 300 : n <= 1000 || var.sizes == "half" ? whole(n / 2) : 500 + whole((n - 1000) / 10)
}

# §6, step 2: solved by all solvers in less than one second. The organisers' tool: in the years with more
# than one run no run says unknown or takes more than a second, and no two runs disagree.
function "is_easy" {
  params = [h, b]
  result = var.easy == "cpu" ? h.runs > 0 && h.unknown == 0 && !h.disputed && h.max_cpu <= 1 : h.runs >= var.easy_runs && h.all_solved && (var.easy_answers == "any" || is_right(h, b)) && (var.easy_time == "cpu" ? h.max_cpu : h.max_wall) < 1
}

# What the organisers' tool takes for a status, known or not: two solvers of this year's single-query track say so, and no run of any
# year says otherwise.
function "is_agreed" {
  params = [h, track]
  result = var.unknown_status == "agreed" && !h.disputed && (track == "unsat_core" ? h.unsat : h.sat) >= 2
}

# §6, steps 1 and 2.
stage "filter" "first" {
  for_each   = local.first
  benchmarks = var.benchmarks
  retired    = var.retired
  history    = var.history
  track      = "single_query"
  years      = local.years

  runs_per_year = var.easy == "cpu" ? 2 : 1

  drop "collection" {
    when   = b.incremental != (local.kind[each.key] == "incremental")
    reason = "of the other collection"
  }
  drop "not_run" {
    when   = !contains(local.run[each.key], b.logic)
    reason = "the logic is in no division of the track, or not competitive"
  }
  drop "easy" {
    when      = local.kind[each.key] == "single_query" && is_easy(h, b)
    each_year = var.easy_years == "any"
    reason    = "solved by all solvers in less than one second in ${min(local.years...)} to ${max(local.years...)}"
    trivial   = true
  }
}

# The library, for n = library.
stage "filter" "library" {
  for_each = var.n == "library" ? toset(var.tracks) : toset([])

  drop "collection" {
    when = b.incremental != (local.kind[each.key] == "incremental")
  }
}

# §6, step 4. New families are guaranteed a benchmark in cases c and d.
stage "cap" "first" {
  for_each       = { for t, f in stage.filter.first : t => f if local.kind[t] != "parallel" }
  benchmarks     = each.value.benchmarks
  exclusions     = each.value.exclusions
  counted        = var.n == "library" ? stage.filter.library[each.key].benchmarks : null
  take           = min(places(n), var.sample)
  guarantee      = b.new && var.new_benchmarks == "families" ? b.family : null
  guarantee_when = n > 600
  first          = b.new && var.new_benchmarks == "first"
  generator      = var.generator
  flavour        = var.flavour
  seed           = var.seed
}

# §5.6: 400 instances of sufficiently high run times, in any year.
stage "hard" "first" {
  for_each   = local.parallel
  benchmarks = stage.filter.first[each.key].benchmarks
  history    = var.history
  track      = "single_query"
  hard       = var.hard_clock == "cpu" ? h.min_cpu > seconds(var.hard_from) : h.min_wall >= seconds(var.hard_from)
  places     = min(var.hard_places, var.sample)
  generator  = var.generator
  flavour    = var.flavour
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
  stop       = lookup(var.heats_stopped, each.key, {})
  group_by   = division(competition.tracks, each.key, b.logic)
  seed       = var.seed
}

locals {
  entered = merge(local.selected, stage.heat.first)
}

stage "scramble" "first" {
  for_each   = { for t, s in local.entered : t => s if var.only == "everything" }
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

  merge_stderr = local.kind[each.key] != "incremental" # §5.1: output and error channel are merged

  limits {
    wall_time = var.wall_time
    memory    = local.kind[each.key] == "parallel" ? var.parallel_memory : var.memory
    cores     = local.kind[each.key] == "parallel" ? var.parallel_cores : var.cores
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
  history    = var.answers != null ? var.answers : var.unknown_status == "agreed" ? stage.validate.first["single_query"].history : stage.validate.first["single_query"].sound
  years      = var.answer_years

  drop "collection" {
    when   = b.incremental
    reason = "of the incremental collection"
  }
  drop "not_run" {
    when   = !contains(local.run[each.key], b.logic)
    reason = "the logic is in no division of the track, or not competitive"
  }
  drop "logic" {
    when   = local.kind[each.key] == "model_validation" && var.model_logics != "table" && !contains(lookup(local.model_logics, var.model_logics, []), b.logic)
    reason = "models of the logic are not validated"
  }
  drop "one_assertion" {
    when    = local.kind[each.key] == "unsat_core" && b.asserts <= 1
    reason  = "a single assert command"
    trivial = true
  }
  drop "status" {
    when   = b.status == (local.kind[each.key] == "unsat_core" ? "sat" : "unsat") && !is_agreed(h, local.kind[each.key])
    reason = "has the status that the track does not take"
  }
  drop "status_not_known" {
    when   = b.status == "unknown" && var.unknown_status == "sound" && (local.kind[each.key] == "unsat_core" ? h.unsat : h.sat) < 1
    reason = "of unknown status, and no sound solver gave the answer that the track takes"
  }
  drop "status_not_agreed" {
    when   = b.status == "unknown" && var.unknown_status == "agreed" && !is_agreed(h, local.kind[each.key])
    reason = "of unknown status, and no two solvers gave the answer that the track takes, or solvers disagree"
  }
}

stage "cap" "later" {
  for_each       = stage.filter.later
  benchmarks     = each.value.benchmarks
  exclusions     = each.value.exclusions
  counted        = var.n == "library" ? stage.filter.library[each.key].benchmarks : null
  take           = min(places(n), var.sample)
  guarantee      = b.new && var.new_benchmarks == "families" ? b.family : null
  guarantee_when = n > 600
  first          = b.new && var.new_benchmarks == "first"
  generator      = var.generator
  flavour        = var.flavour
  seed           = var.seed
}

# §6, Heats.
stage "heat" "later" {
  for_each   = { for t, s in stage.cap.later : t => s if var.heats_run != null }
  benchmarks = each.value.benchmarks
  weights    = var.heats
  through    = var.heats_run
  stop       = lookup(var.heats_stopped, each.key, {})
  group_by   = division(competition.tracks, each.key, b.logic)
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

  merge_stderr = true # §5.1: output and error channel are merged

  limits {
    wall_time = var.wall_time
    memory    = var.memory
    cores     = var.cores
  }
}

stage "validate" "models" {
  for_each   = local.models
  runs       = stage.execute.later[each.key].runs
  benchmarks = local.entered_later[each.key].benchmarks
  model_time = var.model_time
}

# §5.4, Validation.
module "unsat_core" {
  for_each   = local.cores
  runs       = stage.execute.later[each.key].runs
  benchmarks = local.entered_later[each.key].benchmarks
  verdicts   = stage.validate.first["single_query"].verdicts
}

# The entrants are joined last, so that a corrected team or a reason against an entrant only changes what follows.
locals {
  judged = merge(stage.validate.first, stage.validate.models, module.unsat_core)
}

output "runs" {
  value = { for t, e in merge(stage.execute.first, stage.execute.later) : t => e.runs }
}

output "selected" {
  value = { for t, s in merge(local.selected, stage.cap.later) : t => s.benchmarks }
}

output "selection" {
  value = { for t, s in merge(local.selected, stage.cap.later) : t => s.selection }
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
  value = { unsat_core = ["status", "asserts"], model_validation = ["status"] }
}
