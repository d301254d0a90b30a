# Scoring of SMT-COMP 2026, by that year's rules document. "§" is a section of it, "A.." an ambiguity in the
# documents with the reading used, "D-.." a practice of the organisers that differs from the rules.
#
#   r  a run        b  its benchmark        s  its solver        p  its parallel benchmark score (in views)
#   T  wall time limit, seconds    m  cores    short  the view has a shorter limit than the run had
#
# e, n and conditions are row expressions; w, c, aw and ac are times, which are added up exactly.

rule_set {
  year  = 2026
  title = "SMT-COMP 2026"
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
  cite   = "§7.2.5, A07"
  doc    = "who decides that a benchmark of unknown status is (un)satisfiable: a sound solver, any solver, nobody"
}
reading "late_c" {
  values = ["literal", "zero"]
  cite   = "§7.1, A11"
  doc    = "c of a correct answer after T and within mT: literal keeps it, zero does not"
}
reading "nd" {
  values = ["benchmarks", "natural"]
  cite   = "§7.3.1, A15"
  doc    = "N of a division: its benchmarks, or its check-sats (incremental) and assertions (unsat core)"
}
reading "nd_view" {
  values = ["division", "view"]
  cite   = "§7.3.1, A16"
  doc    = "N of a division in the sat, unsat and 24 s views: all of its benchmarks, or those of the view"
}
reading "par2_component" {
  values = ["w", "c"]
  cite   = "§7.5, A13"
  doc    = "the component of the PAR-2 score that a derived solver must improve"
}
reading "core_unvalidated" {
  values = ["split", "error", "ignore"]
  cite   = "§5.4, A09"
  doc    = "a core on which validation solvers tie: an error if one says sat, always an error, or never"
}
reading "late_answer" {
  values = ["text", "drop"]
  cite   = "§7.1.2 note, A05"
  doc    = "an answer of a run that did not end within T: counts, or is lost"
}
reading "seq_error" {
  values = ["actual", "score"]
  cite   = "§7.1.1, A12"
  doc    = "what is compared with T in the sequential score: the actual CPU time, or the CPU time score"
}
reading "cut_c" {
  values = ["literal", "limit"]
  cite   = "§7.2.4, A10"
  doc    = "actual CPU time of a run that the 24 s limit cuts: at most 24 m, or at most 24"
}
reading "pairs" {
  values = ["product", "run"]
  cite   = "§7.3.3, A18"
  doc    = "solver/benchmark pairs of a division: solvers times benchmarks, or those that were run"
}
reading "pairs_total" {
  values = ["competitive", "ranked"]
  cite   = "§7.3.3, A18"
  doc    = "pairs of the track: of all competitive divisions, or of those that are not too small to be ranked"
}

# ---------------------------------------------------------------------------------- what the organisers did differently

