# SMT-COMP 2023: what differs from 2022. The tables of this year are scored by the document of 2022.

rules {
  base  = "2022"
  year  = 2023
  title = "SMT-COMP 2023"
}

# The organisers' validator takes further definitions of a model as helpers.
validation {
  model_defines_declared = false
}
