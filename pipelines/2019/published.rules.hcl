# SMT-COMP 2019: how the published tables were computed, and what the pages show. docs/write/scoring.md explains the attributes.

published {
  practice = [
    "late_costs_limit", "times_unbounded", "memout_costs_limit", "late_answers_lost", "cut_costs_limit",
    "any_answer_settles_views", "soundness_by_track", "disagreements_in_all_tracks",
    "disagreements_by_raw_answers", "namesakes_removed", "unlisted_when_removed", "ties_by_solver_number",
    "ties_by_wall", "first_listed_wins", "cores_by_post_processor", "contribution_of_fastest_runs",
    "lead_of_first_two_names", "invalid_only_after_sat", "lead_time_breaks_ties", "contribution_normalised",
  ]

  wall_time = "40m"
  teams     = "solver"

  views        = ["seq", "par", "sat", "unsat", "24s"]
  recognitions = ["biggest_lead", "largest_contribution"]
  columns      = ["cpu", "timeout", "memout", "solved", "solved_sat", "solved_unsat", "unsolved"]
  unsolved     = "kept"
  logics       = "empty"
  empty_views  = true
  time_limit   = true
  winners      = "all"

  ties_in_any_order = true
  time_digits       = 3
  rank_digits       = 8
}

published {
  tracks   = ["incremental", "challenge_incremental"]
  views    = ["par"]
  columns  = ["cpu", "timeout", "memout", "unsolved"]
  unsolved = "checks"
}

published {
  tracks  = ["unsat_core", "model_validation"]
  views   = ["seq", "par"]
  columns = ["cpu", "timeout", "memout"]
}

# The challenge was scored like the tracks that it resembles (D-2019-3).
published {
  tracks    = ["industry_challenge", "challenge_incremental", "challenge_non_incremental"]
  wall_time = "12h"
}

no_switch "D-2019-3" {
  why = "it is about which views the pages show"
}

no_switch "D-2019-4" {
  why = "it is about which jobs the runs come from"
}

no_switch "D-2019-5" {
  why = "it is about the seed"
}
