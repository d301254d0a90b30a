# SMT-COMP 2020: what differs from 2019. The tables of this year are scored by the document of 2019.

rules {
  base  = "2019"
  year  = 2020
  title = "SMT-COMP 2020"
}
