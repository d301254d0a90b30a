# SMT-COMP 2020: how the published tables were computed, where this differs from 2019.

published {
  practice = [
    "late_costs_limit", "times_unbounded", "memout_costs_limit", "late_answers_lost", "cut_costs_limit",
    "any_answer_settles_views", "soundness_by_track", "disagreements_in_all_tracks",
    "disagreements_by_raw_answers", "namesakes_removed", "unlisted_when_removed", "ties_by_solver_number",
    "ties_by_wall", "first_listed_wins", "cores_by_post_processor", "contribution_of_fastest_runs",
    "lead_of_first_two_names", "lead_time_breaks_ties", "contribution_normalised", "excluded_left_out",
    "best_of_2019_left_out", "accidental_runs_left_out", "models_by_validator_words",
    "experimental_cannot_win",
  ]

  wall_time = "20m"
}
