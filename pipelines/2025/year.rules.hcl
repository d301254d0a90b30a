# SMT-COMP 2025: what differs from 2026. The tables of this year are scored by the document of 2026.

rules {
  base  = "2026"
  year  = 2025
  title = "SMT-COMP 2025"
}
