# SMT-COMP 2018: how the published tables were computed, where this differs from 2015.

published {
  unlike_rules = "the tables of 2016 to 2018 weigh benchmarks by their families, except those of the application track: sums of fractions, and rule sets add whole numbers"
  views        = ["par"]
  industrial   = true
  time_limit   = true
  wide         = "-4" # the document of the year, §7.5
}

published {
  tracks       = ["incremental"]
  unlike_rules = ""

  # Solver names on the pages, where StarExec's table has other names.
  solver_names = {
    "MathSAT" = "mathsat-5.5.2"
    "Yices"   = "Yices2"
    "Z3"      = "z3-4.7.1"
  }
}
