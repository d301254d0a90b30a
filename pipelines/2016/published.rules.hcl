# SMT-COMP 2016: how the published tables came about, where it differs from 2015.

published {
  unlike_rules = "the tables of 2016 to 2018 weigh benchmarks by their families, as none of the rule sets does, except those of the application track"
  views        = ["par"]
  industrial   = true
}

published {
  tracks       = ["incremental"]
  unlike_rules = ""
}
