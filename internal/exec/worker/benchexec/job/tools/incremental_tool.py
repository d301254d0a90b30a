"""What the tool-info modules of the incremental track share. The options are the whole command."""

import benchexec.result as result

from tools.tool import SMTCompTool


class IncrementalSMTCompTool(SMTCompTool):
    def determine_result(self, run):
        return result.RESULT_DONE
