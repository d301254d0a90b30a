# SMT-COMP 2019: the year's rules except its tracks (tracks.hcl) and its scoring (scoring.rules.hcl). "§" is a section of
# the rules document of that year.

rules {
  year     = 2019
  title    = "SMT-COMP 2019"
  document = "SMT-COMP 2019 rules"

  published_tracks = ["challenge_incremental", "challenge_non_incremental"]
}

# §6, Pseudo-random numbers: the integer part of the opening value of the stock index times the factor is added.
seed {
  index_factor = 1
}

# Tracks, divisions and logics. Source: SMT-COMP 2019, the registered divisions; the challenge tracks, and in the incremental
# track those from QF_LRA on, as published.

divisions {
  tracks = ["single_query", "unsat_core"]
  single_logic = [
    "ABVFP", "ALIA", "AUFBVDTLIA", "AUFDTLIA", "AUFLIA", "AUFLIRA", "AUFNIA", "AUFNIRA", "BV", "BVFP", "FP",
    "LIA", "LRA", "NIA", "NRA", "QF_ABV", "QF_ABVFP", "QF_ALIA", "QF_ANIA", "QF_AUFBV", "QF_AUFLIA",
    "QF_AUFNIA", "QF_AX", "QF_BV", "QF_BVFP", "QF_BVFPLRA", "QF_DT", "QF_FP", "QF_FPLRA", "QF_IDL", "QF_LIA",
    "QF_LIRA", "QF_LRA", "QF_NIA", "QF_NIRA", "QF_NRA", "QF_RDL", "QF_S", "QF_SLIA", "QF_UF", "QF_UFBV",
    "QF_UFIDL", "QF_UFLIA", "QF_UFLRA", "QF_UFNIA", "QF_UFNRA", "UF", "UFBV", "UFDT", "UFDTLIA", "UFDTNIA",
    "UFIDL", "UFLIA", "UFLRA", "UFNIA",
  ]

  experimental = ["QF_S", "QF_SLIA"] # §3, Experimental Strings Division
}

divisions {
  tracks = ["incremental"]
  single_logic = [
    "ABVFP", "ALIA", "ANIA", "AUFNIRA", "BV", "BVFP", "LIA", "LRA", "QF_ABV", "QF_ABVFP", "QF_ALIA",
    "QF_ANIA", "QF_AUFBV", "QF_AUFBVLIA", "QF_AUFBVNIA", "QF_AUFLIA", "QF_BV", "QF_BVFP", "QF_FP", "QF_LIA",
    "QF_LRA", "QF_NIA", "QF_UF", "QF_UFBV", "QF_UFLIA", "QF_UFLRA", "QF_UFNIA", "UFLRA",
  ]
}

divisions {
  tracks = ["model_validation"]
  single_logic = [
    "QF_BV",
  ]

  experimental = ["*"] # §5.6: the track is
}

divisions {
  tracks = ["industry_challenge", "challenge_incremental", "challenge_non_incremental"]
  single_logic = [
    "QF_ABV", "QF_AUFBV", "QF_BV",
  ]
}

# §4.
entrants {
  one_command = true         # Participation
  seed_bits   = 32           # Participation
  first       = "2019-05-19" # Deadlines
  final       = "2019-06-02"

  reason "comparison" {
    section = "§6 \"Competitive Divisions\""
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
    text    = "The system description names the base solver, and what improves on it"
  }
}

# §5.1: what a script consists of.
scripts {
  section            = "§5.1"
  tracks             = ["single_query", "incremental", "unsat_core", "model_validation", "industry_challenge"]
  set_info_anywhere  = true # the scrambler removes it
  print_success_free = true
  datatypes          = true
  options = {
    unsat_core       = ":produce-unsat-cores"
    model_validation = ":produce-models"
  }
  headings = {
    "set-option ..." = "set-option :print-success ..."
  }
}

# Answers, cores and models.
validation {
  ill_formed_core_is_wrong = true # §5.5
  partial_model_is_wrong   = true # §5.6
  model_defines_declared   = true # §5.6
}
