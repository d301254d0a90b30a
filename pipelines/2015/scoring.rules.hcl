# Scoring of SMT-COMP 2015, by that year's rules document. "§" is a section of it, "A.." an ambiguity in the
# documents with the reading used, "D-.." a practice of the organisers that differs from the rules.
#
#   r  a run        b  its benchmark        s  its solver        p  its raw benchmark score (in views)
#   T  wall time limit, seconds    m  cores
#
# e, n and conditions are row expressions; w and c are times, which are added up exactly.

rule_set {
  year        = 2015
  title       = "SMT-COMP 2015"
  open_source = true # §7.5: the best open-source solver of each competitive division
}

reading "nothing_solved" {
  values = ["no_winner", "order"]
  cite   = "§3, §7.3, A22"
  doc    = "the first solver that may win solved nothing (n = 0): nobody wins, or it wins by the order alone"
}

reading "log2015" {
  values = ["ln", "log10"]
  cite   = "§7.4, A03"
  doc    = "base of the logarithm in the competition-wide score"
}

practice "times_unbounded" {
  cite = "D-2015-1"
  doc  = "application track: times are not bounded"
}
practice "competition_wide_for_application" {
  cite = "D-2015-3"
  doc  = "competition-wide score also of the application track"
}
practice "ties_by_wall" {
  cite = "D-ALL-7"
  doc  = "the sequential view breaks ties by wall time"
}
practice "first_listed_wins" {
  cite = "D-ALL-8"
  doc  = "the first competitive solver of a list wins, alone and in any division, if it solved something"
}

# Benchmarks with unknown status are not used.
drop "unknown_status" {
  cite   = "§6 'Benchmark selection'"
  tracks = ["single_query"]
  when   = b.status == "unknown"
}

# Main track: an answer counts only if the process ended in time (§7.1, A04).
score "main" {
  cite   = "§7.1 Main track"
  tracks = ["single_query"]
  let {
    ended   = r.wall_s <= T
    decides = ended && (r.answer == "sat" || r.answer == "unsat")
    wrong   = decides && b.status != "unknown" && r.answer != b.status
  }
  e       = wrong
  n       = decides && !wrong ? 1 : 0
  claim   = decides ? r.answer : ""
  w       = min(r.wall_s, T)
  c       = min(r.cpu_s, m * T)
  timeout = !ended || r.answer == "timeout"
  memout  = r.answer == "memout"
}

# Application track: results count up to the limit.
score "application" {
  cite   = "§7.1 Application track"
  tracks = ["incremental"]
  let {
    wrong = r.n_checks_wrong > 0
  }
  e       = wrong
  n       = wrong ? 0 : r.n_checks_correct
  w       = practice.times_unbounded ? r.wall_s : min(r.wall_s, T)
  c       = practice.times_unbounded ? r.cpu_s : min(r.cpu_s, m * T)
  timeout = r.wall_s > T || startswith(r.run_status, "timeout")
  memout  = r.answer == "memout" || r.run_status == "memout"
}

view "par" { # raw scores
  cite      = "§7.3"
  tracks    = ["single_query", "incremental"]
  order     = ["e", "-n", "w", "c"]
  show      = ["e", "n", "w", "c"]
  recognise = true
}

view "seq" {
  cite   = "§7.2, §7.3"
  tracks = ["single_query"]
  let {
    cut = r.cpu_s > T
  }
  e         = !cut && p.e
  n         = cut ? 0 : p.n
  c         = min(p.c_s, T)
  order     = ["e", "-n", "c"]
  show      = ["e", "n", "c"]
  time      = "c"
  recognise = true
}

# Floating-point divisions are never competitive (§7), in any track and for any source of runs.
competitive {
  cite  = "§7"
  teams = 2
  when  = !contains_text(division, "FP")
}

recognition "competition_wide" {
  cite      = "§7.4, A03: the condition of the printed formula is inverted"
  kind      = "overall"
  tracks    = ["single_query"]
  published = ["incremental"] # with competition_wide_for_application
  term      = (e == 0 ? square(n / N) : -e) * (reading.log2015 == "ln" ? ln(N) : log10(N))
  best      = 3
  best_new  = true # §7.5: the best new entrant
}

recognition "best_industrial" { # in each competitive division, of either track
  cite   = "§7.5"
  kind   = "restricted"
  tracks = ["single_query", "incremental"]
  where  = b.category == "industrial"
}

recognition "breadth" {
  cite   = "§7.5"
  tracks = ["single_query"]
}

recognition "new_benchmarks" {
  cite   = "§7.5"
  kind   = "contributors"
  tracks = ["single_query", "incremental"]
}
