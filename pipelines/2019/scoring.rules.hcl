# Scoring of SMT-COMP 2019, by that year's rules document. "§" is a section of it, "A.." an ambiguity in the
# documents with the reading used, "D-.." a practice of the organisers that differs from the rules.
#
#   r  a run        b  its benchmark        s  its solver        p  its parallel benchmark score (in views)
#   T  wall time limit, seconds    m  cores    short  the view has a shorter limit than the run had
#   sequential  the view measures CPU time
#
# e, n and conditions are row expressions; w and c are times, which are added up exactly.

rule_set {
  year  = 2019
  title = "SMT-COMP 2019"
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
practice "any_answer_settles_views" {
  cite = "D-ALL-5"
  doc  = "sat and unsat views: any solver settles a benchmark of unknown status, as with sat_view=any"
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
practice "invalid_only_after_sat" {
  cite = "D-2019-1"
  doc  = "model validation: VALID and INVALID count only for a run that answered sat"
}
practice "lead_time_breaks_ties" {
  cite = "D-2019-2"
  doc  = "biggest lead: the time rank breaks ties"
}
practice "contribution_normalised" {
  cite = "D-2019-2"
  doc  = "largest contribution: by n and then by time, of sound solvers, weighed by the pairs of the division"
}
practice "excluded_left_out" {
  cite = "D-2020-1"
  doc  = "benchmarks that the organisers excluded are left out"
}
practice "best_of_2019_left_out" {
  cite = "D-2020-2"
  doc  = "unsat core: the best solvers of 2019 are left out"
}
practice "accidental_runs_left_out" {
  cite = "D-2020-2"
  doc  = "incremental: two solvers are left out of a logic that they ran in by accident"
}
practice "models_by_validator_words" {
  cite = "D-2020-3"
  doc  = "model validation: what the validator says of its INVALID tells a wrong model from a missing or unfinished one"
}
practice "experimental_cannot_win" {
  cite = "D-2020-EXP"
  doc  = "model validation: biggest lead and largest contribution are not won in the experimental divisions of 2020"
}

drop "excluded" {
  cite = "D-2020-1"
  when = practice.excluded_left_out && r.excluded
}
drop "best_of_2019" {
  cite   = "D-2020-2"
  tracks = ["unsat_core"]
  when   = practice.best_of_2019_left_out && r.job_set == "bestof2019"
}
drop "accidental" {
  cite   = "D-2020-2"
  tracks = ["incremental"]
  when   = practice.accidental_runs_left_out && ((s.name == "2018-Z3" && b.logic == "QF_ANIA") || (s.name == "2019-MathSAT-na-ext" && b.logic == "QF_AUFBVNIA"))
}

# -------------------------------------------------------------------------------------------------- benchmark scores

score "answers" {
  cite   = "§7.1, §7.1.2"
  tracks = ["single_query"]

  let {
    memory   = r.answer == "memout" || r.run_status == "memout"
    late     = (sequential && (practice.late_costs_limit || practice.late_answers_lost) ? r.cpu_s : r.wall_s) > T && !(memory && practice.memout_costs_limit)
    counts   = !late || (!short && reading.late_answer == "text" && !practice.late_answers_lost)
    expected = b.status == "unknown" && reading.unknown_status == "sound" && b.sound_sat != b.sound_unsat ? b.settled : b.status
    decides  = r.answer == "sat" || r.answer == "unsat"
    wrong    = decides && expected != "unknown" && r.answer != expected
    right    = counts && decides && !wrong
  }
  e      = counts && wrong
  n      = right ? 1 : 0
  solved = right
  claim  = counts && decides ? r.answer : ""

  w = memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.wall_s : min(r.wall_s, T)
  c = (
    memory && practice.memout_costs_limit ? T :
    late && (practice.late_costs_limit || (short && practice.cut_costs_limit)) ? T :
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
  cite   = "§5.5, §7.1.4"
  tracks = ["unsat_core"]

  let {
    memory = r.answer == "memout" || r.run_status == "memout"
    late   = (sequential && (practice.late_costs_limit || practice.late_answers_lost) ? r.cpu_s : r.wall_s) > T && !(memory && practice.memout_costs_limit)
    counts = !late || (reading.late_answer == "text" && !practice.late_answers_lost)
    core   = r.answer == "unsat" && r.has_core
    # Refuted iff more validation solvers say sat than unsat (§5.5).
    refuted  = core && (r.validation == "invalid" || (r.validation == "" && r.has_votes && r.val_sat > r.val_unsat))
    broken   = r.answer == "unsat" && r.validation == "illformed"
    accepted = core && !refuted && !broken
    # unsat without a core counts as the whole benchmark: no reduction, but solved (A09; explicit in the text since 2022).
    whole  = r.answer == "unsat" && !r.has_core && !broken && r.validation != "invalid"
    judged = practice.cores_by_post_processor && r.recorded
    agrees = (r.answer == "sat" || r.answer == "unsat") && (b.status == "unknown" || r.answer == b.status)
  }
  e      = counts && (judged ? agrees && r.recorded_e > 0 : practice.cores_by_post_processor ? agrees && (refuted || broken) : r.answer == "sat" || refuted || broken)
  n      = !counts || (practice.cores_by_post_processor && !agrees) ? 0 : judged ? r.recorded_n : accepted ? r.n_assertions - r.core_size : 0
  solved = counts && (accepted || whole)
  claim  = counts && (r.answer == "sat" || r.answer == "unsat") ? r.answer : ""

  w = memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.wall_s : min(r.wall_s, T)
  c = memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.cpu_s : min(r.cpu_s, m * T)

  timeout = late || startswith(r.run_status, "timeout") || (r.answer == "timeout" && !practice.late_costs_limit)
  memout  = memory
}

score "model_validation" {
  cite   = "§5.6, §7.1.5"
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
  }
  e      = practice.models_by_validator_words ? model_wrong : counts && invalid && (!practice.invalid_only_after_sat || r.answer == "sat")
  n      = counts && valid && (r.answer == "sat" || !(practice.invalid_only_after_sat || practice.models_by_validator_words)) ? 1 : 0
  solved = counts && valid
  claim  = counts && (r.answer == "sat" || r.answer == "unsat") ? r.answer : ""

  w = memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.wall_s : min(r.wall_s, T)
  c = memory && practice.memout_costs_limit ? T : late && practice.late_costs_limit ? T : practice.times_unbounded ? r.cpu_s : min(r.cpu_s, m * T)

  timeout = late || startswith(r.run_status, "timeout") || (r.answer == "timeout" && !practice.late_costs_limit)
  memout  = memory
}

score "industry_challenge" {
  cite   = "§5.4, §7.1.2, §7.1.3"
  tracks = ["industry_challenge"]

  let {
    incremental = r.n_checks > 0 || r.n_checks_correct + r.n_checks_wrong > 0
    late        = r.wall_s > T
    counts      = !late || reading.late_answer == "text"
    expected    = b.status == "unknown" && reading.unknown_status == "sound" && b.sound_sat != b.sound_unsat ? b.settled : b.status
    decides     = r.answer == "sat" || r.answer == "unsat"
    wrong       = incremental ? r.n_checks_wrong > 0 : counts && decides && expected != "unknown" && r.answer != expected
  }
  e     = wrong
  n     = wrong ? 0 : incremental ? r.n_checks_correct : counts && decides ? 1 : 0
  claim = !incremental && counts && decides ? r.answer : ""
  w     = min(r.wall_s, T)
  c     = min(r.cpu_s, m * T)
}

# ------------------------------------------------------------------------------------------------------------- views

view "par" {
  cite      = "§7.2.1"
  tracks    = ["single_query", "incremental", "unsat_core", "model_validation", "industry_challenge"]
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "w", "c"]
  recognise = true
}

view "seq" {
  cite   = "§7.1.1, §7.2.2"
  tracks = ["single_query", "unsat_core", "model_validation", "industry_challenge"]
  clock  = "cpu"
  # The challenge's incremental benchmarks have no sequential score.
  where = track != "industry_challenge" || r.n_checks + r.n_checks_correct + r.n_checks_wrong == 0
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
  limit     = "24s"
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "w", "c"]
  recognise = true
}

