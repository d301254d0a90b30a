# SMT-COMP 2015: the year's rules except its tracks (tracks.hcl) and its scoring (scoring.rules.hcl). "§" is a section of
# the rules document of that year.

rules {
  year     = 2015
  title    = "SMT-COMP 2015"
  document = "SMT-COMP 2015 rules"
}

# §6, Pseudo-random numbers: the integer part of the opening value of the stock index times the factor is added.
seed {
  index_factor = 1
}

# Tracks, divisions and logics. Source: the result pages of SMT-COMP 2015, one per division.

divisions {
  tracks = ["single_query"]
  single_logic = [
    "ALIA", "AUFLIA", "AUFLIRA", "AUFNIRA", "BV", "LIA", "LRA", "NIA", "NRA", "QF_ABV", "QF_ALIA", "QF_ANIA",
    "QF_AUFBV", "QF_AUFLIA", "QF_AUFNIA", "QF_AX", "QF_BV", "QF_BVFP", "QF_FP", "QF_IDL", "QF_LIA", "QF_LIRA",
    "QF_LRA", "QF_NIA", "QF_NIRA", "QF_NRA", "QF_RDL", "QF_UF", "QF_UFBV", "QF_UFIDL", "QF_UFLIA", "QF_UFLRA",
    "QF_UFNIA", "QF_UFNRA", "UF", "UFBV", "UFIDL", "UFLIA", "UFLRA", "UFNIA",
  ]

  # §7: those for floating-point arithmetic; they are not competitive either, see scoring.rules.hcl.
  experimental = ["QF_BVFP", "QF_FP"]
}

divisions {
  tracks = ["incremental"]
  single_logic = [
    "ALIA", "ANIA", "LIA", "QF_ALIA", "QF_ANIA", "QF_AUFLIA", "QF_BV", "QF_LIA", "QF_LRA", "QF_NIA",
    "QF_UFLIA", "QF_UFLRA", "QF_UFNIA", "UFLRA",
  ]
}

# §4.
entrants {
  one_command = true         # Solver submission
  seed_bits   = 32           # Solver submission
  first       = "2015-06-01" # Deadlines
  final       = "2015-06-14"

  reason "comparison" {
    section = "§7"
  }

  # What only people can decide.
  question "wrapped" {
    of      = "wrapper"
    due     = "final"
    section = "§4 \"Wrapper tools\""
    text    = "The wrapped solvers are acknowledged, and the system description says what improves on them"
  }
}

# §5.1: what a script consists of.
scripts {
  section                 = "§5.1"
  tracks                  = ["single_query", "incremental"]
  define_sort             = ["incremental"]
  defined_sort_parameters = true # 9. requires zero arity only for declare-sort
  assert_first            = true # 6.
  print_success_free      = true # 1. and 2.

  items = {
    "set-option ..."    = 1
    "set-logic ..."     = 3
    "set-info ..."      = 4
    "check-sat"         = 5
    "exit"              = 7
    "assert ..."        = 8
    "declare-sort ..."  = 9
    "no other commands" = 11
    ":named"            = 12
  }
  incremental_items = {
    "set-option ..." = 2
    "check-sat"      = 6
  }
}

# §5.1 and §7.1.
validation {
  drop_late = true # §7.1: results count only if the process terminates
}
