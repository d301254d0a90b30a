# SMT-COMP 2008, from a release in SMT-LIB 1.2 to the results. What all years have in common is in modules/base-competition.hcl, and
# the stages are in 2008/tracks.hcl. Sections refer to the SMT-COMP 2008 rules.
#
# The 2008 entrants cannot be downloaded, so today's solvers replace them and enter every division that they can read.
# Boolector still reads SMT-LIB 1.2. The others use a translator, 2008/smt12 (cvc4 up to 1.7 reads it itself:
# command = ["cvc4", "--lang=smt1"]). Replace the blocks to run other solvers.
#
#   smtpipe plan -p pipelines/competition-2008.hcl --var release=FOLDER --var nyse_opening=N
#
# With a list of benchmarks instead of the release (list=FILE), benchmarks are selected but nothing is executed, because a list has no
# scripts.

base {
  source = "./modules/base-competition.hcl"

  # The solvers are below, and no family is new.
  without = [
    "variable.submissions", "stage.submissions.entrants", "variable.archives", "stage.solvers.entrants",
    "variable.received", "variable.drawn", "variable.new_entrants", "module.tracks.competitive",
    "variable.new", "stage.index.library.new", "stage.import.library.new",
    "variable.history", "stage.import.history", "module.tracks.history",
    "variable.answers", "stage.import.answers", "stage.validate.answers",
  ]
}

competition {
  name = "SMT-COMP"
  year = 2008
}

variable "release" {
  description = "Folder of the release in SMT-LIB 1.2: non-incremental/DIVISION.tar.zst, with DIVISION/FAMILY/NAME.smt in it"
}

variable "list" {
  description = "List of the benchmarks of the release (a table with path, division, family, category and status), to select from without the release"
}

variable "measured" {
  type        = list(string)
  default     = []
  description = "With list: results of last year's solvers with 10 minutes, from which the difficulty follows (§4); the year is in the names of the files"
}

variable "retired" {
  description = "List of the benchmarks that are retired before the draw, CSV: benchmark, reason (the rules of 2008 do not speak of it); null: none"
}

variable "removed" {
  description = "List of the benchmarks that are removed after the runs and not scored, CSV: benchmark, reason (the rules of 2008 do not speak of it); null: none"
}

# We chose the entrants' numbers (seed). All four are open source, which earns extra recognition (§2).
solver "boolector" {
  command = ["boolector", "--smt1"]
  logics  = ["QF_BV", "QF_AUFBV"]
  seed    = 1001

  open_source = true
}

solver "cvc4" {
  command = ["2008/smt12", "cvc4", "--quiet", "--lang=smt2"]
  seed    = 1002

  open_source = true
}

solver "z3" {
  command = ["2008/smt12", "z3", "-in"]
  seed    = 1003

  open_source = true
}

solver "cvc5" {
  command = ["2008/smt12", "cvc5", "--quiet", "--lang=smt2"]
  seed    = 1004

  open_source = true
}

locals {
  # §4: the sum modulo 2^30 of the numbers of all entrants other than the organisers, and the integer part of the opening value.
  seed   = competition_seed([for s in solver : s.seed if s.competitive], floor(competition.rules.seed.index_factor * var.nyse_opening))
  tracks = ["single_query"]
}

stage "import" "measured" {
  results = var.measured
  track   = "single_query"
}

module "tracks" {
  measured  = stage.import.measured.runs
  solvers   = solver
  entrants  = solver
  measures  = solver
  variables = ["wall_time", "difficulty_time", "memory"]
}

stage "report" "site" {
  solvers = solver
}
