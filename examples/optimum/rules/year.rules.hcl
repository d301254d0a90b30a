# A competition like the Pseudo-Boolean Competition, track OPT-LIN.

rules {
  year     = 2026
  title    = "PB 2026"
  document = "Pseudo-Boolean Competition rules (cril.univ-artois.fr/PB24)"
}

language "OPB" {
  files = ["*.opb"]
  value = "^(?:o|c Found solution:) (-?[0-9]+)" # the second is minisat+'s

  answer "optimum" { # a solution, and no other solution has a lower value
    line        = "^s OPTIMUM FOUND"
    contradicts = ["unsat"]
    best        = "least"
  }
  answer "sat" { # a solution
    line        = "^s SATISFIABLE"
    contradicts = ["unsat"]
  }
  answer "unsat" { line = "^s UNSATISFIABLE" }
  answer "unknown" { line = "^s UNKNOWN" }
}

track "OPT-LIN" { kind = "single_query" }

divisions {
  tracks       = ["OPT-LIN"]
  single_logic = ["OPB"]
}
