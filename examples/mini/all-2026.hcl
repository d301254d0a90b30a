# All tracks of SMT-COMP 2026 on a sample of a release, with Debian's solvers and limits of one or two seconds:
# "make mini-all". The tracks are those of the competition (pipelines/2026/tracks.hcl); only the numbers are small.

competition {
  name = "Mini"
  year = 2026
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
  default     = "1s"
  description = "Wall time limit T of a run"
}

variable "isolation" {
  type        = string
  default     = "full"
  description = "Isolation of runs; best_effort where the machine cannot give more"
}

solver "z3" {
  command = ["z3"]
}

solver "cvc5" {
  command = ["cvc5", "--quiet"]
}

solver "cvc4" {
  command = ["cvc4", "--quiet", "--lang=smt2"]
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
  new    = startswith(b.family, "2026")
}

# No earlier results: no benchmark is dropped as easy.
stage "import" "history" {
  results = []
}

module "tracks" {
  source     = "rules:tracks"
  benchmarks = stage.index.library.benchmarks
  history    = stage.import.history.runs
  solvers    = solver
  seed       = 20260101
  sample     = var.sample
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

stage "confidence" "tracks" {
  for_each = module.tracks.verdicts
  verdicts = [each.value]
  rules    = competition.rules.scoring
  seed     = 20260101
}

stage "report" "site" {
  name         = competition.name
  year         = competition.year
  scores       = values(module.tracks.scores)
  verdicts     = values(module.tracks.verdicts)
  runs         = values(module.tracks.runs)
  benchmarks   = [stage.index.library.benchmarks]
  recognitions = values(module.tracks.recognitions)
  confidence   = [for c in stage.confidence.tracks : c.confidence]
  sensitivity  = [for c in stage.confidence.tracks : c.sensitivity]
  solvers      = solver
  selection    = module.tracks.selection
  exclusions   = module.tracks.exclusions
  rules        = competition.rules.document
}

output "verdicts" {
  for_each = toset(["single_query", "incremental", "unsat_core", "model_validation", "parallel"])
  value    = module.tracks.verdicts[each.key]
  path     = "results/2026/verdicts-${each.key}.csv"
}

output "podium" {
  for_each = toset(["single_query", "incremental", "unsat_core", "model_validation", "parallel"])
  value    = module.tracks.scores[each.key]
}

output "site" {
  value = stage.report.site.files
  path  = "site/2026"
}