practice "published_views" {
  cite = "D-ALL-8"
  doc  = "the views that only the pages have"
}
practice "first_listed_wins" {
  cite = "D-ALL-8"
  doc  = "the first competitive solver of a list wins, alone and in any division, if it solved something"
}
practice "competitors_first" {
  cite = "D-ALL-8"
  doc  = "solvers that do not compete are listed after those that do"
}
practice "wall_before_cpu" {
  cite = "D-ALL-7"
  doc  = "a view that is ordered by CPU time is ordered by wall time first"
}
practice "sound_answers_judge" {
  cite = "D-2024-1"
  doc  = "the answers of sound solvers decide the status that answers are judged by; cores are unsat, models sat"
}
practice "disagreements_in_all_tracks" {
  cite = "D-2024-1"
  doc  = "disagreements are removed in every track but the incremental one"
}
practice "track_fixes_status" {
  cite = "D-2024-1"
  doc  = "the unsat view has all benchmarks of the unsat-core track, and the sat view all of model validation"
}
practice "every_answer_costs_time" {
  cite = "D-2024-2"
  doc  = "times count for every sat or unsat, right or wrong, and are not bounded"
}
practice "every_run_costs_time" {
  cite = "D-2024-2"
  doc  = "incremental: the whole times of all runs count"
}
practice "timeouts_by_word" {
  cite = "D-2024-2"
  doc  = "a timeout is what the file calls Timeout, whatever time it took"
}
practice "short_view_filters" {
  cite = "D-2024-3"
  doc  = "the 24 s view counts the runs of at most 24 s, and nothing of the others"
}
practice "rows_without_runs_hidden" {
  cite = "D-2024-3"
  doc  = "a view does not list a solver of which it counts no run and no missing run"
}
practice "missing_runs_count" {
  cite = "D-2024-6"
  doc  = "a selected benchmark without a run, in a logic that the solver entered, is unsolved in zero time"
}
practice "lead_of_first_two_rows" {
  cite = "D-2024-7"
  doc  = "biggest lead: the first two rows as listed, whoever they are"
}
practice "contribution_of_solved_runs" {
  cite = "D-2024-8"
  doc  = "largest contribution: only runs that solved something count, for the weights too; the best 19"
}
practice "overall_of_all_rows" {
  cite = "D-2024-9"
  doc  = "best overall: a line per solver and division of two rows or more, competitive or not"
}
practice "overall_counts_checks" {
  cite = "D-2024-9"
  doc  = "best overall: N is the number of check-sats or assertions, as with nd=natural"
}
practice "scores_as_recorded" {
  cite = "D-2024-11"
  doc  = "unsat core and model validation: n and e are what the file of the organisers says; incremental: n is"
}
practice "core_required" {
  cite = "D-2024-11"
  doc  = "unsat core: unsat without a core is not solved"
}
practice "reductions_below_zero" {
  cite = "D-2024-11"
  doc  = "unsat core: a core larger than the recorded assertions counts below zero"
}

# -------------------------------------------------------------------------------------------------- benchmark scores

score "answers" {
  cite   = "§7.1, §7.1.2"
  tracks = ["single_query", "parallel", "cloud"]

  let {
    late     = r.wall_s > T
    counts   = !late || (!short && reading.late_answer == "text")
    expected = practice.sound_answers_judge || (b.status == "unknown" && reading.unknown_status == "sound" && b.sound_sat != b.sound_unsat) ? b.settled : b.status
    decides  = r.answer == "sat" || r.answer == "unsat"
    wrong    = decides && expected != "unknown" && r.answer != expected
    right    = counts && decides && !wrong
  }
  e      = counts && wrong
  n      = right ? 1 : 0
  solved = right
  claim  = counts && decides ? r.answer : ""

  aw = min(r.wall_s, T)
  w  = practice.every_answer_costs_time ? decides ? r.wall_s : 0 : right && !late ? r.wall_s : 0
  ac = late && short && reading.cut_c == "limit" ? min(r.cpu_s, T) : min(r.cpu_s, m * T)
  c  = practice.every_answer_costs_time ? decides ? r.cpu_s : 0 : right && r.cpu_s <= m * T && !(late && reading.late_c == "zero") ? r.cpu_s : 0

  timeout = practice.timeouts_by_word ? r.answer == "Timeout" : late || r.answer == "timeout"
  memout  = r.answer == "memout" || r.answer == "OutOfMemory"
}

score "incremental" {
  cite   = "§7.1, §7.1.3"
  tracks = ["incremental"]

  let {
    answered = r.n_checks_correct + r.n_checks_wrong > 0
    wrong    = r.n_checks_wrong > 0
  }
  e      = wrong
  n      = practice.scores_as_recorded && r.recorded ? r.recorded_n : wrong ? 0 : r.n_checks_correct
  solved = !wrong && r.n_checks > 0 && r.n_checks_correct == r.n_checks

  # Until the last sat or unsat within the limit, even if one was wrong; the total without time stamps (A11).
  aw = min(r.wall_s, T)
  w  = practice.every_run_costs_time ? r.wall_s : r.has_last_wall ? min(r.last_wall_s, T) : answered ? min(r.wall_s, T) : 0
  ac = min(r.cpu_s, m * T)
  c  = practice.every_run_costs_time ? r.cpu_s : r.has_last_cpu ? min(r.last_cpu_s, m * T) : answered ? min(r.cpu_s, m * T) : 0

  timeout = practice.timeouts_by_word ? r.answer == "Timeout" : r.wall_s > T || r.answer == "timeout"
  memout  = r.answer == "memout" || r.answer == "OutOfMemory"
}

