"""Two threads at the same time against one, and trees in a file against trees on the heap."""
import os
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, median_ratio, row, skipped

TURNS = 21
SECONDS = 0.02  # per shape and turn
SHAPES = ("leaf", "nest")
WIDTH = 50  # 127,550 paths
QUIET = {"VFTR_JSON": "no", "VFTR_PROFILE_TABLE_SHOW_TABLE": "no", "VFTR_SOURCE_LINES": "no",
         "VFTR_STACKLIST_SHOW_STACKLIST": "no", "VFTR_TIMING": "exact", "VFTR_OVERHEAD_BUDGET": "0"}
HEAP = {"VFTR_TREE_FILE_ACTIVE": "no"}


def run_once(folder, program, *arguments, **variables):
    """{"leaf": ns per call, ...}"""
    result = subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True,
                            text=True, check=True, env=environment(**variables))
    return {name: float(value) for name, value in map(str.split, result.stdout.splitlines())}


def measure(build, scratch):
    empty = compile_to(scratch / "libempty.so", "gcc", "-O2", "-w", "-shared", "-fPIC",
                       HERE / "empty_hooks.c")
    program = compile_to(scratch / "thread_calls", "g++", "-std=c++20", "-O2", "-pthread",
                         HERE / "thread_calls.cpp", "-finstrument-functions",
                         "-finstrument-functions-exclude-file-list=/usr/include")
    ours = build / ".libs" / "libvftrace.so"
    hot = {
        "empty, 1 thread": (1, {"LD_PRELOAD": empty}),
        "ours, 1 thread": (1, {"LD_PRELOAD": ours, **QUIET}),
        "empty, 2 threads": (2, {"LD_PRELOAD": empty}),
        "ours, 2 threads": (2, {"LD_PRELOAD": ours, **QUIET}),
        "ours on the heap": (1, {"LD_PRELOAD": ours, **QUIET, **HEAP}),
    }
    times = {(name, shape): [] for name in hot for shape in SHAPES}
    making = {"file": [], "heap": []}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for turn in range(TURNS):
            for name, (threads, variables) in hot.items():
                for shape, ns in run_once(folder, program, "hot", threads, SECONDS,
                                          **variables).items():
                    times[name, shape].append(ns)
            # Each variant comes first in every other turn.
            for name in sorted(making, reverse=turn % 2 == 1):
                making[name].append(run_once(
                    folder, program, "paths", WIDTH, LD_PRELOAD=ours, **QUIET,
                    **(HEAP if name == "heap" else {}))["paths"])

    print(f"\nns per call, entry and exit; median (minimum) of {TURNS} turns")
    for name in hot:
        print(f"{name:<18}" + "".join(
            f"{shape:>8} {statistics.median(times[name, shape]):>7.2f} "
            f"({min(times[name, shape]):.2f})" for shape in SHAPES))
    for name, values in making.items():
        print(f"ns a new path, {name:<4} {statistics.median(values):>7.1f} ({min(values):.1f})")

    def scaling(shape):
        def ratios(threads):
            return [a / b for a, b in zip(times[f"ours, {threads}", shape],
                                          times[f"empty, {threads}", shape])]
        return statistics.median(two / one for one, two in
                                 zip(ratios("1 thread"), ratios("2 threads")))

    mapped = max([median_ratio(times, ("ours, 1 thread", shape), ("ours on the heap", shape))
                  for shape in SHAPES] + [median_ratio(making, "file", "heap")])
    rows = [row("threads/2", max(map(scaling, SHAPES)), 1.1,
                "x (ours / empty hooks) of one thread (worst shape)"),
            row("mapped-tree", mapped, 1.03, "x tree on the heap (calls and new paths)")]
    if (os.cpu_count() or 1) < 2:
        rows[0] = skipped("threads/2", "one processor")
    return rows
