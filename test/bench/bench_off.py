"""What a program with hooks costs while nothing is to be recorded: VFTR_OFF, and start=off.

off/run: against the run in which a filter has excluded all functions, whose hooks are overwritten as well.
off/start: processor time that overwriting the hooks of 100,000 functions takes.
"""
import os
import pathlib
import platform
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, median_ratio, row, skipped
from many_functions import build_program

FUNCTIONS = 100_000
TURNS = 15
NAMES = ["off/run", "off/not-started", "off/start"]


def processor_seconds(command, folder, **variables):
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=environment(**variables))
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime


def measure(build, scratch):
    if platform.machine() != "x86_64":
        return [skipped(name, "hooks are overwritten on x86-64 only") for name in NAMES]
    library = build / ".libs" / "libvftrace.so"
    variants = {"excluded": {"VFTR_FILTER_EXCLUDE": "."}, "off": {"VFTR_OFF": "1"}, "later": {"VFTR_START": "off"}}
    seconds = {variant: [] for variant in variants}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        program = compile_to(pathlib.Path(folder) / "elements", "g++", "-O2", "-std=c++20", "-finstrument-functions",
                             HERE / "apps" / "finite_elements.cpp")
        for _ in range(TURNS):
            for variant, variables in variants.items():
                seconds[variant].append(processor_seconds([program, "0.3"], folder, LD_PRELOAD=library, VFTR_JSON="no",
                                                          **variables))
        many = build_program(pathlib.Path(folder), FUNCTIONS)
        start = [processor_seconds([many, "1"], folder, LD_PRELOAD=library, VFTR_OFF="1") -
                 processor_seconds([many, "1"], folder) for _ in range(TURNS)]
    return [row(NAMES[0], median_ratio(seconds, "off", "excluded"), 1.02,
                "x processor time of the run with all hooks overwritten, VFTR_OFF"),
            row(NAMES[1], median_ratio(seconds, "later", "excluded"), 1.02, "the same, start=off"),
            row(NAMES[2], 1000 * statistics.median(start), 50, "ms to overwrite the hooks of 100,000 functions")]
