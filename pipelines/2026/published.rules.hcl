# SMT-COMP 2026: how the published tables since 2024 were computed, and what the pages show. docs/write/scoring.md explains
# the attributes.

published {
  practice = [
    "published_views", "first_listed_wins", "competitors_first", "wall_before_cpu", "sound_answers_judge",
    "disagreements_in_all_tracks", "track_fixes_status", "every_answer_costs_time",
    "every_run_costs_time", "timeouts_by_word", "short_view_filters", "rows_without_runs_hidden",
    "missing_runs_count", "lead_of_first_two_rows", "contribution_of_solved_runs", "overall_of_all_rows",
    "overall_counts_checks", "scores_as_recorded", "core_required", "reductions_below_zero",
  ]

  wall_time           = "20m"
  memory              = "30GiB"
  teams               = "before_hyphen"
  negative_reductions = true
  entrants_from_pages = true # D-2024-6

  views         = ["seq", "par", "sat", "unsat", "24s"]
  winner_views  = ["seq", "par", "sat", "unsat", "24s"]
  recognitions  = ["biggest_lead", "largest_contribution", "best_overall"]
  columns       = ["cpu", "solved", "solved_sat", "solved_unsat", "unsolved", "abstained", "timeout", "memout"]
  unsolved      = "answers"
  logics        = "tables"
  time_limit    = true
  count_removed = true
  base_deltas   = true
  winners       = "two_families" # D-ALL-8

  # Times are given in microseconds; the tables were computed from more digits.
  time_digits    = 2
  rank_digits    = 6
  run_rounding_s = 0.5e-6
}

published {
  tracks       = ["incremental"]
  views        = ["par", "24s"]
  winner_views = ["par", "sat", "unsat", "24s"]
  columns      = ["cpu", "solved", "unsolved", "abstained", "timeout", "memout"]
}

published {
  tracks = ["cloud", "parallel"]
  views  = ["par", "sat", "unsat", "24s"]
}

no_switch "D-ALL-9" {
  why = "the rules say the same"
}

no_switch "D-2026-1" {
  why = "it is about the selection"
}

no_switch "D-2026-2" {
  why = "it is about what the organisers' program lacks"
}

no_switch "D-2026-3" {
  why = "it is about the selection"
}

no_switch "D-2026-4" {
  why = "it is about the seed"
}

draw {
  history = [2018, 2019, 2020, 2021, 2022, 2023, 2024]
  answers = [2026]
}
