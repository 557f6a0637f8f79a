"""Are the times right? A program of leaves of 1 ns to 10 us, against the same binary without hooks.

The reference is the same binary with every hook removed at its first call, timed over the whole
loop; it is compared with the corrected times of the profile.
"""
import json
import pathlib
import platform
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, row, skipped

TURNS = 11
BATCHES = 6000
SECONDS = 0.05  # per kind of leaf and turn
LEAVES = {"leaf_1": 1, "leaf_2": 10, "leaf_3": 100, "leaf_4": 1000, "leaf_5": 10000}  # about ns
TIMINGS = ("auto", "exact")


def run(folder, program, *arguments, **variables):
    result = subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True,
                            text=True, check=True, env=environment(**variables))
    return {name: float(value) for name, value in map(str.split, result.stdout.splitlines())}


def profiled(folder, program, **variables):
    """{function: (calls, corrected exclusive ns)}"""
    run(folder, program, "mix", BATCHES, **variables)
    profile = json.loads((pathlib.Path(folder) / f"{program.name}_all.json").read_text())
    figures = {}
    for node in profile["nodes"]:
        function = profile["functions"][node["function"]]
        if function["kind"] == "function":
            calls, ns = figures.get(function["name"], (0, 0))
            figures[function["name"]] = calls + node["calls"], ns + node["exclusive_ns"]
    return figures


def tolerance(leaf, true_ns):
    return 1.5 if LEAVES[leaf] <= 10 else 0.05 * true_ns


def measure(build, scratch):
    if platform.machine() != "x86_64":
        return [skipped(name, "hooks are overwritten on x86-64 only")
                for name in ("truth/worst-leaf", "truth/sum")]
    program = compile_to(scratch / "truth", "g++", "-std=c++20", "-O2", "-finstrument-functions",
                         HERE / "truth.cpp")
    ours = {"LD_PRELOAD": build / ".libs" / "libvftrace.so", "VFTR_OVERHEAD_BUDGET": "0"}
    bare = {**ours, "VFTR_FILTER_EXCLUDE": "."}
    truths, sums, deviations = [], {timing: [] for timing in TIMINGS}, {}
    found = {timing: [] for timing in TIMINGS}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for _ in range(TURNS):
            true = run(folder, program, "one", SECONDS, **bare)
            whole = run(folder, program, "mix", BATCHES, **bare)["mix"] * 1e9
            truths.append(true)
            for timing in TIMINGS:
                figures = profiled(folder, program, VFTR_TIMING=timing, **ours)
                ns = {leaf: figures[leaf][1] / figures[leaf][0] for leaf in LEAVES}
                found[timing].append(ns)
                sums[timing].append(sum(time for _, time in figures.values()) / whole)
                for leaf in LEAVES:
                    deviations.setdefault((timing, leaf), []).append(
                        (ns[leaf] - true[leaf]) / tolerance(leaf, true[leaf]))

    print(f"\nns a call; median of {TURNS} turns" + " " * 10 + "".join(f"{leaf:>12}" for leaf in LEAVES))
    for name, values in (("loop, no hooks", truths), *found.items()):
        print(f"{name:<40}" + "".join(
            f"{statistics.median(value[leaf] for value in values):>12.2f}" for leaf in LEAVES))
    for timing in TIMINGS:
        print(f"{timing + ', deviation / tolerance':<40}" + "".join(
            f"{statistics.median(deviations[timing, leaf]):>12.2f}" for leaf in LEAVES))
        print(f"{timing + ', sum of all functions':<40}"
              f"{statistics.median(sums[timing]):>12.3f} x the whole loop")
    # With timing "exact" the clock is read without waiting for earlier instructions: leaves shorter
    # than 20 ns vanish in what the processor does at the same time. Printed, but not a goal.
    worst = max(abs(statistics.median(deviations["auto", leaf])) for leaf in LEAVES)
    whole = abs(statistics.median(sums["auto"]) - 1)
    return [row("truth/worst-leaf", worst, 1.0, "x tolerance (1.5 ns a call up to 10 ns, then 5 %)"),
            row("truth/sum", 100 * whole, 3.0, "% off the whole loop")]