score "unsat_core" {
  cite   = "§5.4, §7.1.4"
  tracks = ["unsat_core"]

  let {
    late   = r.wall_s > T
    counts = !late || reading.late_answer == "text"
    core   = r.answer == "unsat" && r.has_core
    voted  = core && r.validation == "" && r.has_votes
    # Validated iff more validation solvers say unsat than sat (§5.4).
    rejected = voted && r.val_unsat <= r.val_sat
    # Proved satisfiable if more of them say sat: an error in any reading.
    refuted = core && r.validation == "invalid" || voted && r.val_sat > r.val_unsat || rejected && (
    reading.core_unvalidated == "error" || (reading.core_unvalidated == "split" && r.val_sat > 0))
    accepted = core && !rejected && (r.validation == "" || r.validation == "valid")
    # unsat without a core counts as the whole benchmark: no reduction, but solved (§5.4).
    whole  = r.answer == "unsat" && !r.has_core && r.validation != "illformed" && r.validation != "invalid"
    right  = counts && (accepted || (whole && !practice.core_required))
    judged = practice.scores_as_recorded && r.recorded
    said   = r.answer == "sat" || r.answer == "unsat"
    denied = practice.sound_answers_judge && r.answer == "sat" # every benchmark counts as unsat
    # Only the organisers' files have cores larger than the benchmark.
    reduction = judged ? r.recorded_n : counts && accepted ? r.n_assertions - r.core_size : 0
  }
  e      = denied || (judged ? r.recorded_e > 0 : counts && (r.answer == "sat" || refuted))
  n      = practice.reductions_below_zero ? reduction : max(reduction, 0)
  solved = right
  claim  = counts && (r.answer == "sat" || r.answer == "unsat") ? r.answer : ""

  aw = min(r.wall_s, T)
  w  = practice.every_answer_costs_time ? said ? r.wall_s : 0 : right && !late ? r.wall_s : 0
  ac = min(r.cpu_s, m * T)
  c  = practice.every_answer_costs_time ? said ? r.cpu_s : 0 : right && r.cpu_s <= m * T && !(late && reading.late_c == "zero") ? r.cpu_s : 0

  timeout = practice.timeouts_by_word ? r.answer == "Timeout" : late || r.answer == "timeout"
  memout  = r.answer == "memout" || r.answer == "OutOfMemory"
}

score "model_validation" {
  cite   = "§5.5, §7.1.5"
  tracks = ["model_validation"]

  let {
    late   = r.wall_s > T
    counts = !late || reading.late_answer == "text"
    right  = counts && r.validation == "VALID"
    judged = practice.scores_as_recorded && r.recorded
    said   = r.answer == "sat" || r.answer == "unsat"
    denied = practice.sound_answers_judge && r.answer == "unsat" # every benchmark counts as sat
  }
  # Decided by the verdict (A23); unsat without a verdict is an error.
  e      = denied || (judged ? r.recorded_e > 0 : counts && (r.validation == "INVALID" || (r.validation == "" && r.answer == "unsat")))
  n      = judged ? r.recorded_n : right ? 1 : 0
  solved = right
  claim  = counts && (r.answer == "sat" || r.answer == "unsat") ? r.answer : ""

  aw = min(r.wall_s, T)
  w  = practice.every_answer_costs_time ? said ? r.wall_s : 0 : right && !late ? r.wall_s : 0
  ac = min(r.cpu_s, m * T)
  c  = practice.every_answer_costs_time ? said ? r.cpu_s : 0 : right && r.cpu_s <= m * T && !(late && reading.late_c == "zero") ? r.cpu_s : 0

  timeout = practice.timeouts_by_word ? r.answer == "Timeout" : late || r.answer == "timeout"
  memout  = r.answer == "memout" || r.answer == "OutOfMemory"
}

