# SMT-COMP 2018: what differs from 2015. The tables of this year are scored by the document of 2015.

rules {
  base  = "2015"
  year  = 2018
  title = "SMT-COMP 2018"
}
