"""Samples in addition to hooks: do the figures of small applications agree with those of perf
without hooks?

The reference is the same binary with all hooks overwritten at start (`filter.exclude=.`), sampled
by perf, because hooks also change what the compiler inlines. VFTRACE_BENCH_SECONDS: approximate run
time of each program (3). VFTRACE_BENCH_RUNS: runs of each program with samples (3).
VFTRACE_BENCH_COMPILER: "clang" builds the C and C++ programs with clang, with and without the
wrappers, and leaves out those in Fortran. Writes bench/hybrid.md in the build folder: the hottest
functions next to perf's figures.
"""
import itertools
import json
import math
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import tempfile
import time

from common import HERE, compile_to, environment, median_ratio, row, row_at_least, skipped

SECONDS = float(os.environ.get("VFTRACE_BENCH_SECONDS", "3"))
RUNS = int(os.environ.get("VFTRACE_BENCH_RUNS", "3"))
MOST_ROWS = 12      # of ours, among which perf's top ten are sought
TOP = 10
LEAST_SHARE = 1.0   # % of perf's samples; functions with less are ignored
STABLE_SHARE = 0.5  # % of the time; rows with more should be in every run
APPS = HERE / "apps"
COMPILERS = {".c": ("gcc", "vftrace-cc", ("-O2",)), ".cpp": ("g++", "vftrace-c++", ("-O2", "-std=c++20")),
             ".f90": ("gfortran", "vftrace-fc", ("-O2",))}
if os.environ.get("VFTRACE_BENCH_COMPILER") == "clang":
    COMPILERS = {".c": ("clang", *COMPILERS[".c"][1:]), ".cpp": ("clang++", *COMPILERS[".cpp"][1:])}
REPORT = re.compile(r"\s+([\d.]+)%\s+(\d+)\s+\[\.\]\s+(.*)")


def plain_name(name):
    """The name without what perf and vftrace print differently: scope, template arguments, Fortran underscore."""
    while "<" in name:
        shorter = re.sub(r"<[^<>]*>", "", name)
        if shorter == name:
            break
        name = shorter
    return re.sub(r"\(.*", "", name).split()[-1].split("::")[-1].rstrip("_")


class App:
    def __init__(self, source, kind, scratch, build):
        plain, wrapper, flags = COMPILERS[source.suffix]
        self.name, self.kind = source.stem, kind
        self.program = scratch / f"{source.stem}_{kind}"
        command = {"plain": [plain, *flags], "wrapped": [build / "scripts" / wrapper, *flags],
                   "hooked": [plain, *flags, "-finstrument-functions"]}[kind]
        link = [] if kind == "plain" else [f"-L{build / '.libs'}", f"-Wl,-rpath,{build / '.libs'}"]
        link += ["-lvftrace"] if kind == "hooked" else []
        subprocess.run([*map(str, command), str(source), "-o", str(self.program), "-lm", *link], check=True,
                       env={**os.environ, "VFTRACE_CC": plain, "VFTRACE_CXX": plain, "VFTRACE_FC": plain})
        self.seconds = {}  # by variant
        self.overhead = []  # according to the summary, % of the run without overhead

    def run(self, folder, variant, *before, **variables):
        start = time.monotonic()
        subprocess.run([*before, str(self.program), str(SECONDS)], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(**variables))
        self.seconds.setdefault(variant, []).append(time.monotonic() - start)

    def truth(self, folder):
        """({function: share in %}, samples) by perf, of the program without hooks."""
        self.run(folder, "perf", "perf", "record", "-q", "-o", "perf.data", "-e", "cpu-clock", "-F", "999",
                 VFTR_FILTER_EXCLUDE=".")
        listed = subprocess.run(["perf", "report", "-i", "perf.data", "--stdio", "--no-children", "-F",
                                 "overhead,sample,sym", "--dsos", self.program.name], cwd=folder,
                                capture_output=True, text=True).stdout
        counts = {}
        for line in listed.splitlines():
            if found := REPORT.match(line):
                name = plain_name(found[3])
                counts[name] = counts.get(name, 0) + int(found[2])
        total = sum(counts.values())
        return {name: 100 * count / total for name, count in counts.items()}, total

    def profile(self, folder):
        """({function: share in %}, {function: its standard error}, total seconds)"""
        self.run(folder, "default")
        profile = json.loads((pathlib.Path(folder) / f"{self.program.name}_all.json").read_text())
        overhead = sum(item["time_ns"] for item in profile["run"]["overhead"])
        self.overhead.append(100 * overhead / (profile["run"]["runtime_ns"] - overhead))
        times, variances = {}, {}
        for node in profile["nodes"]:
            function = profile["functions"][node["function"]]
            if function["kind"] == "function":
                name = plain_name(function.get("display", function["name"]))
                times[name] = times.get(name, 0) + node["exclusive_ns"]
                variances[name] = variances.get(name, 0) + node.get("exclusive_error_ns", 0) ** 2
        total = sum(times.values())
        return ({name: 100 * ns / total for name, ns in times.items()},
                {name: 100 * math.sqrt(variance) / total for name, variance in variances.items()},
                total / 1e9)


