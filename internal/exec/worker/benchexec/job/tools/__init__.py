# The tool-info modules of a job; empty.
