# SMT-COMP 2025: what differs from draw-2026.hcl. The tool still assumed the year 2024.
#
#   smtpipe run -p pipelines/draw-2025.hcl --var list=benchmarks-2025.json.gz --var submissions=FOLDER

base {
  source = "./draw-2026.hcl"
}

competition {
  year = 2025
}

variable "nyse_opening" {
  default = 20338.41
}

variable "history" {
  description = "Results of 2018 to 2023 (results-sq-YYYY.json.gz)"
}

variable "answers" {
  description = "Results of the single-query track (results-sq-2024.json.gz), for unsat cores and models"
}

module "draw" {
  answer_year = 2024
  new         = "2024"
  flavour     = "rand-0.8"
}