def is_off(difference, share):
    return difference > max(3, share / 10)


def is_outside(difference, share, error):
    """Whether a share is off by more than chance explains: in 3 s there are 750 samples, whose intervals of 95 % are
    3.5 points wide to each side for a function with 40 %."""
    return is_off(difference, share) and difference > 1.96 * error


class Tally:
    """The results of all programs and runs."""

    def __init__(self):
        self.missing = self.looked_for = self.off = self.outside = self.compared = self.covered = 0
        self.widths, self.stable, self.sums, self.overheads = [], [], [], []
        self.notes, self.table = [], []
        self.perf_compared = self.perf_covered = self.perf_outside = 0  # perf compared with itself

    def truth(self, app, folder):
        """Like App.truth(), from two runs: their difference shows how well the machine repeats its results."""
        (one, of_one), (other, of_other) = app.truth(folder), app.truth(folder)
        samples = of_one + of_other
        for name, share in one.items():
            if share >= LEAST_SHARE:
                difference = abs(share - other.get(name, 0.0))
                error = math.sqrt(share * (100 - share) * (1 / of_one + 1 / of_other))
                self.perf_compared += 1
                self.perf_covered += difference <= 1.96 * error
                self.perf_outside += is_outside(difference, share, error)
        return {name: (one.get(name, 0.0) * of_one + other.get(name, 0.0) * of_other) / samples
                for name in {*one, *other}}, samples

    def add(self, app, truth, samples, runs):
        hot = sorted((name for name in truth if truth[name] >= LEAST_SHARE), key=truth.get, reverse=True)
        for shares, errors, _ in runs:
            shown = sorted(shares, key=shares.get, reverse=True)[:MOST_ROWS]
            for name in hot[:TOP]:
                self.looked_for += 1
                if name not in shown:
                    self.missing += 1
                    self.notes.append(f"{app.name} {app.kind}: {name} ({truth[name]:.1f} %) is missing")
            for name in hot:
                share, error = shares.get(name, 0.0), errors.get(name, 0.0)
                difference = abs(share - truth[name])
                of_perf = math.sqrt(truth[name] * (100 - truth[name]) / samples)
                both = math.hypot(error, of_perf)
                self.compared += 1
                self.covered += difference <= 1.96 * both
                self.outside += is_outside(difference, truth[name], both)
                if is_off(difference, truth[name]):
                    self.off += 1
                    self.notes.append(f"{app.name} {app.kind}: {name} {share:.1f} ± {1.96 * both:.1f} %, "
                                      f"perf {truth[name]:.1f} %")
                if share > 0:
                    self.widths.append(100 * 1.96 * error / share)
        shares, errors, _ = runs[0]
        self.table += [f"| {app.name}, {app.kind} | `{name}` | {truth[name]:.1f} | {shares.get(name, 0.0):.1f} "
                       f"± {1.96 * errors.get(name, 0.0):.1f} |" for name in hot[:4]]
        for one, other in itertools.combinations([shares for shares, _, _ in runs], 2):
            rows = {name for shares in (one, other) for name in shares if shares[name] >= STABLE_SHARE}
            both = [name for name in rows if one.get(name, 0) > 0 and other.get(name, 0) > 0]
            self.stable.append(100 * len(both) / len(rows))
        floor = statistics.median(app.seconds["floor"])
        self.sums.append(100 * abs(statistics.median(total for _, _, total in runs) / floor - 1))
        lengthened = 100 * (median_ratio(app.seconds, "default", "floor") - 1)
        said = statistics.median(app.overhead)
        self.overheads.append(abs(said - lengthened))
        self.notes.append(f"{app.name} {app.kind}: lengthened by {lengthened:.1f} %, the summary says {said:.1f} %")


