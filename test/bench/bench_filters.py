"""The cost of removing the hooks of functions that a filter excludes, per call of a hook."""
import os
import pathlib
import platform
import statistics
import subprocess
import tempfile

from common import environment, row, skipped
from many_functions import build_program

FUNCTIONS = 20_000
SITES = 2 * FUNCTIONS
TURNS = 15
NAME, GOAL, UNIT = "filter/site", 0.5, "us of processor time a call of a hook"


def measure(build, scratch):
    if platform.machine() != "x86_64":
        return [skipped(NAME, "hooks are overwritten on x86-64 only")]
    library = build / ".libs" / "libvftrace.so"

    def seconds(program, folder, **variables):
        """Processor time of the whole process, because the calls are removed before main."""
        process = subprocess.Popen([program, "1"], cwd=folder, stderr=subprocess.DEVNULL,
                                   env=environment(LD_PRELOAD=library, VFTR_JSON="no", **variables))
        _, status, usage = os.wait4(process.pid, 0)
        assert status == 0
        process.returncode = 0
        return usage.ru_utime + usage.ru_stime

    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        program = build_program(pathlib.Path(folder), FUNCTIONS)
        times = [seconds(program, folder, VFTR_FILTER_EXCLUDE=".") - seconds(program, folder)
                 for _ in range(TURNS)]
    return [row(NAME, statistics.median(times) / SITES * 1e6, GOAL, UNIT)]
