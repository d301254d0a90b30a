# The rules of SMT-COMP 2008 on a small release in SMT-LIB 1.2, with Debian's
# solvers and limits of two seconds: "make mini-all". Solvers read the benchmark from standard input, as in 2008. The stages are those of the
# competition (pipelines/2008/tracks.hcl).

competition {
  name = "Mini"
  year = 2008
}

variable "release" {
  type        = string
  default     = "release-2008"
  description = "Folder of the release"
}

variable "only" {
  type        = list(string)
  default     = null
  description = "Archives to take; null: all"
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

# Boolector reads SMT-LIB 1.2. The others no longer do, and get translations.
solver "boolector" {
  command = ["boolector", "--smt1"]
  logics  = ["QF_BV", "QF_AUFBV"]
}

solver "cvc4" {
  command = ["../../pipelines/2008/smt12", "cvc4", "--quiet", "--lang=smt2"]
}

solver "z3" {
  command = ["../../pipelines/2008/smt12", "z3", "-in"]
}

solver "cvc5" {
  command = ["../../pipelines/2008/smt12", "cvc5", "--quiet", "--lang=smt2"]
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

module "main" {
  source          = "rules:tracks"
  benchmarks      = stage.index.library.benchmarks
  solvers         = solver
  measures        = { for name, s in solver : name => s if name != "cvc5" } # that of "last year"
  seed            = 20080704
  wall_time       = var.wall_time
  difficulty_time = var.wall_time
  executor        = executor.local.here
}

stage "report" "site" {
  name         = competition.name
  year         = competition.year
  scores       = values(module.main.scores)
  verdicts     = values(module.main.verdicts)
  runs         = values(module.main.runs)
  benchmarks   = [stage.index.library.benchmarks]
  recognitions = values(module.main.recognitions)
  solvers      = solver
  selection    = module.main.selection
  exclusions   = module.main.exclusions
  rules        = competition.rules.document
}

output "verdicts" {
  value = module.main.verdicts["single_query"]
  path  = "results/2008/verdicts-single_query.csv"
}

output "podium" {
  value = module.main.scores["single_query"]
}

output "site" {
  value = stage.report.site.files
  path  = "site/2008"
}