view "sat" {
  cite   = "§7.2.4"
  tracks = ["single_query"]
  let {
    open   = reading.sat_view == "any" || practice.any_answer_settles_views ? b.any_sat : reading.sat_view == "sound" && b.sound_sat
    member = b.status == "sat" || (b.status == "unknown" && open)
  }
  where     = member
  of        = b.status == "sat" || (b.status == "unknown" && (reading.sat_view == "any" || practice.any_answer_settles_views ? b.any_sat : reading.sat_view == "sound" && b.sound_sat))
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "w", "c"]
  recognise = true
}

view "unsat" {
  cite   = "§7.2.5"
  tracks = ["single_query"]
  let {
    open   = reading.sat_view == "any" || practice.any_answer_settles_views ? b.any_unsat : reading.sat_view == "sound" && b.sound_unsat
    member = b.status == "unsat" || (b.status == "unknown" && open)
  }
  where     = member
  of        = b.status == "unsat" || (b.status == "unknown" && (reading.sat_view == "any" || practice.any_answer_settles_views ? b.any_unsat : reading.sat_view == "sound" && b.sound_unsat))
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
  remove = ["single_query", "industry_challenge"]
}

# ----------------------------------------------------------------------------------------------------- recognitions

recognition "biggest_lead" { # no rule for ties: joint winners
  cite   = "§7.3.1"
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "industry_challenge"]
  wins   = !(practice.experimental_cannot_win && track == "model_validation" && contains(["QF_IDL", "QF_LIA", "QF_LIRA", "QF_LRA", "QF_RDL"], division))
}

recognition "largest_contribution" {
  cite = "§7.3.2"
  kind = "smallest_sum"
  # with contribution_normalised, as in the 2022 rules
  small      = 2
  empty_time = "1200s"
  tracks     = ["single_query", "incremental", "unsat_core", "model_validation", "industry_challenge"]
  wins       = !(practice.experimental_cannot_win && track == "model_validation" && contains(["QF_IDL", "QF_LIA", "QF_LIRA", "QF_LRA", "QF_RDL"], division))
}

recognition "new_entrants" { # those that beat an existing solver in some division
  cite   = "§7.4"
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "industry_challenge"]
}

recognition "new_benchmarks" {
  cite   = "§7.4"
  kind   = "contributors"
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "industry_challenge"]
}
