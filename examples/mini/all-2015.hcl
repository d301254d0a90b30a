# Both tracks of SMT-COMP 2015, main and application, on a sample of a release, with Debian's solvers and limits of one or two seconds:
# "make mini-all". The tracks are those of the competition (pipelines/2015/tracks.hcl); only the numbers are small.

competition {
  name = "Mini"
  year = 2015
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

solver "z3" {
  command = ["z3"]
}

solver "cvc5" {
  command = ["cvc5", "--quiet"]
}

solver "cvc4" {
  command = ["cvc4", "--quiet", "--lang=smt2"]
}

# Boolector has bit-vectors and arrays, and does not support the incremental track's protocol.
solver "boolector" {
  command = ["./boolector"]
  logics  = ["QF_BV", "QF_ABV", "QF_AUFBV", "QF_UFBV"]
  tracks  = ["single_query"]
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
}

module "tracks" {
  source     = "rules:tracks"
  benchmarks = stage.index.library.benchmarks
  solvers    = solver
  seed       = 20150101
  sample     = var.sample
  executor   = executor.local.here

  arguments = {
    incremental = { z3 = ["-in"], cvc5 = ["--incremental"], cvc4 = ["--incremental"] }
  }

  wall_time = var.wall_time
  memory    = "2GB"
  cores     = 1
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
  for_each = toset(["single_query", "incremental"])
  value    = module.tracks.verdicts[each.key]
  path     = "results/2015/verdicts-${each.key}.csv"
}

output "podium" {
  for_each = toset(["single_query", "incremental"])
  value    = module.tracks.scores[each.key]
}

output "site" {
  value = stage.report.site.files
  path  = "site/2015"
}
