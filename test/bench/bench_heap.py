"""Memory by call path: do the intervals hold, and what does it cost? heaptrack is the judge of peaks and of what is left."""
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, median_ratio, row, row_at_least, skipped
from heap_figures import heap_of, heap_of_process

TURNS = 15
RUNS = 200  # of the program with known allocations
APPS = {"molecular_dynamics": ("-O2",), "finite_elements": ("-O2",)}
CONTAINERS = 100_000_000
LIVE_MIB = 400
Z = 1.96

# heaptrack makes each program load the C++ library, which allocates this at its start, before main.
POOL = 72704

# Debian's programs in one process, with input that they make or the system has.
JUDGED = {
    "sort": ("sort", "big.txt"), "tac": ("tac", "big.txt"), "awk": ("awk", "{ n[$1]++ } END { for (k in n) s++; print s }", "big.txt"),
    "sed": ("sed", "s/a/b/", "big.txt"), "perl": ("perl", "-ne", "push @l, $_; END { print scalar @l }", "big.txt"),
    "python3": ("python3", "-I", "-c", "x = [str(i) for i in range(300000)]; print(len(x))"),
    "xz": ("xz", "-1kc", "-T1", "big.txt"), "bash": ("bash", "-c", "for i in {1..20000}; do a[$i]=$i; done; echo ${#a[@]}"),
    "git": ("git", "hash-object", "big.txt"), "sqlite3": ("sqlite3", ":memory:", "create table t (a); with recursive n(i) as (select 1 "
                                                          "union all select i + 1 from n where i < 200000) insert into t select i from n; "
                                                          "select count(*) from t;"),
    "gzip": ("gzip", "-c", "big.txt"), "diff": ("diff", "big.txt", "other.txt"), "objdump": ("objdump", "-d", "/bin/bash")}


def run(folder, *command, **variables):
    return subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=True,
                          env=environment(**variables)).stdout


def interval(value, variance):
    """As profile/heap.cpp computes it."""
    if variance <= 0 or value <= 0:
        return value, value
    weight = variance / value
    middle, half = value / weight + Z * Z / 2, Z * (value / weight + Z * Z / 4) ** 0.5
    return max(middle - half, 0) * weight, (middle + half) * weight


def share_of_intervals_that_hold(folder, program, variables):
    inside, everything = 0, 0
    for _ in range(RUNS):
        text = run(folder, program, **variables)
        paths = heap_of(json.loads((folder / f"{program.name}_all.json").read_text()))
        for line in text.splitlines():
            name, size, calls = line.split()
            values = paths.get(name, {})
            for metric, truth in (("heap.allocated", float(size)), ("heap.calls", float(calls))):
                low, high = interval(values.get(metric, 0), values.get(metric + "_variance", 0))
                inside += low <= truth * (1 + 1e-9) and truth * (1 - 1e-9) <= high
                everything += 1
    return inside / everything


def bytes_in(text, title):
    """"1.07M" after a title in the output of heaptrack_print."""
    number, unit = re.search(rf"{title}: ([\d.]+)([KMG]?)", text).groups()
    return float(number) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[unit]


def judged_by_heaptrack(folder, vftrace):
    """{program: (its peak, ours; what was left, ours)}, bytes."""
    (folder / "big.txt").write_text("".join(f"{i * 7919 % 100003} line {i}\n" for i in range(100_000)))
    (folder / "other.txt").write_text("".join(f"{i * 7919 % 100003} line {i + i % 1000 // 999}\n" for i in range(100_000)))
    found = {}
    for name, command in JUDGED.items():
        if not shutil.which(command[0]):
            continue
        subprocess.run(["heaptrack", "-o", folder / name, *command], cwd=folder, capture_output=True, check=False)
        traces = sorted(folder.glob(f"{name}.*"))
        if not traces:
            continue
        text = subprocess.run(["heaptrack_print", "-F", os.devnull, "-f", traces[0]], capture_output=True, text=True,
                              check=False).stdout
        if "peak heap" not in text:
            continue
        out = folder / f"out_{name}"
        subprocess.run([vftrace, "run", "--sample", "--output-directory", out, "--option", "memory.profile=all", "--",
                        *command], cwd=folder, capture_output=True, check=False, env=environment())
        profiles = list(out.glob("*_all.json"))
        if not profiles:
            continue
        process = heap_of_process(json.loads(profiles[0].read_text()))
        found[name] = (bytes_in(text, "peak heap memory consumption"), process["heap.peak"],
                       bytes_in(text, "total memory leaked"), process["heap.process_live"])
    return found


