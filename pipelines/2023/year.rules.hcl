# SMT-COMP 2023: what differs from 2022. The tables of this year are scored by the document of 2022.

rules {
  base  = "2022"
  year  = 2023
  title = "SMT-COMP 2023"
}

# The organisers' validator treats additional definitions in a model as helpers.
validation {
  model_defines_declared = false
}
