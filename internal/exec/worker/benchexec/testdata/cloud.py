"""Loads benchmark definitions by BenchExec's own parser and loader, with an executor that asks of them what that of
vcloud-benchmark.py needs before it sends a job away, and prints the commands. It executes nothing."""

import json
import os
import sys

import benchexec.benchexec
import benchexec.tooladapter
import benchexec.util


class Cloud:
    @staticmethod
    def init(config, benchmark):
        locator = benchexec.tooladapter.create_tool_locator(config)
        benchmark.executable = benchmark.tool.executable(locator)
        benchmark.tool_version = benchmark.tool.version(benchmark.executable)
        for unsupported in "keepEnv", "additionalEnv":
            assert not benchmark.environment().get(unsupported), unsupported

    @staticmethod
    def get_system_info():
        return None

    @staticmethod
    def stop():
        pass

    @staticmethod
    def execute_benchmark(benchmark, output_handler):
        needed = sorted(benchmark.required_files())
        for path in needed:
            assert os.path.exists(path), path
            assert not os.path.isdir(path) or os.listdir(path), path + " is empty"
        assert os.path.isdir(benchmark.working_directory())
        assert len(benchmark.result_files_patterns) <= 1
        files, commands = [], []
        for run_set in benchmark.run_sets:
            for run in run_set.runs:
                command = json.dumps(run.cmdline())
                assert "\t" not in command
                commands.append(command)
                files += run.sourcefiles
        assert commands
        base = benchexec.util.common_base_dir([os.path.abspath(p) for p in files + needed])
        r = benchmark.rlimits
        print("LOADED", os.path.relpath(base), r.cputime_hard, r.memory, r.cpu_cores, len(commands), *needed)
        print("\n".join(commands))
        return 0


class Loader(benchexec.benchexec.BenchExec):
    def load_executor(self):
        return Cloud


if __name__ == "__main__":
    sys.exit(benchexec.benchexec.main(Loader()))
