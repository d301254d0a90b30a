# Scoring of SMT-COMP 2008, by that year's rules document. "§" is a section of it, "A.." an ambiguity in the
# documents with the reading used.
#
#   r  a run        b  its benchmark        s  its solver
#   T  time limit, seconds    m  cores

rule_set {
  year        = 2008
  title       = "SMT-COMP 2008"
  open_source = true # §5: the top solver that provides its source code
}

reading "nothing_solved" {
  values = ["no_winner", "order"]
  cite   = "§5, A22"
  doc    = "the first solver that may win solved nothing (n = 0): nobody wins, or it wins by the order alone"
}

reading "entrants_2008" {
  values = ["all", "qualified"]
  cite   = "§5, A02"
  doc    = "whether a disqualified tool counts among the three entrants that make a division competitive"
}

# Benchmarks with unknown status are not used.
drop "unknown_status" {
  cite   = "§4 'Benchmark selection'"
  tracks = ["single_query"]
  when   = b.status == "unknown"
}

# Figure 1: a correct answer is worth 1 point, a wrong one costs 8; unknown, timeout and abort are worth nothing. A run
# over the limit is a timeout, whatever it printed (A01).
score "points" {
  cite   = "§5, Figure 1"
  tracks = ["single_query"]
  let {
    decides = r.wall_s <= T && (r.answer == "sat" || r.answer == "unsat")
    wrong   = decides && b.status != "unknown" && r.answer != b.status
    right   = decides && !wrong && b.status != "unknown"
  }
  e       = wrong
  n       = right ? 1 : 0
  points  = right ? 1 : wrong ? -8 : 0
  claim   = decides ? r.answer : ""
  c       = r.cpu_s
  timeout = r.wall_s > T || r.answer == "timeout"
  memout  = r.answer == "memout"
}

# Ties in points are broken by the lower average CPU time of correct answers.
view "points" {
  cite   = "§5"
  tracks = ["single_query"]
  order  = ["-points", "avg_cpu"]
  show   = ["points", "correct", "wrong", "avg_cpu_correct", "disqualified"]
  time   = "c"
}

# Three entrants from distinct research groups (§5).
competitive {
  cite  = "§5"
  teams = 3
}

# Four wrong answers in one division disqualify from all (§5). A wrapper tool that is not ahead of the wrapped tool is out
# of the division (§2).
disqualify {
  cite           = "§2, §5"
  errors         = 4
  wrappers       = true
  qualified_only = reading.entrants_2008 == "qualified" # disqualified entrants do not count towards a competitive division
}
