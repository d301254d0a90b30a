# Scoring of SMT-COMP 2022, by that year's rules document. "§" is a section of it, "A.." an ambiguity in the
# documents with the reading used, "D-.." a practice of the organisers that differs from the rules.
#
#   r  a run        b  its benchmark        s  its solver        p  its parallel benchmark score (in views)
#   T  wall time limit, seconds    m  cores    short  the view has a shorter limit than the run had
#   sequential  the view measures CPU time
#
# e, n and conditions are row expressions; w and c are times, which are added up exactly.

rule_set {
  year  = 2022
  title = "SMT-COMP 2022"
}

# ---------------------------------------------------------------------------------------------------------- readings

reading "nothing_solved" {
  values = ["no_winner", "order"]
  cite   = "§3, §7.2, A22"
  doc    = "the first solver that may win solved nothing (n = 0): nobody wins, or it wins by the order alone"
}
reading "unknown_status" {
  values = ["text", "sound"]
  cite   = "§7.1.2, A06"
  doc    = "text: any answer is correct on a benchmark of unknown status; sound: the answers of sound solvers judge it, unless these disagree"
}
reading "sat_view" {
  values = ["sound", "any", "status"]
  cite   = "§7.2.4, A07"
  doc    = "who decides that a benchmark of unknown status is (un)satisfiable: a sound solver, any solver, nobody"
}
reading "late_answer" {
  values = ["text", "drop"]
  cite   = "§7.1.2 note, A05"
  doc    = "an answer of a run that did not end within T: counts, or is lost"
}
reading "cut_c" {
  values = ["literal", "limit"]
  cite   = "§7.2.3, A10"
  doc    = "CPU time of a run that the 24 s limit cuts: at most 24 m, or at most 24"
}
reading "pairs" {
  values = ["product", "run"]
  cite   = "§7.3.2, A18"
  doc    = "solver/benchmark pairs of a division: solvers times benchmarks, or those that were run"
}
reading "pairs_total" {
  values = ["competitive", "ranked"]
  cite   = "§7.3.2, A18"
  doc    = "pairs of the track: of all competitive divisions, or of those that are not too small to be ranked"
}

# ---------------------------------------------------------------------------------- what the organisers did differently