def cost_of_samples(build, scratch):
    """In per cent of the processor time of a program that does the same in every run: the run times of the
    applications vary by ten times the cost of samples."""
    program = compile_to(scratch / "steady", "gcc", "-O1", "-finstrument-functions", HERE / "steady.c")
    seconds = {"off": [], "on": []}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for turn in range(30):
            for variant in ("off", "on") if turn % 2 else ("on", "off"):
                before = os.times()
                subprocess.run([program, str(300_000_000)], cwd=folder, check=True,
                               env=environment(LD_PRELOAD=build / ".libs" / "libvftrace_serial.so",
                                               VFTR_OVERHEAD_BUDGET="0", VFTR_JSON="no",
                                               VFTR_STACK_SAMPLING_BESIDE_HOOKS=variant))
                after = os.times()
                seconds[variant].append(after.children_user + after.children_system -
                                        before.children_user - before.children_system)
    return 100 * (median_ratio(seconds, "on", "off") - 1)


def measure(build, scratch):
    names = ["hybrid/top10", "hybrid/points", "hybrid/sum", "hybrid/coverage", "hybrid/width",
             "hybrid/stable", "hybrid/overhead", "hybrid/wrapped", "hybrid/floor", "hybrid/samples"]
    if platform.machine() != "x86_64" or not shutil.which("perf"):
        return [skipped(name, "needs perf, and hooks that can be overwritten") for name in names]
    tally, wrapped, hooked = Tally(), [], []
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        sources = sorted(path for path in APPS.iterdir() if path.suffix in COMPILERS)
        for source in sources:
            plain, *others = (App(source, kind, pathlib.Path(folder), build)
                              for kind in ("plain", "wrapped", "hooked"))
            for app in others:
                truth, samples = tally.truth(app, folder)
                runs = []
                for _ in range(RUNS):
                    if app.kind == "wrapped":
                        plain.run(folder, "alone")
                    app.run(folder, "floor", VFTR_FILTER_EXCLUDE=".")
                    runs.append(app.profile(folder))
                tally.add(app, truth, samples, runs)
            median = {(app.kind, variant): statistics.median(times) for app in (plain, *others)
                      for variant, times in app.seconds.items()}
            wrapped.append(median["wrapped", "default"] / median["plain", "alone"])
            hooked.append(median["hooked", "default"] / median["hooked", "floor"])
            print(f"{source.stem}: wrapped {wrapped[-1]:.3f} x plain, hooked {hooked[-1]:.3f} x floor, "
                  f"sums off by {tally.sums[-2]:.1f} and {tally.sums[-1]:.1f} %")
    for note in tally.notes:
        print(note)
    (scratch / "hybrid.md").write_text("\n".join(["| program | function | perf [%] | vftrace [%] |", "|---|---|---|---|",
                                                  *tally.table]) + "\n")
    return [row(names[0], tally.missing, 0, f"of {tally.looked_for} that perf has first are not in our first 12"),
            row(names[1], tally.outside, 0, f"of {tally.compared} shares off by over 3 points, a tenth and their own interval of 95 % (by 3 points "
                f"and a tenth: {tally.off}; perf against itself: {tally.perf_outside} of {tally.perf_compared})"),
            row(names[2], statistics.median(tally.sums), 3, "% off the run without hooks, median"),
            row_at_least(names[3], 100 * tally.covered / tally.compared, 93, f"% of 95 % intervals hold perf's share (perf against itself: "
                         f"{100 * tally.perf_covered / tally.perf_compared:.0f} %)"),
            row(names[4], statistics.median(tally.widths), 10, "% half-width of the intervals, median"),
            row_at_least(names[5], min(tally.stable, default=100), 95, "% of rows in both of two runs, worst"),
            row(names[6], statistics.median(tally.overheads), 2, "points between the overhead in the summary and how much longer "
                "the run is, median of programs"),
            row(names[7], statistics.median(wrapped), 1.10, "x run time, wrappers, median of programs"),
            row(names[8], statistics.median(hooked), 1.15, "x run time without hooks, median of programs"),
            row(names[9], cost_of_samples(build, scratch), 1.0, "% of processor time for samples, in a run of a second")]
