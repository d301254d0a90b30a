"""What the tool-info modules of all solvers share. The options are the whole command."""

import os

import benchexec.result as result
from benchexec.tools.template import BaseTool2


class SMTCompTool(BaseTool2):
    NAME = ""
    EXECUTABLE = "run.sh"
    REQUIRED_PATHS = []

    def executable(self, tool_locator):
        return os.path.join(os.path.dirname(__file__), "run.sh")

    def program_files(self, executable):
        return [executable, *self.REQUIRED_PATHS]

    def name(self):
        return self.NAME

    def cmdline(self, executable, options, task, rlimits):
        return [*options, *task.input_files]

    def determine_result(self, run):
        for line in run.output:
            line = line.strip()
            if not line or line == "success" or line.startswith(";"):
                continue
            if line == "sat":
                return result.RESULT_TRUE_PROP
            if line == "unsat":
                return result.RESULT_FALSE_PROP
            break
        return result.RESULT_UNKNOWN
