# SMT-COMP 2021: what differs from 2022. The tables of this year are scored by the document of 2022.

rules {
  base  = "2022"
  year  = 2021
  title = "SMT-COMP 2021"
}