practice "late_costs_limit" {
  cite = "D-ALL-1"
  doc  = "a run over the limit of the clock of the view costs the limit in wall and in CPU time"
}
practice "times_unbounded" {
  cite = "D-ALL-1"
  doc  = "times of runs within the limit are not bounded otherwise"
}
practice "memout_costs_limit" {
  cite = "D-ALL-2"
  doc  = "a run out of memory costs the limit in wall and in CPU time"
}
practice "late_answers_lost" {
  cite = "D-ALL-3"
  doc  = "an answer is lost when the run ends after the limit of the clock of the view"
}
practice "cut_costs_limit" {
  cite = "D-ALL-4"
  doc  = "24 s view: a run that is cut costs 24 s of CPU time"
}
practice "errors_by_answer" {
  cite = "D-ALL-5"
  doc  = "sat and unsat views: an error belongs to the view of the answer, not of the status (since 2021; goes with sat_view=any)"
}
practice "soundness_by_track" {
  cite = "D-ALL-6"
  doc  = "one wrong answer, also a late one, makes all entries of a name unsound in the whole track"
}
practice "disagreements_in_all_tracks" {
  cite = "D-ALL-6"
  doc  = "disagreements are removed in every track but the incremental one"
}
practice "disagreements_by_raw_answers" {
  cite = "D-ALL-6"
  doc  = "sound solvers disagree by what they answered at whatever time"
}
practice "namesakes_removed" {
  cite = "D-ALL-6"
  doc  = "with a benchmark go those of the same name in other logics"
}
practice "unlisted_when_removed" {
  cite = "D-ALL-6"
  doc  = "a solver is not listed where all its benchmarks were removed"
}
practice "ties_by_solver_number" {
  cite = "D-ALL-7"
  doc  = "complete ties stand in the order of the numbers of the solvers"
}
practice "ties_by_wall" {
  cite = "D-ALL-7"
  doc  = "a view that is ordered by CPU time breaks ties by wall time"
}
practice "first_listed_wins" {
  cite = "D-ALL-8"
  doc  = "the first competitive solver of a list wins, alone and in any division, if it solved something"
}
practice "published_views" {
  cite = "D-ALL-8"
  doc  = "the views that only the pages have"
}
practice "cores_by_post_processor" {
  cite = "D-ALL-10"
  doc  = "unsat core: n and e of the post-processor, and only of answers that agree with the status; a wrong sat is no error"
}
practice "contribution_of_fastest_runs" {
  cite = "D-ALL-11"
  doc  = "largest contribution: the fastest of the best runs, T for unsolved benchmarks, one solver per division"
}
practice "lead_of_first_two_names" {
  cite = "D-ALL-12"
  doc  = "biggest lead: the two best competitive solvers, if names differ"
}
practice "models_by_validator_words" {
  cite = "D-2020-3"
  doc  = "model validation: what the validator says of its INVALID tells a wrong model from a missing or unfinished one"
}
practice "endings_set_times" {
  cite = "D-2021-1"
  doc  = "cloud and parallel: TIMEOUT is 1201 s, CRASHED and PARSE_ERROR are 0 s, all unknown; late answers are gone before soundness is judged"
}
practice "other_words_are_errors" {
  cite = "D-2022-1"
  doc  = "cloud and parallel: whatever is neither sat nor unsat is an error on a benchmark of known status"
}
practice "contribution_merges_namesakes" {
  cite = "D-2022-2"
  doc  = "largest contribution: benchmarks of a division whose names differ only in the logic are one (with contribution_of_fastest_runs)"
}
practice "unsolved_costs_nothing" {
  cite = "D-2023-1"
  doc  = "times count only for correctly solved benchmarks, but in the incremental track for all runs"
}
practice "experimental_equality_cannot_win" {
  cite = "D-2021-EXP"
  doc  = "model validation: biggest lead and largest contribution are not won in the experimental divisions of 2021, those with equality"
}
practice "experimental_fp_cannot_win" {
  cite = "D-2022-EXP"
  doc  = "model validation: biggest lead and largest contribution are not won in the experimental division of 2022 and 2023, QF_FPArith"
}

# -------------------------------------------------------------------------------------------------- benchmark scores

score "answers" {
  cite   = "§7.1, §7.1.2"
  tracks = ["single_query", "parallel", "cloud"]

  let {
    memory   = r.answer == "memout" || r.run_status == "memout"
    stopped  = practice.endings_set_times && (r.answer == "timeout" || r.answer == "TIMEOUT")
    crashed  = practice.endings_set_times && (r.answer == "CRASHED" || r.answer == "PARSE_ERROR")
    late     = stopped || !crashed && (sequential && (practice.late_costs_limit || practice.late_answers_lost) ? r.cpu_s : r.wall_s) > T && !(memory && practice.memout_costs_limit)
    counts   = !late || (!short && reading.late_answer == "text" && !practice.late_answers_lost)
    expected = b.status == "unknown" && reading.unknown_status == "sound" && b.sound_sat != b.sound_unsat ? b.settled : b.status
    decides  = r.answer == "sat" || r.answer == "unsat"
    wrong = decides && expected != "unknown" && r.answer != expected || (
    practice.other_words_are_errors && !decides && r.answer != "" && r.answer != "starexec-unknown" && b.status != "unknown")
    right = counts && decides && !wrong
  }
  e      = counts && wrong
  n      = right ? 1 : 0
  solved = right
  claim  = counts && decides ? r.answer : ""

  w = !right && practice.unsolved_costs_nothing ? 0 : memory && practice.memout_costs_limit ? T : crashed ? 0 : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.wall_s : min(r.wall_s, T)
  c = (
    !right && practice.unsolved_costs_nothing ? 0 : memory && practice.memout_costs_limit ? T :
    crashed ? 0 : late && (practice.late_costs_limit || (short && practice.cut_costs_limit)) ? T :
    practice.times_unbounded ? r.cpu_s :
    late && short && reading.cut_c == "limit" ? min(r.cpu_s, T) : min(r.cpu_s, m * T)
  )

  timeout = late || startswith(r.run_status, "timeout") || (r.answer == "timeout" && !practice.late_costs_limit)
  memout  = memory
}

