# SMT-COMP 2020: what differs from 2019. The tables of this year are scored by the document of 2019.

rules {
  base  = "2019"
  year  = 2020
  title = "SMT-COMP 2020"
}

# From this year on a partial model is unknown.
validation {
  partial_model_is_wrong = false
}

# The divisions that were new in this year are not in the table; practice.experimental_cannot_win has them.
divisions {
  tracks       = ["model_validation"]
  experimental = []
}
