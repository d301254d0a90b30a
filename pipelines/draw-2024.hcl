# SMT-COMP 2024: what differs from draw-2025.hcl.
#
#   smtpipe run -p pipelines/draw-2024.hcl --var list=benchmarks-2024.json.gz --var submissions=FOLDER

base {
  source = "./draw-2025.hcl"
}

competition {
  year = 2024
}

variable "list" {
  description = "The organisers' list of benchmarks (benchmarks-2024.json.gz)"
}

variable "nyse_opening" {
  default = 17817
}

variable "retired" {
  default = null
}
