# SMT-COMP 2021: what differs from 2022. The tables of this year are scored by the document of 2022.

rules {
  base  = "2022"
  year  = 2021
  title = "SMT-COMP 2021"
}

# Cores and output as in the 2019 rules.
validation {
  stderr_is_output         = false
  ill_formed_core_is_wrong = true
}

# The 2022 rules, §3, say that these were new and experimental this year.
divisions {
  tracks       = ["model_validation"]
  experimental = ["QF_Equality", "QF_Equality+Bitvec", "QF_Equality+LinearArith"]
}
