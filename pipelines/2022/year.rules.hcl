# SMT-COMP 2022: the year's rules except its tracks (tracks.hcl) and its scoring (scoring.rules.hcl). "§" is a section of
# the rules document of that year.

rules {
  year     = 2022
  title    = "SMT-COMP 2022"
  document = "SMT-COMP 2022 rules"
}

# §6, Pseudo-random numbers: the integer part of the opening value of the stock index times the factor is added.
seed {
  index_factor = 100
}

# Tracks, divisions and logics. Source: SMT-COMP 2022, the divisions of the organisers.

divisions {
  tracks = ["single_query", "unsat_core", "proof", "cloud", "parallel"]
  logics = {
    "Arith"                      = "LIA LRA NIA NRA"
    "Bitvec"                     = "BV"
    "Equality"                   = "UF UFDT"
    "Equality+LinearArith"       = "ALIA AUFDTLIA AUFDTLIRA AUFLIA AUFLIRA UFDTLIA UFDTLIRA UFIDL UFLIA UFLRA"
    "Equality+MachineArith"      = "ABV ABVFP ABVFPLRA AUFBV AUFBVDTLIA AUFBVDTNIA AUFBVDTNIRA AUFBVFP AUFFPDTNIRA UFBV UFBVFP UFBVLIA UFFPDTNIRA"
    "Equality+NonLinearArith"    = "AUFDTNIRA AUFNIA AUFNIRA UFDTNIA UFDTNIRA UFNIA"
    "FPArith"                    = "BVFP BVFPLRA FP FPLRA"
    "QF_Bitvec"                  = "QF_BV"
    "QF_Datatypes"               = "QF_DT QF_UFDT"
    "QF_Equality"                = "QF_AX QF_UF"
    "QF_Equality+Bitvec"         = "QF_ABV QF_AUFBV QF_UFBV"
    "QF_Equality+LinearArith"    = "QF_ALIA QF_AUFLIA QF_UFDTLIRA QF_UFIDL QF_UFLIA QF_UFLRA"
    "QF_Equality+NonLinearArith" = "QF_ANIA QF_AUFNIA QF_UFNIA QF_UFNRA"
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
    "QF_Equality+Bitvec+Arith"   = "QF_AUFBVLIA QF_AUFBVNIA QF_UFBVLIA"
    "QF_Equality+LinearArith"    = "QF_ALIA QF_AUFLIA QF_UFLIA QF_UFLRA"
    "QF_Equality+NonLinearArith" = "QF_ANIA QF_UFNIA QF_UFNRA"
    "QF_FPArith"                 = "QF_ABVFP QF_ABVFPLRA QF_BVFP QF_BVFPLRA QF_FP QF_FPLRA QF_UFFP"
    "QF_LinearIntArith"          = "QF_LIA"
    "QF_LinearRealArith"         = "QF_LRA"
    "QF_NonLinearIntArith"       = "QF_NIA"
  }
}

divisions {
  tracks = ["model_validation"]
  logics = {
    "QF_Bitvec"               = "QF_BV"
    "QF_Equality"             = "QF_UF"
    "QF_Equality+Bitvec"      = "QF_UFBV"
    "QF_Equality+LinearArith" = "QF_UFIDL QF_UFLIA QF_UFLRA"
    "QF_FPArith"              = "QF_BVFP QF_BVFPLRA QF_FP QF_FPLRA QF_UFFP"
    "QF_LinearIntArith"       = "QF_IDL QF_LIA QF_LIRA"
    "QF_LinearRealArith"      = "QF_LRA QF_RDL"
  }

  # §3. §5.5 still calls those with uninterpreted functions experimental; according to §3 they no longer are.
  experimental = ["QF_FPArith"]
}

# §3: the Proof Exhibition Track is experimental; §5.6 and 5.7: so are the Parallel and the Cloud Track.
divisions {
  tracks       = ["proof", "parallel", "cloud"]
  experimental = ["*"]
}

# §4.
entrants {
  portfolio_tracks = ["parallel", "cloud"] # Portfolio Solver
  solvers_per_team = 2                     # Multiple versions: strongly encouraged
  seed_bits        = 32                    # Participation
  first            = "2022-06-18"          # Deadlines
  final            = "2022-07-02"

  reason "comparison" {
    section = "§6 \"Competitive Divisions\""
  }

  reason "portfolio" {
    section = "§4 \"Portfolio Solver\""
  }

  # What only people can decide.
  question "description" {
    due     = "final"
    section = "§4 \"System description\""
    text    = "The system description lists all authors with their affiliations and says which approach the solver takes"
  }

  question "wrapped" {
    of      = "wrapper"
    due     = "final"
    section = "§4 \"Wrapper Tool\""
    text    = "The system description names each wrapped solver with its exact version, and what improves on it"
  }

  question "base" {
    of      = "derived"
    due     = "final"
    section = "§4 \"Derived Tool\""
    text    = "The system description names the base solver, which is by other authors, and what improves on it"
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
  tracks            = ["single_query", "incremental", "unsat_core", "model_validation", "proof", "parallel", "cloud"]
  set_info_anywhere = true # the scrambler removes it
  option_second     = true
  datatypes         = true
  options = {
    unsat_core       = ":produce-unsat-cores"
    model_validation = ":produce-models"
    proof            = ":produce-proofs"
  }
}

# Answers, cores and models.
validation {
  stderr_is_output       = true # §5.1, Output
  model_defines_declared = true # §5.5
}
