"""Waits of threads: are they right, and what do they cost?

The judge of the first rows are the clocks of the program: how long a call took, without the thread's
processor time. That clock also runs while the kernel changes threads, about 10 us each time, so
that the many short waits for a file are a row of their own."""
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, median_ratio, row, skipped
from waiting_figures import states_of_threads, sum_of, sums_by_function

TURNS = 15
ROUNDS = 5  # of the rows about figures
APPS = {"molecular_dynamics": ("-O2",), "finite_elements": ("-O2",)}
PROGRAMS = HERE.parent / "programs"


def run(folder, *command, **variables):
    return subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=True,
                          env=environment(**variables)).stdout


class Figures:
    """The metrics of one run."""

    def __init__(self, folder, name):
        profile = json.loads((pathlib.Path(folder) / f"{name}_all.json").read_text())
        self.sums = sums_by_function(profile)
        # In per cent of their life.
        self.sum_errors = [abs(states["running"] + states["waited"] + states["displaced"] - states["watched"]) /
                           states["watched"] * 100 for states in states_of_threads(profile)]


def errors_of_known_waits(folder, program, share, *command, **variables):
    """The largest error of a wait in allowed errors, `share` or 0.2 ms; and that of a wait for a file, in us."""
    text = run(folder, *command, program, **variables)
    figures = Figures(folder, program.name)
    worst, of_file = 0, 0
    for line in text.splitlines():
        function, wall, processor = line.split()
        waited = float(wall) - float(processor)
        sums = figures.sums.get(function, {})
        error = abs(sum_of(sums, "time.") / 1e6 - waited)
        if function == "wait_for_file":
            of_file = 1000 * error / max(sum_of(sums, "waits."), 1)
        else:
            worst = max(worst, error / max(share * waited, 0.2))
    return worst, of_file, max(figures.sum_errors, default=100)


@contextlib.contextmanager
def busy_loops(number):
    with contextlib.ExitStack() as stack:
        for _ in range(number):
            loop = subprocess.Popen(["sh", "-c", "while :; do :; done"])
            stack.callback(loop.wait)
            stack.callback(loop.kill)
        yield


def cost(folder, program, variants, *arguments, on_one_processor=False):
    """{variant: [ns, ...]}"""
    times = {name: [] for name in variants}
    for _ in range(TURNS):
        for name, variables in variants.items():
            first = ["taskset", "-c", str(min(os.sched_getaffinity(0)))] if on_one_processor else []
            times[name].append(float(run(folder, *first, program, *arguments, **variables)))
    print(f"{' '.join(map(str, arguments)):<16}" +
          "".join(f"  {name} {statistics.median(values):.2f} ({min(values):.2f})" for name, values in times.items()) + " ns")
    return times


def added(times, variant, base):
    return statistics.median(a - b for a, b in zip(times[variant], times[base]))


def measure(build, scratch):
    library = build / ".libs" / "libvftrace_serial.so"
    waits = build / ".libs" / "libvftrace_waits.so"
    base = {"LD_PRELOAD": library, "VFTR_OVERHEAD_BUDGET": "0"}
    known = compile_to(scratch / "known_waits", "gcc", "-O1", "-pthread", "-finstrument-functions",
                       PROGRAMS / "known_waits.c")
    bare = compile_to(scratch / "known_waits_bare", "gcc", "-O0", "-g", "-pthread", PROGRAMS / "known_waits.c")
    loop = compile_to(scratch / "hot_loop", "gcc", "-O2", "-finstrument-functions", PROGRAMS / "hot_loop.c")
    program = compile_to(scratch / "waiting_cost", "gcc", "-O2", "-pthread", "-finstrument-functions",
                         HERE / "waiting_cost.c")
    apps = {name: compile_to(scratch / f"waiting_{name}", "g++", "-std=c++20", *flags, "-finstrument-functions",
                             "-finstrument-functions-exclude-file-list=/usr/include", HERE / "apps" / f"{name}.cpp")
            for name, flags in APPS.items()}
    rows = []
    print("\nwaits")
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        run(folder, known, **base)
        if not Figures(folder, known.name).sum_errors:
            return [skipped("waiting", "the kernel does not report switches of threads")]
        hooked = [errors_of_known_waits(folder, known, 0.01, **base) for _ in range(ROUNDS)]
        sampled = [errors_of_known_waits(folder, bare, 0.05, build / "vftrace", "run", "--waiting", "--sample")
                   for _ in range(ROUNDS)]
        with busy_loops(2):
            run(folder, loop, "100000000", **base, VFTR_TIMING="exact")
            beside = [max(Figures(folder, loop.name).sum_errors),
                      errors_of_known_waits(folder, known, 0.01, **base)[2]]
        rows += [row("waiting/known", statistics.median(one[0] for one in hooked), 1,
                     "largest error of 9 kinds of waits, in 1 % or 0.2 ms"),
                 row("waiting/known-file-us", statistics.median(one[1] for one in hooked), 15,
                     "us, error of a short wait for a file"),
                 row("waiting/known-sampled", statistics.median(one[0] for one in sampled), 1,
                     "the same without hooks, in 5 % or 0.2 ms"),
                 row("waiting/sum", max([statistics.median(one[2] for one in hooked), *beside]), 1,
                     "% of a thread's life, error of the sum of its states, also beside busy loops")]

        watched, off = {**base, "VFTR_WAITING_ACTIVE": "on"}, {**base, "VFTR_WAITING_ACTIVE": "off"}
        variants = {"off": off, "on": watched}
        calls = cost(folder, program, variants, "call", 1000000)
        # On one processor, because on several the time depends on which ones the kernel chooses.
        blocks = cost(folder, program, variants, "block", 5000, on_one_processor=True)
        told = {**watched, "LD_PRELOAD": f"{library}:{waits}"}
        locks = cost(folder, program, {"alone": {}, "told": told}, "lock", 1000000)
        contended = cost(folder, program, {"alone": {}, "told": told}, "contend", 100000)
        rows += [row("waiting/contended", statistics.median(contended["told"]) / statistics.median(contended["alone"]),
                     1.02,
                     "x the waits for a contended mutex without us")]
        rows += [row("waiting/pair", added(calls, "on", "off"), 0.5, "ns more a call"),
                 row("waiting/block", added(blocks, "on", "off") / 2000, 2.5, "us more a wait (two a round trip)"),
                 row("waiting/lock", added(locks, "told", "alone"), 3, "ns more a free mutex, lock and unlock")]

        times = {}
        for name, app in apps.items():
            for variant, variables in variants.items():
                times[name, variant] = []
            for turn in range(TURNS):
                for variant, variables in sorted(variants.items(), reverse=turn % 2 == 1):
                    before = os.times()
                    run(folder, app, "1", **{**variables, "VFTR_OVERHEAD_BUDGET": "10"})
                    after = os.times()
                    times[name, variant].append(after.children_user + after.children_system -
                                                before.children_user - before.children_system)
        ratios = {name: median_ratio(times, (name, "on"), (name, "off")) for name in apps}
        print("processor time, on / off: " + ", ".join(f"{name} {ratio:.4f}" for name, ratio in ratios.items()))
        rows.append(row("waiting/apps", max(ratios.values()), 1.005, "x the processor time of the same without"))
    return rows
