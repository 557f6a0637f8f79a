"""How long calls take: are the percentiles right, and what does counting a call cost?

The judge of the percentiles is the program, which measures each of its calls. The cost is that of
calls which are counted, compared with calls which are just too short for it: both last for a
number of ticks of the processor, so that what is beyond that is the cost of the hooks."""
import json
import math
import pathlib
import platform
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, row, skipped
from latency_bins import bin_of, percentile_bin

RUNS = 9
SHARES = (0.5, 0.9, 0.99)


def run(folder, *command, **variables):
    return subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=True,
                          env=environment(**variables)).stdout


def bins_apart(folder, program, library):
    """The largest distance between a percentile and the exact one, in bins."""
    text = run(folder, program, LD_PRELOAD=library, VFTR_TIMING="exact", VFTR_OVERHEAD_BUDGET=0)
    profile = json.loads((pathlib.Path(folder) / f"{program.name}_all.json").read_text())
    functions, nodes = profile["functions"], profile["nodes"]
    apart = 0
    for line in text.splitlines():
        name, *durations = line.split()
        exact = sorted(map(int, durations))
        row_of = next(one for one in profile["latencies"]
                      if functions[nodes[one["node"]]["function"]]["display"] == name and one["calls"] == len(exact))
        for share in SHARES:
            there = bin_of(exact[math.ceil(share * len(exact)) - 1])
            apart = max(apart, abs(percentile_bin(row_of, share) - there))
    return apart


def measure(build, scratch):
    library = build / ".libs" / "libvftrace_serial.so"
    rows = []
    program = compile_to(scratch / "latencies", "gcc", "-O1", "-finstrument-functions",
                         HERE.parent / "programs" / "latencies.c")
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        rows.append(row("latency/p99", statistics.median(bins_apart(folder, program, library) for _ in range(RUNS)), 1,
                        "bins from the exact percentiles"))
        if platform.machine() != "x86_64":
            return [*rows, skipped("latency/call", "the program reads the ticks of x86-64")]
        program = compile_to(scratch / "call_lengths", "gcc", "-O2", "-finstrument-functions", HERE / "call_lengths.c")
        exact = {"LD_PRELOAD": library, "VFTR_TIMING": "exact", "VFTR_OVERHEAD_BUDGET": 0}
        alone, counted = [], []
        for _ in range(RUNS):
            for variables, differences in (({}, alone), (exact, counted)):
                shorter, longer = map(float, run(folder, program, **variables).split())
                differences.append(longer - shorter)
        print(f"longer calls than those that are not counted: alone {statistics.median(alone):.2f} ns more, "
              f"profiled {statistics.median(counted):.2f}")
        rows.append(row("latency/call", statistics.median(a - b for a, b in zip(counted, alone)), 1,
                        "ns more a call that is counted"))
    return rows
