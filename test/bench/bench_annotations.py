"""What annotations for other tools cost: a pair of begin and end of each interface, and the start of a program."""
import statistics
import subprocess
import time

from common import HERE, compile_to, environment, row

TURNS, STARTS = 7, 60
GOAL_NS, GOAL_START_MS = 60, 0.5


def measure(build, scratch):
    libraries = build / ".libs"
    serial = libraries / "libvftrace_serial.so"
    both = {"LD_PRELOAD": f"{serial}:{libraries / 'libvftrace_annotations.so'}", "VFTR_OVERHEAD_BUDGET": 0}
    program = compile_to(scratch / "annotation_cost", "gcc", "-O2", "-finstrument-functions", HERE / "annotation_cost.c")
    times = {}
    for _ in range(TURNS):
        text = subprocess.run([program], cwd=scratch, capture_output=True, text=True, check=True, env=environment(**both)).stdout
        for line in text.splitlines():
            name, ns = line.split()
            times.setdefault(name, []).append(float(ns))
    print("\nns of a pair of begin and end, fastest of 60 parts, median of runs")
    rows = []
    for name, values in times.items():
        print(f"  {name:14} {statistics.median(values):6.1f}")
        rows.append(row(f"annotations/{name}", statistics.median(values), GOAL_NS, "ns a pair of begin and end"))
    empty = scratch / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    program = compile_to(scratch / "empty", "gcc", "-O2", "-finstrument-functions", empty)
    taken = {"with": [], "without": []}
    for turn in range(STARTS):
        for name in sorted(taken, reverse=turn % 2 == 1):
            variables = both if name == "with" else {**both, "LD_PRELOAD": serial}
            start = time.perf_counter()
            subprocess.run([program], cwd=scratch, check=True, env=environment(**variables))
            taken[name].append(1000 * (time.perf_counter() - start))
    rows.append(row("annotations/start", statistics.median(taken["with"]) - statistics.median(taken["without"]), GOAL_START_MS,
                    "ms more to start a program without annotations"))
    return rows
