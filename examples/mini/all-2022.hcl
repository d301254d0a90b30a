# All tracks of SMT-COMP 2022 on a sample of a release, with Debian's solvers and limits of one or two seconds:
# "make mini-all". The tracks are those of the competition (pipelines/2022/tracks.hcl); only the numbers are small.

competition {
  name = "Mini"
  year = 2022
}

variable "release" {
  type        = string
  description = "Folder of the release"
}

variable "only" {
  type        = list(string)
  default     = ["non-incremental/QF_*", "incremental/*"]
  description = "Archives to take"
}

variable "sample" {
  type        = number
  default     = 3
  description = "Benchmarks of a logic and track, at most"
}

variable "wall_time" {
  type        = string
  default     = "2s"
  description = "Wall time limit T of a run"
}

variable "isolation" {
  type        = string
  default     = "full"
  description = "Isolation of runs; best_effort where the machine cannot give more"
}

locals {
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "parallel"]
}

variable "cloud" {
  type        = list(string)
  default     = []
  description = "Results of the cloud track, which is not executed here"
}

solver "z3" {
  command = ["z3"]
  tracks  = local.tracks
}

solver "cvc5" {
  command = ["cvc5", "--quiet"]
  tracks  = local.tracks
}

solver "cvc4" {
  command = ["cvc4", "--quiet", "--lang=smt2"]
  tracks  = local.tracks
}

# In the proof track one script combines the solver and its checker (§5.8). The checker is small and takes many steps on trust.
solver "z3-proof" {
  command = ["./proof", "z3"]
  tracks  = ["proof"]
}

solver "cvc5-proof" {
  command = ["./proof", "cvc5", "--proof-format-mode=alethe", "--proof-granularity=theory-rewrite"]
  tracks  = ["proof"]
}

# Boolector has bit-vectors and arrays but no cores, and does not support the incremental track's protocol.
solver "boolector" {
  command = ["./boolector"]
  logics  = ["QF_BV", "QF_ABV", "QF_AUFBV", "QF_UFBV"]
  tracks  = ["single_query", "model_validation", "parallel"]
}

executor "local" "here" {
  isolation = var.isolation
}

stage "fetch" "library" {
  path = var.release
  only = var.only
}

stage "index" "library" {
  source = stage.fetch.library.files
  new    = startswith(b.family, "2022")
}

# No earlier results: no benchmark is dropped as easy.
stage "import" "history" {
  results = []
}

stage "import" "cloud" {
  for_each  = length(var.cloud) > 0 ? toset(["cloud"]) : toset([])
  results   = var.cloud
  track     = "cloud"
  wall_time = "20m"
  cores     = 1600
}

module "tracks" {
  source     = "rules:tracks"
  benchmarks = stage.index.library.benchmarks
  history    = stage.import.history.runs
  solvers    = solver
  seed       = 20220101
  sample     = var.sample
  cloud      = { for name, results in stage.import.cloud : name => results.executed }
  executor   = executor.local.here

  arguments = {
    incremental      = { z3 = ["-in"], cvc5 = ["--incremental"], cvc4 = ["--incremental"] }
    unsat_core       = { cvc4 = ["--produce-unsat-cores"] }
    model_validation = { boolector = ["-m"], cvc4 = ["--produce-models"] }
  }

  wall_time            = var.wall_time
  core_validation_time = var.wall_time
  model_time           = "10s"
  memory               = "2GB"
  cores                = 1
  parallel_cores       = 2
  parallel_memory      = "4GB"
}

stage "report" "site" {
  name         = competition.name
  year         = competition.year
  scores       = values(module.tracks.scores)
  verdicts     = values(module.tracks.verdicts)
  runs         = values(module.tracks.runs)
  benchmarks   = [stage.index.library.benchmarks]
  recognitions = values(module.tracks.recognitions)
  solvers      = solver
  selection    = module.tracks.selection
  exclusions   = module.tracks.exclusions
  rules        = competition.rules.document
}

output "verdicts" {
  for_each = toset(concat(local.tracks, ["proof"], keys(stage.import.cloud)))
  value    = module.tracks.verdicts[each.key]
  path     = "results/2022/verdicts-${each.key}.csv"
}

output "podium" {
  for_each = toset(concat(local.tracks, keys(stage.import.cloud))) # the proof track has no score
  value    = module.tracks.scores[each.key]
}

output "site" {
  value = stage.report.site.files
  path  = "site/2022"
}
