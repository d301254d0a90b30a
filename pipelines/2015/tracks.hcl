# The tracks of SMT-COMP 2015, from the index of a release to scores: a module that competition-2015.hcl and shorter
# competitions use. Sections refer to the SMT-COMP 2015 rules. All eligible benchmarks are run (§6, Benchmark
# selection), so nothing is drawn.

base {
  source = "../modules/base-tracks.hcl"
}

variable "retired" {
  description = "Benchmarks that are retired from the eligible ones (§6, Benchmark selection, step 1): the output benchmarks of an unfit stage; null: none"
}

variable "competitive" {
  description = "Divisions that are run, by track; null: all"
}

variable "tracks" {
  default     = ["single_query", "incremental"]
  description = "Tracks to run (§3), by the names that they have today: main and application"
}

variable "wall_time" {
  default     = "40m"
  description = "Wall time limit T, anticipated to be 40 minutes (§5.1, Time and memory limits)"
}

variable "memory" {
  default     = "60GB"
  description = "Memory limit, on the order of 60 GB (§5.1, Time and memory limits)"
}

variable "scratch" {
  type        = string
  default     = "20GB"
  description = "Disk space of a run, typically 20 GB (§5.2, Persistent state); what is written counts as memory, too"
}

variable "cores" {
  description = "Cores of a processor (§5.1, Time and memory limits)"
}

locals {
  # The tracks by their current names.
  main        = "single_query"
  application = "incremental"
  tracks      = setintersection(toset(var.tracks), toset([local.main, local.application]))

  # Each track's divisions that are run.
  all = { for t in local.tracks : t => toset(flatten(values(competition.tracks[t]))) }
  run = var.competitive == null ? local.all : { for t in local.tracks : t => setintersection(local.all[t], toset(lookup(coalesce(var.competitive, {}), t, []))) }
}

# §6: benchmarks with known status are eligible; for an incremental one, the prefix in which every status is known.
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
    when   = !contains(local.run[each.key], b.logic)
    reason = "the logic is no division of the track, or not run"
  }
}

stage "cap" "tracks" {
  for_each   = stage.filter.eligible
  benchmarks = each.value.benchmarks
  take       = min(n, var.sample)
  seed       = var.seed
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

stage "scramble" "tracks" {
  for_each   = { for t, s in local.entered : t => s if var.only == "everything" }
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

  # The dialogue ends at the first check-sat with unknown status, because only the prefix before it is eligible (§6).
  continue_after_unknown = false

  limits {
    wall_time = var.wall_time
    memory    = var.memory
    scratch   = var.scratch
    cores     = var.cores
  }
}

stage "validate" "tracks" {
  for_each   = stage.execute.tracks
  runs       = each.value.runs
  benchmarks = local.entered[each.key].benchmarks
}

# The entrants are joined last, so that a corrected team or a reason against an entrant only changes what follows.
locals {
  judged = stage.validate.tracks
}

output "runs" {
  value = { for t, e in stage.execute.tracks : t => e.runs }
}

output "selected" {
  value = { for t, c in stage.cap.tracks : t => c.benchmarks }
}

output "selection" {
  value = { for t, c in stage.cap.tracks : t => c.selection }
}

output "exclusions" {
  value = { for t, f in stage.filter.eligible : t => f.exclusions }
}

# Why each benchmark is included or excluded, in the order of the decisions.
output "choices" {
  value = { for t, c in stage.cap.tracks : t => [stage.filter.eligible[t].choices, c.choices] }
}

# What a list of benchmarks must state besides their paths.
output "columns" {
  value = { single_query = ["status"], incremental = ["statuses"] }
}
