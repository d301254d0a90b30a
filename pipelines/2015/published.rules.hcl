# SMT-COMP 2015: how the published tables were computed, and what the pages show. docs/write/scoring.md explains the attributes.

published {
  practice = ["times_unbounded", "ties_by_wall", "first_listed_wins"]

  wall_time = "40m"
  teams     = "first_word" # CVC3 and CVC4 belong to the same team

  views       = ["par"]
  columns     = ["cpu"]
  empty_views = true
  competitive = true
  industrial  = true
  summary     = true
  winners     = "competitive"
  logics      = "none"

  # Ranks were computed from the figures on the pages, which have two digits.
  order_digits      = 2
  ties_in_any_order = true
  time_digits       = 2
  rank_digits       = 8
}

# The folders do not state which benchmarks in the main track are industrial.
published {
  tracks     = ["single_query"]
  views      = ["seq", "par"]
  industrial = false
}

published {
  tracks = ["incremental"]

  # Solver names on the pages, where StarExec's table has other names.
  solver_names = {
    "CVC3 application track"                           = "CVC3"
    "CVC4-experimental-2015-06-15-ff5745a-application" = "CVC4 (exp)"
    "CVC4-master-2015-06-15-9b32405-application"       = "CVC4"
    "MathSat 5.3.6 application"                        = "MathSat 5.3.6"
    "SMTInterpol v2.1-206-g86e9531"                    = "SMTInterpol"
    "Boolector SMT15 QF_BV application track final"    = "Boolector"
    "Boolector SMT15 fixed QF_BV application track"    = "[Boolector fixed]"
    "stp-cmsat4-mt-v15"                                = "STP-CMSat4 (mt-v15)"
    "stp-cmsat4-v15"                                   = "STP-CMSat4 (v15)"
    "stp-cryptominisat4"                               = "STP-CMSat4"
    "stp-minisat-v15"                                  = "STP-MiniSAT (v15)"
  }
}

no_switch "D-2015-2" {
  why = "the rules say the same"
}

no_switch "D-2015-4" {
  why = "it is about the order on pages"
}
