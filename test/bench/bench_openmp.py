"""What recording adds to a task and to a barrier in a team of two, with gcc's and clang's
libraries."""
import shutil
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, row, skipped

TURNS = 21
GOAL_NS = 150
# The suffix of the rows, and the compiler.
COMPILERS = {"": "gcc", "-llvm": "clang"}


def run_once(program, folder, **variables):
    result = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=True,
                            env=environment(VFTR_JSON="false", OMP_NUM_THREADS="2", **variables))
    return {line.split()[0]: float(line.split()[1]) for line in result.stdout.splitlines()}


def measure_compiler(compiler, suffix, ours, scratch):
    names = [f"omp/{what}-ns{suffix}" for what in ("task", "barrier")]
    if not shutil.which(compiler):
        return [skipped(name, f"{compiler} is not installed") for name in names]
    try:
        program = compile_to(scratch / f"openmp_{compiler}", compiler, "-O2", "-fopenmp",
                             "-finstrument-functions", HERE / "openmp_cost.c")
    except subprocess.CalledProcessError:
        return [skipped(name, f"{compiler} has no OpenMP library") for name in names]
    added = {"task": [], "barrier": []}
    plain = {"task": [], "barrier": []}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for _ in range(TURNS):
            alone = run_once(program, folder)
            recorded = run_once(program, folder, LD_PRELOAD=ours)
            for what in added:
                plain[what].append(alone[what])
                added[what].append(recorded[what] - alone[what])
    print(f"\n{compiler}: ns without vftrace, and what it adds; medians of {TURNS} turns")
    for what in added:
        print(f"{what:<10}{statistics.median(plain[what]):>10.1f}"
              f"{statistics.median(added[what]):>10.1f}")
    return [row(name, statistics.median(added[what]), GOAL_NS, "ns more than without")
            for name, what in zip(names, added)]


def measure(build, scratch):
    ours = build / ".libs" / "libvftrace.so"
    return [one for suffix, compiler in COMPILERS.items()
            for one in measure_compiler(compiler, suffix, ours, scratch)]
