# SMT-COMP 2026: the year's rules except its tracks (tracks.hcl) and its scoring (scoring.rules.hcl). "§" is a section of
# the rules document of that year.

rules {
  year     = 2026
  title    = "SMT-COMP 2026"
  document = "SMT-COMP 2026 rules"
}

# §6, Pseudo-random numbers: the integer part of the opening value of the stock index times the factor is added.
seed {
  index_factor = 100
}

# Tracks, divisions and logics. Source: SMT-COMP 2026, the organisers' table of divisions; equal to that of 2025.

divisions {
  tracks = ["single_query", "unsat_core", "parallel"] # §3; the organisers' table still has the tracks of 2025
  logics = {
    "Arith"                      = "LIA LRA NIA NRA"
    "Bitvec"                     = "BV"
    "Equality"                   = "UF UFDT"
    "Equality+LinearArith"       = "ALIA AUFDTLIA AUFDTLIRA AUFLIA AUFLIRA UFDTLIA UFDTLIRA UFIDL UFLIA UFLRA"
    "Equality+MachineArith"      = "ABV ABVFP ABVFPLRA AUFBV AUFBVDTLIA AUFBVDTNIA AUFBVDTNIRA AUFBVFP AUFBVFPDTNIRA AUFFPDTNIRA UFBV UFBVDT UFBVDTLIA UFBVDTNIA UFBVDTNIRA UFBVFP UFBVFPDTNIRA UFBVLIA UFFPDTNIRA"
    "Equality+NonLinearArith"    = "ANIA AUFDTNIRA AUFNIA AUFNIRA UFDTNIA UFDTNIRA UFNIA UFNIRA"
    "FPArith"                    = "BVFP BVFPLRA FP FPLRA"
    "QF_Bitvec"                  = "QF_BV"
    "QF_Datatypes"               = "QF_DT QF_UFDT"
    "QF_Equality"                = "QF_AX QF_UF"
    "QF_Equality+Bitvec"         = "QF_ABV QF_AUFBV QF_UFBV QF_UFBVDT"
    "QF_Equality+LinearArith"    = "QF_ALIA QF_AUFLIA QF_UFDTLIA QF_UFDTLIRA QF_UFIDL QF_UFLIA QF_UFLRA"
    "QF_Equality+NonLinearArith" = "QF_ANIA QF_AUFNIA QF_UFDTNIA QF_UFNIA QF_UFNRA"
    "QF_FPArith"                 = "QF_ABVFP QF_ABVFPLRA QF_AUFBVFP QF_BVFP QF_BVFPLRA QF_FP QF_FPLRA QF_UFFP QF_UFFPDTNIRA"
    "QF_LinearIntArith"          = "QF_IDL QF_LIA QF_LIRA"
    "QF_LinearRealArith"         = "QF_LRA QF_RDL"
    "QF_NonLinearIntArith"       = "QF_NIA QF_NIRA"
    "QF_NonLinearRealArith"      = "QF_NRA"
    "QF_Strings"                 = "QF_S QF_SLIA QF_SNIA"
  }
}

divisions {
  tracks = ["incremental"]
  logics = {
    "Arith"                      = "LIA LRA"
    "Bitvec"                     = "BV"
    "Equality"                   = "UF"
    "Equality+LinearArith"       = "ALIA UFLRA"
    "Equality+MachineArith"      = "ABVFPLRA"
    "Equality+NonLinearArith"    = "ANIA AUFNIRA UFDTNIA UFNIA UFNRA"
    "FPArith"                    = "BVFP BVFPLRA"
    "QF_Bitvec"                  = "QF_BV"
    "QF_Equality"                = "QF_UF"
    "QF_Equality+Bitvec"         = "QF_ABV QF_AUFBV QF_UFBV"
    "QF_Equality+Bitvec+Arith"   = "QF_AUFBVLIA QF_AUFBVNIA QF_BVLRA QF_UFBVLIA"
    "QF_Equality+LinearArith"    = "QF_ALIA QF_AUFLIA QF_UFLIA QF_UFLRA"
    "QF_Equality+NonLinearArith" = "QF_ANIA QF_UFNIA QF_UFNRA"
    "QF_FPArith"                 = "QF_ABVFP QF_ABVFPLRA QF_BVFP QF_BVFPLRA QF_FP QF_UFFP"
    "QF_LinearIntArith"          = "QF_LIA"
    "QF_LinearRealArith"         = "QF_LRA"
    "QF_NonLinearIntArith"       = "QF_NIA"
  }
}

