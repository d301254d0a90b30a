# SMT-COMP 2008, from a release in SMT-LIB 1.2 to the results. The stages are in modules/2008.hcl. Sections are those of the
# SMT-COMP 2008 rules.
#
# The entrants of 2008 cannot be downloaded, so that solvers of today stand in, all entering every division that they can read.
# Boolector still reads SMT-LIB 1.2; the others get it through a translator, examples/mini/smt12 (cvc4 up to 1.7 reads it itself:
# command = ["cvc4", "--lang=smt1"]). Replace the blocks to run other solvers.
#
#   smtpipe plan -p pipelines/competition-2008.hcl --var release=FOLDER --var nyse_opening=N

competition {
  name = "SMT-COMP"
  year = 2008
}

variable "release" {
  type        = string
  description = "Folder of the release in SMT-LIB 1.2: non-incremental/DIVISION.tar.zst, with DIVISION/FAMILY/NAME.smt in it"
}

variable "retired" {
  type        = string
  default     = null
  description = "List of the benchmarks that are retired before the draw, CSV: benchmark, reason (the rules of 2008 do not speak of it); null: none"
}

variable "removed" {
  type        = string
  default     = null
  description = "List of the benchmarks that are removed after the runs and not scored, CSV: benchmark, reason (the rules of 2008 do not speak of it); null: none"
}

variable "nyse_opening" {
  type        = number
  description = "Opening value of the NYSE Composite Index on the day that the rules name"
}

variable "isolation" {
  type        = string
  default     = "full"
  description = "Isolation of runs; best_effort where the machine cannot give more"
}

executor "local" "here" {
  isolation = var.isolation
}

# The numbers of the entrants (seed) are ours. The source code of all four is open, which gives extra recognition (§2).
solver "boolector" {
  command = ["boolector", "--smt1"]
  logics  = ["QF_BV", "QF_AUFBV"]
  seed    = 1001

  open_source = true
}

solver "cvc4" {
  command = ["../examples/mini/smt12", "cvc4", "--quiet", "--lang=smt2"]
  seed    = 1002

  open_source = true
}

solver "z3" {
  command = ["../examples/mini/smt12", "z3", "-in"]
  seed    = 1003

  open_source = true
}

solver "cvc5" {
  command = ["../examples/mini/smt12", "cvc5", "--quiet", "--lang=smt2"]
  seed    = 1004

  open_source = true
}

locals {
  # §4: the sum modulo 2^30 of the numbers of all entrants other than the organisers, and the integer part of the opening value.
  seed = competition_seed([for s in solver : s.seed if s.competitive], floor(competition.rules.seed.index_factor * var.nyse_opening))
}

stage "fetch" "library" {
  path = var.release
}

stage "index" "library" {
  source = stage.fetch.library.files
}

# What the organisers leave out, before the draw and after the runs.
stage "unfit" "retired" {
  list       = var.retired
  benchmarks = stage.index.library.benchmarks
}

stage "unfit" "removed" {
  list       = var.removed
  benchmarks = stage.index.library.benchmarks
}

module "main" {
  source     = "rules:tracks"
  benchmarks = stage.index.library.benchmarks
  retired    = stage.unfit.retired.benchmarks
  removed    = stage.unfit.removed.benchmarks
  solvers    = solver
  measures   = solver
  seed       = local.seed
  executor   = executor.local.here
}

stage "report" "site" {
  name         = competition.name
  year         = competition.year
  scores       = [module.main.scores]
  verdicts     = [module.main.verdicts]
  recognitions = [module.main.recognitions]
  selection    = { single_query = module.main.selection }
  exclusions   = { single_query = module.main.exclusions }
  retired      = stage.unfit.retired.benchmarks
  removed      = stage.unfit.removed.benchmarks
  rules        = competition.rules.document
}

output "seed" {
  value = local.seed
}

output "site" {
  value = stage.report.site.files
  path  = "site-2008"
}
