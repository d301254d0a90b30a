# SMT-COMP 2015: how the published tables came about, and what the pages show. docs/write/scoring.md explains the attributes.

published {
  practice = ["times_unbounded", "ties_by_wall", "first_listed_wins"]

  wall_time = "40m"
  teams     = "first_word" # CVC3 and CVC4 are of one team

  views       = ["par"]
  columns     = ["cpu"]
  empty_views = true
  competitive = true
  industrial  = true
  summary     = true
  winners     = "competitive"
  logics      = "none"

  # Ranks were derived from the figures on the pages, which have two digits.
  order_digits      = 2
  ties_in_any_order = true
  time_digits       = 2
  rank_digits       = 8
}

# Which benchmarks of the main track are industrial the folders do not say.
published {
  tracks     = ["single_query"]
  views      = ["seq", "par"]
  industrial = false
}

no_switch "D-2015-2" {
  why = "the rules say the same"
}

no_switch "D-2015-4" {
  why = "it is about the order on pages"
}
