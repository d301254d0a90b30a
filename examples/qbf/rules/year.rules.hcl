# A competition like QBFEVAL, track prenex CNF.

rules {
  year     = 2026
  title    = "QBF 2026"
  document = "QBFEVAL rules (qbf23.pages.sai.jku.at)"
}

language "QDIMACS" {
  files = ["*.qdimacs"]

  answer "sat" { # the formula is true
    line        = "^s cnf 1"
    status      = "^c status: true$"
    contradicts = ["unsat"]
  }
  answer "unsat" {
    line   = "^s cnf 0"
    status = "^c status: false$"
  }
  answer "unknown" {
    line = "^s cnf -1"
  }
}

track "PCNF" { kind = "single_query" }

divisions {
  tracks       = ["PCNF"]
  single_logic = ["QDIMACS"]
}