score "incremental" {
  cite   = "§7.1, §7.1.3"
  tracks = ["incremental"]

  let {
    memory = r.answer == "memout" || r.run_status == "memout"
    late   = r.wall_s > T && !(memory && practice.memout_costs_limit)
    wrong  = r.n_checks_wrong > 0
  }
  e = wrong
  n = wrong ? 0 : r.n_checks_correct

  w = memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.wall_s : min(r.wall_s, T)
  c = memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.cpu_s : min(r.cpu_s, m * T)

  solved  = !wrong && r.n_checks > 0 && r.n_checks_correct == r.n_checks
  timeout = late || startswith(r.run_status, "timeout") || (r.answer == "timeout" && !practice.late_costs_limit)
  memout  = memory
}

score "unsat_core" {
  cite   = "§5.4, §7.1.4"
  tracks = ["unsat_core"]

  let {
    memory = r.answer == "memout" || r.run_status == "memout"
    late   = (sequential && (practice.late_costs_limit || practice.late_answers_lost) ? r.cpu_s : r.wall_s) > T && !(memory && practice.memout_costs_limit)
    counts = !late || (reading.late_answer == "text" && !practice.late_answers_lost)
    core   = r.answer == "unsat" && r.has_core
    # Refuted iff more validation solvers say sat than unsat (§5.4).
    refuted  = core && (r.validation == "invalid" || (r.validation == "" && r.has_votes && r.val_sat > r.val_unsat))
    broken   = r.answer == "unsat" && r.validation == "illformed"
    accepted = core && !refuted && !broken
    # unsat without a core counts as the whole benchmark: no reduction, but solved (§5.4).
    whole   = r.answer == "unsat" && !r.has_core && !broken && r.validation != "invalid"
    judged  = practice.cores_by_post_processor && r.recorded
    agrees  = (r.answer == "sat" || r.answer == "unsat") && (b.status == "unknown" || r.answer == b.status)
    untimed = practice.unsolved_costs_nothing && !(counts && agrees && !(judged ? r.recorded_e > 0 : refuted))
  }
  e      = counts && (judged ? agrees && r.recorded_e > 0 : practice.cores_by_post_processor ? agrees && (refuted) : r.answer == "sat" || refuted)
  n      = !counts || (practice.cores_by_post_processor && !agrees) ? 0 : judged ? r.recorded_n : accepted ? r.n_assertions - r.core_size : 0
  solved = counts && (accepted || whole)
  claim  = counts && (r.answer == "sat" || r.answer == "unsat") ? r.answer : ""

  w = untimed ? 0 : memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.wall_s : min(r.wall_s, T)
  c = untimed ? 0 : memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.cpu_s : min(r.cpu_s, m * T)

  timeout = late || startswith(r.run_status, "timeout") || (r.answer == "timeout" && !practice.late_costs_limit)
  memout  = memory
}

score "model_validation" {
  cite   = "§5.5, §7.1.5"
  tracks = ["model_validation"]

  let {
    memory = r.answer == "memout" || r.run_status == "memout"
    late   = (sequential && (practice.late_costs_limit || practice.late_answers_lost) ? r.cpu_s : r.wall_s) > T && !(memory && practice.memout_costs_limit)
    counts = !late || (reading.late_answer == "text" && !practice.late_answers_lost)
    valid  = r.validation == "VALID"
    # Decided by the verdict (A23); unsat without a verdict is an error.
    invalid = r.validation == "INVALID" || (r.validation == "" && r.answer == "unsat")
    # The validator also reports INVALID for crashes and missing models; its message distinguishes them.
    incomplete  = endswith(r.validator_exception, ": ( expected") || endswith(r.validator_exception, ": sat expected") || r.validator_exception == "-" || r.validator_exception == ""
    model_wrong = r.validator_status == "" ? r.recorded_e > 0 : r.validator_status == "INVALID" && (r.validator_error != "unhandled_exception" || !incomplete)
    untimed     = practice.unsolved_costs_nothing && !(counts && valid && r.answer == "sat")
  }
  e      = practice.models_by_validator_words && (r.recorded || r.validator_status != "") ? model_wrong : counts && invalid
  n      = counts && valid && (r.answer == "sat" || !practice.models_by_validator_words) ? 1 : 0
  solved = counts && valid
  claim  = counts && (r.answer == "sat" || r.answer == "unsat") ? r.answer : ""

  w = untimed ? 0 : memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.wall_s : min(r.wall_s, T)
  c = untimed ? 0 : memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.cpu_s : min(r.cpu_s, m * T)

  timeout = late || startswith(r.run_status, "timeout") || (r.answer == "timeout" && !practice.late_costs_limit)
  memout  = memory
}