def added(folder, program, variants, *arguments):
    """ns that each variant takes more than the first one, the median of the turns."""
    times = {name: [] for name in variants}
    for _ in range(TURNS):
        for name, variables in variants.items():
            times[name].append(float(run(folder, program, *arguments, **variables)))
    print("ns a pair of malloc and free: " +
          ", ".join(f"{name} {statistics.median(values):.2f} ({min(values):.2f})" for name, values in times.items()))
    base = next(iter(variants))
    return {name: statistics.median(a - b for a, b in zip(times[name], times[base])) for name in variants}


def processor_times(folder, program, arguments, variants, turns):
    times = {name: [] for name in variants}
    for turn in range(turns):
        for name, variables in sorted(variants.items(), reverse=turn % 2 == 1):
            before = os.times()
            run(folder, program, *arguments, **variables)
            after = os.times()
            times[name].append(after.children_user + after.children_system - before.children_user -
                               before.children_system)
    return times


def measure(build, scratch):
    library = build / ".libs" / "libvftrace_serial.so"
    allocations = build / ".libs" / "libvftrace_allocations.so"
    flags = ("-std=c++20", "-O2", "-fno-builtin", "-finstrument-functions",
             "-finstrument-functions-exclude-file-list=/usr/include")
    program = compile_to(scratch / "heap_cost", "g++", *flags, HERE / "heap_cost.cpp")
    known = compile_to(scratch / "heap_known", "gcc", "-O2", "-fno-builtin", "-finstrument-functions", HERE / "heap_known.c")
    apps = {name: compile_to(scratch / f"heap_{name}", "g++", "-std=c++20", *options, "-finstrument-functions",
                             "-finstrument-functions-exclude-file-list=/usr/include", HERE / "apps" / f"{name}.cpp")
            for name, options in APPS.items()}
    profiled = {"LD_PRELOAD": library}
    sampled = {"LD_PRELOAD": f"{library}:{allocations}", "VFTR_MEMORY_PROFILE": "sampled"}
    every = {**sampled, "VFTR_MEMORY_PROFILE": "all"}
    print("\nmemory by call path")
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        folder = pathlib.Path(name)
        more = added(folder, program, {"alone": {}, "sampled": sampled, "all": every}, "pair", 1_000_000)
        rows = [row("memory/pair", more["sampled"], 8, "ns more a malloc and its free, sampled"),
                row("memory/all", more["all"], 60, "ns more, each counted")]

        ratios = {}
        for app, path in apps.items():
            times = processor_times(folder, path, ["1"], {"off": profiled, "on": sampled}, TURNS)
            ratios[app] = median_ratio(times, "on", "off")
        times = processor_times(folder, program, ["containers", str(CONTAINERS)], {"off": {}, "on": sampled}, 5)
        ratios["containers"] = median_ratio(times, "on", "off")
        print("processor time, on / off: " + ", ".join(f"{app} {ratio:.4f}" for app, ratio in ratios.items()))
        rows += [row("memory/apps", max(ratios[app] for app in apps), 1.01, "x the processor time without"),
                 row("memory/containers", ratios["containers"], 1.10, "x that of the program alone, 10^8 allocations")]

        resident = {name: [] for name in ("off", "on")}
        for _ in range(5):
            for variant, variables in (("off", profiled), ("on", sampled)):
                resident[variant].append(float(run(folder, program, "live", str(LIVE_MIB), **variables)) / 1024)
        tables = statistics.median(resident["on"]) - statistics.median(resident["off"])
        rows.append(row("memory/resident", tables, LIVE_MIB / 100 + 2, f"MiB more resident with {LIVE_MIB} MiB live"))

        share = 100 * share_of_intervals_that_hold(folder, known, sampled)
        rows += [row_at_least("memory/interval-low", share, 93, f"% of {2 * 20 * RUNS} intervals hold"),
                 row("memory/interval-high", share, 97, "%, the same: wider would say less than is known")]

        if not shutil.which("heaptrack") or not shutil.which("heaptrack_print"):
            return [*rows, skipped("memory/peak", "heaptrack is not installed")]
        found = judged_by_heaptrack(folder, build / "vftrace")
        for name, (peak, own_peak, left, own_left) in found.items():
            print(f"{name:<10} peak {peak / 1e6:9.3f} MB, ours {own_peak / 1e6:9.3f}; left {left / 1e6:9.3f} MB, "
                  f"ours {own_left / 1e6:9.3f}")
        errors = [abs(own - peak + POOL) / peak * 100 for peak, own, _left, _own in found.values()]
        left = [abs(own - left) / peak * 100 for peak, _own, left, own in found.values()]
        rows += [row("memory/peak", statistics.median(errors), 2, f"% from heaptrack's peak, the median of {len(found)} programs"),
                 row("memory/leak", statistics.median(left), 2, "% of the peak from what heaptrack says is left")]
    return rows