divisions {
  tracks = ["model_validation"]
  logics = {
    "QF_ADT+BitVec"              = "QF_ABV QF_AUFBV QF_UFBVDT"
    "QF_ADT+LinArith"            = "QF_ALIA QF_AUFLIA QF_AX QF_UFDTLIA QF_UFDTLIRA"
    "QF_Bitvec"                  = "QF_BV"
    "QF_Datatypes"               = "QF_DT QF_UFDT"
    "QF_Equality"                = "QF_UF"
    "QF_Equality+Bitvec"         = "QF_UFBV"
    "QF_Equality+LinearArith"    = "QF_UFIDL QF_UFLIA QF_UFLRA"
    "QF_Equality+NonLinearArith" = "QF_ANIA QF_AUFNIA QF_UFDTNIA QF_UFNIA QF_UFNRA"
    "QF_FPArith"                 = "QF_ABVFP QF_ABVFPLRA QF_AUFBVFP QF_BVFP QF_BVFPLRA QF_FP QF_FPLRA QF_UFFP QF_UFFPDTNIRA"
    "QF_LinearIntArith"          = "QF_IDL QF_LIA QF_LIRA"
    "QF_LinearRealArith"         = "QF_LRA QF_RDL"
    "QF_NonLinearIntArith"       = "QF_NIA QF_NIRA"
    "QF_NonLinearRealArith"      = "QF_NRA"
  }

  # §5.5: all divisions with non-linear arithmetic, arrays, and datatypes: all of their logics have them. QF_FPArith, where only some
  # logics have them, is not in the section's list of divisions.
  experimental = [
    "QF_ADT+BitVec", "QF_ADT+LinArith", "QF_Datatypes", "QF_Equality+NonLinearArith", "QF_NonLinearIntArith",
    "QF_NonLinearRealArith",
  ]
}

# §5.6: the Parallel Track is experimental.
divisions {
  tracks       = ["parallel"]
  experimental = ["*"]
}

# §4.
entrants {
  base_must_enter     = true         # Derived Tool: for the same track and logics
  portfolio_tracks    = ["parallel"] # Portfolio Solver
  solvers_per_team    = 2            # Multiple versions: strongly encouraged
  derived_with_source = true         # §3, Derived solver submission
  first               = "2026-05-27" # Deadlines
  final               = "2026-06-10"

  reason "comparison" {
    section = "§6 \"Competitive Divisions and Logics\""
  }

  reason "portfolio" {
    section = "§4 \"Portfolio Solver\""
  }

  reason "no_base" {
    section = "§4 \"Derived Tool\""
  }

  # What only people can decide.
  question "description" {
    due     = "first"
    section = "§4 \"System description\""
    text    = "The system description lists all authors with their affiliations and says which approach the solver takes, and names tools by others that the solver calls"
  }

  question "wrapped" {
    of      = "wrapper"
    due     = "first"
    section = "§4 \"Wrapper Tool\""
    text    = "The system description names each wrapped solver with its exact version, and what improves on it; no wrapped solver gets a problem of the benchmark's own logic"
  }

  question "base" {
    of      = "derived"
    due     = "first"
    section = "§4 \"Derived Tool\""
    text    = "The system description names the base solver, which is by other authors, and what improves on it; the archive has both binaries, and the source code of the derived solver"
  }

  question "difference" {
    of      = "several"
    due     = "final"
    section = "§4 \"Multiple versions\""
    text    = "The team justifies how its solvers differ substantially"
  }
}

# §5.1: what a script consists of.
scripts {
  section           = "§5.1"
  tracks            = ["single_query", "incremental", "unsat_core", "model_validation", "parallel"]
  set_info_anywhere = true # the scrambler removes it
  option_second     = true
  datatypes         = true
  options = {
    unsat_core       = ":produce-unsat-cores"
    model_validation = ":produce-models"
  }
}

# Answers, cores and models.
validation {
  stderr_is_output = true # §5.1, Output
  core_needs_unsat = true # §5.4: more validation solvers say unsat than sat
}