# ------------------------------------------------------------------------------------------------------------- views

view "par" {
  cite      = "§7.2.1"
  tracks    = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "w", "c"]
  recognise = true
}

view "seq" {
  cite   = "§7.1.1, §7.2.2"
  tracks = ["single_query", "unsat_core", "model_validation"]
  clock  = "cpu"
  let {
    cut = r.cpu_s > T && !(practice.memout_costs_limit && (r.answer == "memout" || r.run_status == "memout"))
  }
  # The model validator's verdict does not depend on the time.
  e         = p.e && (!cut || (practice.models_by_validator_words && track == "model_validation" && r.validator_status != ""))
  n         = cut ? 0 : p.n
  c         = min(p.c_s, T)
  order     = ["e", "-n", "c"]
  show      = ["e", "n", "c"]
  time      = "c"
  recognise = true
}

view "24s" {
  cite      = "§7.2.3"
  tracks    = ["single_query"]
  published = ["parallel", "cloud"]
  limit     = "24s"
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "w", "c"]
  recognise = true
}

view "sat" {
  cite      = "§7.2.4"
  tracks    = ["single_query"]
  published = ["parallel", "cloud"]
  let {
    open   = reading.sat_view == "any" ? b.any_sat : reading.sat_view == "sound" && b.sound_sat
    member = b.status == "sat" || (b.status == "unknown" && open)
  }
  where     = practice.errors_by_answer ? p.claim == "sat" || (member && p.claim != "unsat") : member
  of        = b.status == "sat" || (b.status == "unknown" && (reading.sat_view == "any" ? b.any_sat : reading.sat_view == "sound" && b.sound_sat))
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "w", "c"]
  recognise = true
}

view "unsat" {
  cite      = "§7.2.5"
  tracks    = ["single_query"]
  published = ["parallel", "cloud"]
  let {
    open   = reading.sat_view == "any" ? b.any_unsat : reading.sat_view == "sound" && b.sound_unsat
    member = b.status == "unsat" || (b.status == "unknown" && open)
  }
  where     = practice.errors_by_answer ? p.claim == "unsat" || (member && p.claim != "sat") : member
  of        = b.status == "unsat" || (b.status == "unknown" && (reading.sat_view == "any" ? b.any_unsat : reading.sat_view == "sound" && b.sound_unsat))
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "w", "c"]
  recognise = true
}

# ------------------------------------------------------------------------------------------------------ competition

competitive {
  cite  = "§6"
  teams = 2
}

disagreements {
  cite   = "§7.2"
  remove = ["single_query"]
  report = ["parallel", "cloud"]
}

# ----------------------------------------------------------------------------------------------------- recognitions

recognition "biggest_lead" {
  cite             = "§7.3.1"
  tracks           = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  time_breaks_ties = true
  wins = track != "model_validation" || !(
    practice.experimental_equality_cannot_win && contains(["QF_Equality", "QF_Equality+Bitvec", "QF_Equality+LinearArith"], division) ||
  practice.experimental_fp_cannot_win && division == "QF_FPArith")
}

recognition "largest_contribution" {
  cite       = "§7.3.2"
  tracks     = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  small      = 2       # divisions with at most this many sound competitive solvers are excluded
  empty_time = "1200s" # the minimum of an empty set, regardless of T
  wins = track != "model_validation" || !(
    practice.experimental_equality_cannot_win && contains(["QF_Equality", "QF_Equality+Bitvec", "QF_Equality+LinearArith"], division) ||
  practice.experimental_fp_cannot_win && division == "QF_FPArith")
}

recognition "new_entrants" { # those that beat an existing solver in some division
  cite   = "§7.4"
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
}

recognition "new_benchmarks" {
  cite   = "§7.4"
  kind   = "contributors"
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
}
