# All tracks of SMT-COMP 2019 on a sample of a release, with Debian's solvers and limits of one or two seconds:
# "make mini-all". The tracks are those of the competition (pipelines/2019/tracks.hcl); only the numbers are small.

competition {
  name = "Mini"
  year = 2019
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

variable "challenge_time" {
  type        = string
  default     = "2s"
  description = "Wall time limit of the industry challenge, in which it is 12 hours (§5.4)"
}

variable "challenge" {
  type        = list(string)
  default     = ["non-incremental/QF_BV/20*", "incremental/QF_UFLRA/*"]
  description = "Families that stand for those dedicated to the industry challenge, as patterns"
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
  tracks  = ["single_query", "model_validation"]
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
  new    = startswith(b.family, "2019")
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
  seed       = 20190101
  sample     = var.sample
  challenge  = var.challenge
  executor   = executor.local.here

  arguments = {
    incremental           = { z3 = ["-in"], cvc5 = ["--incremental"], cvc4 = ["--incremental"] }
    challenge_incremental = { z3 = ["-in"], cvc5 = ["--incremental"], cvc4 = ["--incremental"] }
    unsat_core            = { cvc4 = ["--produce-unsat-cores"] }
    model_validation      = { boolector = ["-m"], cvc4 = ["--produce-models"] }
  }

  wall_time            = var.wall_time
  challenge_time       = var.challenge_time
  core_validation_time = var.wall_time
  model_time           = "10s"
  memory               = "2GB"
  cores                = 1
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
  for_each = toset(["single_query", "incremental", "unsat_core", "model_validation", "challenge", "challenge_incremental"])
  value    = module.tracks.verdicts[each.key]
  path     = "results/2019/verdicts-${each.key}.csv"
}

output "podium" {
  for_each = toset(["single_query", "incremental", "unsat_core", "model_validation", "industry_challenge"])
  value    = module.tracks.scores[each.key]
}

output "site" {
  value = stage.report.site.files
  path  = "site/2019"
}
