"""Beside other programs on its processor: do the figures of applications still agree with those of perf?

Two applications of bench_hybrid, built with the wrappers and with -finstrument-functions, run on one
processor, alone and beside one, three and six endless loops. The reference is perf's share of the
processor time without hooks, alone and beside three loops. VFTRACE_BENCH_SECONDS: approximate
processor time of each run (3).
"""
import contextlib
import math
import os
import pathlib
import platform
import shutil
import tempfile

from busy_loops import busy_loops
from common import row, row_at_least, skipped
from bench_hybrid import APPS, LEAST_SHARE, App, is_off, is_outside

NAMES = ["hybrid/busy-points", "hybrid/busy-coverage"]
PROGRAMS = ["line_solver.c", "molecular_dynamics.cpp"]
LOOPS = [0, 1, 3, 6]


@contextlib.contextmanager
def one_processor_with(loops):
    """Keeps this process and its children on the processor that so many endless loops use as well."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(allowed)})
    try:
        with busy_loops(loops):
            yield
    finally:
        os.sched_setaffinity(0, allowed)


def measure(build, scratch):
    if platform.machine() != "x86_64" or not shutil.which("perf"):
        return [skipped(name, "needs perf, and hooks that can be overwritten") for name in NAMES]
    compared = off = outside = covered = 0
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for source in PROGRAMS:
            for kind in ("wrapped", "hooked"):
                app = App(APPS / source, kind, pathlib.Path(folder), build)
                with one_processor_with(0):
                    alone, samples = app.truth(folder)
                with one_processor_with(3):
                    busy, more = app.truth(folder)
                print(f"{app.name} {kind}, perf beside 3 loops: differs from perf alone by "
                      f"{max(abs(share - busy.get(name, 0)) for name, share in alone.items()):.1f} points at most")
                truth = {name: (alone.get(name, 0) * samples + busy.get(name, 0) * more) / (samples + more)
                         for name in {*alone, *busy}}
                hot = sorted((name for name in truth if truth[name] >= LEAST_SHARE), key=truth.get, reverse=True)
                for count in LOOPS:
                    with one_processor_with(count):
                        shares, errors, _ = app.profile(folder)
                    for name in hot:
                        difference = abs(shares.get(name, 0.0) - truth[name])
                        error = math.hypot(errors.get(name, 0.0), math.sqrt(truth[name] * (100 - truth[name]) /
                                                                            (samples + more)))
                        compared += 1
                        covered += difference <= 1.96 * error
                        outside += is_outside(difference, truth[name], error)
                        if is_off(difference, truth[name]):
                            off += 1
                            print(f"{app.name} {kind}, {count} loops: {name} {shares.get(name, 0.0):.1f} "
                                  f"± {1.96 * error:.1f} %, perf {truth[name]:.1f} %")
                    first = hot[0]
                    print(f"{app.name} {kind}, {count} loops: {first} {shares.get(first, 0.0):.1f} "
                          f"± {1.96 * errors.get(first, 0.0):.1f} %, perf {truth[first]:.1f} %")
    return [row(NAMES[0], outside, 0, f"of {compared} shares off by over 3 points, a tenth and their own interval of 95 % (by 3 points and a tenth: "
                f"{off}), beside 0 to 6 busy loops"),
            row_at_least(NAMES[1], 100 * covered / compared, 93, "% of 95 % intervals hold perf's share")]
