# SMT-COMP 2024: how the published tables were computed, where this differs from 2026.

published {
  memory       = "20GiB"
  result_date  = "2024-07-08"
  all_compete  = true
  teams        = "solver"
  recognitions = ["biggest_lead", "largest_contribution"]
  base_deltas  = false
  winners      = "all"
  time_digits  = 0 # as stored
}

published {
  tracks  = ["incremental"]
  columns = ["cpu", "solved", "solved_sat", "solved_unsat", "unsolved", "abstained", "timeout", "memout"]
}

no_switch "D-2024-4" {
  why = "it is about the counting of answers in logs"
}

no_switch "D-2024-5" {
  why = "it is about the selection"
}

no_switch "D-2024-10" {
  why = "it is about the digits on pages"
}

# Differences from the published tables that the archived files make unavoidable.

known_differences {
  track  = "parallel"
  why    = "no run of any entrant is in the files"
  absent = true
  cell {
    kind  = "division"
    table = "QF_Equality_LinearArith"
  }
  cell {
    kind  = "division"
    table = "QF_NonLinearIntArith"
  }
  cell {
    kind  = "division"
    table = "QF_NonLinearRealArith"
  }
  cell {
    kind  = "logic"
    table = "QF_ALIA"
  }
  cell {
    kind  = "logic"
    table = "QF_NIA"
  }
  cell {
    kind  = "logic"
    table = "QF_NRA"
  }
  cell {
    kind  = "logic"
    table = "QF_UFIDL"
  }
  cell {
    kind  = "logic"
    table = "QF_UFLIA"
  }
  cell {
    kind  = "logic"
    table = "QF_UFLRA"
  }
}

known_differences {
  track = "unsat_core"
  why   = "one selected benchmark has no run of any solver"
  cell {
    kind    = "division"
    table   = "QF_Bitvec"
    columns = ["n_benchmarks", "unsolved", "abstained", "logic"]
    by      = -1
  }
  cell {
    kind    = "logic"
    table   = "QF_BV"
    columns = ["n_benchmarks", "unsolved", "abstained"]
    by      = -1
  }
}

known_differences {
  track = "cloud"
  why   = "the selection of both tracks was used (D-2024-5)"
  cell {
    columns = ["n_benchmarks", "unsolved", "abstained", "logic"]
  }
}

known_differences {
  track  = "cloud"
  why    = "no run of any entrant is in the files"
  absent = true
  cell {
    kind    = "division"
    columns = [""]
  }
  cell {
    kind    = "logic"
    columns = [""]
  }
  cell {
    kind    = "recognition"
    table   = "biggest_lead"
    view    = "twentyfour"
    row     = "QF_LinearRealArith SMTS"
    columns = [""]
  }
}

known_differences {
  track = "cloud"
  why   = "a line before it is missing"
  cell {
    kind    = "recognition"
    table   = "biggest_lead"
    view    = "twentyfour"
    row     = "QF_LinearIntArith SMTS"
    columns = ["place"]
    by      = -1
  }
  cell {
    kind    = "recognition"
    table   = "biggest_lead"
    view    = "twentyfour"
    row     = "QF_NonLinearRealArith Z3-Parti-Z3++"
    columns = ["place"]
    by      = -1
  }
}

draw {
  history = [2018, 2019, 2020, 2021, 2022, 2023]
  list "incremental" {
    count  = 22825
    sha256 = "077152f22c20695edb5c5d51b310258f00793a77c80b8ba0cf3cd03098715fd2"
  }
}