# ------------------------------------------------------------------------------------------------------------- views

view "par" {
  cite      = "§7.2.1"
  tracks    = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "aw", "w", "ac", "c"]
  recognise = true
}

view "seq" {
  cite      = "§7.1.1, §7.2.3"
  tracks    = ["single_query", "unsat_core", "model_validation"]
  published = ["incremental"]
  cut       = "cpu"
  let {
    cut = reading.seq_error == "actual" ? r.cpu_s > T : p.c_s > T
  }
  e         = !cut && p.e
  n         = cut ? 0 : p.n
  w         = cut ? 0 : p.w_s
  c         = cut ? 0 : p.c_s
  order     = ["e", "-n", "c"]
  show      = ["e", "n", "c"]
  time      = "c"
  recognise = true
}

view "24s" {
  cite      = "§7.2.4"
  tracks    = ["single_query"]
  published = ["incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  limit     = "24s"
  cut       = "wall"
  where     = !practice.short_view_filters || r.wall_s <= 24
  of        = true
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "aw", "w", "ac", "c"]
  recognise = true
}

view "sat" {
  cite      = "§7.2.5"
  tracks    = ["single_query"]
  published = ["unsat_core", "model_validation", "parallel", "cloud"]
  let {
    fixed  = practice.track_fixes_status && (track == "unsat_core" || track == "model_validation")
    open   = reading.sat_view == "sound" ? b.sound_sat : reading.sat_view == "any" && b.any_sat
    member = b.status == "sat" || (b.status == "unknown" && open)
  }
  where     = fixed ? track == "model_validation" : member
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "aw", "w", "ac", "c"]
  recognise = true
}

view "unsat" {
  cite      = "§7.2.6"
  tracks    = ["single_query"]
  published = ["unsat_core", "model_validation", "parallel", "cloud"]
  let {
    fixed  = practice.track_fixes_status && (track == "unsat_core" || track == "model_validation")
    open   = reading.sat_view == "sound" ? b.sound_unsat : reading.sat_view == "any" && b.any_unsat
    member = b.status == "unsat" || (b.status == "unknown" && open)
  }
  where     = fixed ? track == "unsat_core" : member
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "aw", "w", "ac", "c"]
  recognise = true
}

view "par2" {
  cite   = "§7.2.2"
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  w      = !p.e && p.solved ? p.aw_s : 2 * T
  c      = !p.e && p.solved ? p.ac_s : 2 * m * T
  absent { # a benchmark on which the solver was not run is not solved (A13)
    w = 2 * T
    c = 2 * m * T
  }
  order = ["e", "-n", "w", "c"]
  show  = ["e", "n", "w", "c"]
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

derived {
  cite    = "§7.5"
  view    = "par2"
  percent = 10
}

# ----------------------------------------------------------------------------------------------------- recognitions

recognition "biggest_lead" {
  cite             = "§7.3.2"
  tracks           = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  time_breaks_ties = true
}

recognition "largest_contribution" {
  cite       = "§7.3.3"
  tracks     = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  small      = 2       # divisions with at most this many sound competitive solvers are excluded
  empty_time = "1200s" # the minimum of an empty set, regardless of T
}

recognition "best_overall" {
  cite             = "§7.3.1"
  kind             = "overall"
  tracks           = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
  term             = (e == 0 ? square(n / N) : -2) * log10(N)
  time_breaks_ties = true
}

recognition "derived_any_division" {
  cite   = "§7.5"
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "parallel", "cloud"]
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
