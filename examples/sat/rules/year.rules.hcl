# A competition like the SAT Competition.

rules {
  year     = 2026
  title    = "SAT 2026"
  document = "SAT Competition rules (satcompetition.github.io)"
}

language "DIMACS" {
  files = ["*.cnf"]

  answer "sat" {
    line        = "^(s )?SATISFIABLE"
    status      = "^c status: sat$"
    contradicts = ["unsat"]
  }
  answer "unsat" {
    line   = "^(s )?UNSATISFIABLE"
    status = "^c status: unsat$"
  }
  answer "unknown" {
    line = "^(s )?(UNKNOWN|INDETERMINATE)"
  }
}

track "answers" { kind = "single_query" } # the model of a satisfiable formula is checked
track "proofs" { kind = "single_query" }  # so is a proof that a formula is unsatisfiable

divisions {
  tracks       = ["answers", "proofs"]
  single_logic = ["DIMACS"]
}
