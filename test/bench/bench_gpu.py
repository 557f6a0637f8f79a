"""The additional cost of a CUDA call with callbacks, and the number of GPU records per second that
are matched with their calls and added up, with and without a trace: on the stand-ins for CUDA and
CUPTI, without a GPU."""
import os
import re
import shutil
import statistics
import subprocess
import tempfile

from common import HERE, environment, row, row_at_least, skipped

TURNS = 15
GOAL_NS = 150
GOAL_RECORDS = 1e6
# The number of kernels, which produce records.
LAUNCHES = 300000


def run_once(program, folder, standin, *arguments, **variables):
    return subprocess.run([program, *map(str, arguments)], cwd=folder, capture_output=True,
                          text=True, check=True,
                          env=environment(VFTR_JSON="false", **standin, **variables))


def costs(result):
    return {line.split()[0]: float(line.split()[1]) for line in result.stdout.splitlines()}


def measure(build, scratch):
    names = ["cuda/api-ns", "cuda/records-per-s", "cuda/traced-records-per-s"]
    if not shutil.which("gcc"):
        return [skipped(name, "gcc is not installed") for name in names]
    os.environ["VFTRACE_TEST_BUILD"] = str(build)
    from gpu_support import STANDIN, cuda_library, standin_environment
    ours = build / ".libs" / "libvftrace.so"
    program = scratch / "gpu_calls"
    subprocess.run(["gcc", "-O2", "-w", "-I", STANDIN, HERE / "gpu_calls.c", cuda_library(), "-o",
                    program], check=True)
    plain, added = {"event": [], "launch": []}, {"event": [], "launch": []}
    records, traced = [], []
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for _ in range(TURNS):
            alone = costs(run_once(program, folder, standin_environment()))
            recorded = costs(run_once(program, folder, standin_environment(), LD_PRELOAD=ours))
            for what in added:
                plain[what].append(alone[what])
                added[what].append(recorded[what] - alone[what])
            for rates, variables in ((records, {}), (traced, {"VFTR_SAMPLING_ACTIVE": "yes"})):
                said = run_once(program, folder, standin_environment(script="report"), LAUNCHES,
                                LD_PRELOAD=ours, **variables).stderr
                count, ns = map(int, re.search(r"records (\d+) ns (\d+)", said).groups())
                rates.append(1e9 * count / max(ns, 1))
    print(f"\nns without vftrace, and what it adds; medians of {TURNS} turns")
    for what in added:
        print(f"{what:<10}{statistics.median(plain[what]):>10.1f}"
              f"{statistics.median(added[what]):>10.1f}")
    return [row(names[0], statistics.median(added["event"]), GOAL_NS, "ns more than without"),
            row_at_least(names[1], statistics.median(records), GOAL_RECORDS, "records a second"),
            row_at_least(names[2], statistics.median(traced), GOAL_RECORDS,
                         "records a second, with a trace")]
