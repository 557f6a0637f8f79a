"""The additional cost of MPI calls with vftrace, against a stub MPI that returns at once, and of
the end of a real MPI run."""
import itertools
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

from common import HERE, compile_to, environment, row, skipped

sys.path.insert(0, str(HERE.parent / "shared"))

TURNS = 15
FINALIZE_TURNS = 25  # if ranks wait busily for a processor, one turn may take twice as long as another
RANKS = 4
GOAL_NS = 100
CALLS = ["send", "recv", "isend", "waitall", "allreduce", "comm-rank"]
SIZES = [2, 4096]
STUBS = {"MPICH": ("MPICH_ABI", "libmpich.so.12"), "Open MPI": ("OPEN_MPI_ABI", "libmpi.so.40")}


def build_stub(scratch, family):
    """The program, linked to a stub that has the family's binary interface and name."""
    abi, soname = STUBS[family]
    folder = scratch / f"stub_{abi.lower()}"
    folder.mkdir(exist_ok=True)
    sources = HERE / "mpi"
    library = compile_to(folder / soname, "gcc", "-O2", "-shared", "-fPIC", f"-D{abi}",
                         f"-Wl,-soname,{soname}", sources / "stub_mpi.c")
    return compile_to(folder / "call_cost", "gcc", "-O2", "-finstrument-functions", f"-D{abi}",
                      sources / "call_cost.c", library, f"-Wl,-rpath,{folder}")


def run_once(program, folder, **variables):
    result = subprocess.run([program], cwd=folder, capture_output=True, text=True, check=True,
                            env=environment(**variables))
    if result.stderr:
        raise RuntimeError(result.stderr)
    return {name: float(ns) for name, ns in map(str.split, result.stdout.splitlines())}


def measure_calls(build, scratch):
    library = build / ".libs" / "libvftrace.so"
    variants = {"plain": {}, "vftrace": {"LD_PRELOAD": library}}
    cases = list(itertools.product(STUBS, SIZES))
    programs = {family: build_stub(scratch, family) for family in STUBS}
    times = {case: {variant: [] for variant in variants} for case in cases}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for _ in range(TURNS):
            for case, variant in itertools.product(cases, variants):
                times[case][variant].append(
                    run_once(programs[case[0]], folder, STUB_MPI_SIZE=case[1],
                             **variants[variant]))

    def median(case, variant, call):
        return statistics.median(turn[call] for turn in times[case][variant])

    print(f"\nns a call of a stub MPI, plain and with vftrace; median of {TURNS} turns")
    print(f"{'':<24}" + "".join(f"{call:>16}" for call in CALLS))
    for case in cases:
        print(f"{case[0] + ', ' + str(case[1]) + ' ranks':<24}" + "".join(
            f"{median(case, 'plain', call):.1f} {median(case, 'vftrace', call):.1f}".rjust(16)
            for call in CALLS))

    def added(call):
        return max(median(case, "vftrace", call) - median(case, "plain", call) for case in cases)

    return [row(f"mpi/{call}-ns", added(call), GOAL_NS, "ns added a call (worst of 2 MPIs, 2 sizes)")
            for call in CALLS]


def measure_end(build, scratch):
    from mpi_support import MPICH, OPEN_MPI

    worst = None
    for family in (OPEN_MPI, MPICH):
        try:
            family.need("mpicc", "mpirun")
        except unittest.SkipTest as reason:
            print(f"\n{reason}")
            continue
        program = compile_to(scratch / f"finalize_cost{family.suffix}", family.command("mpicc"),
                             "-O0", "-finstrument-functions", HERE / "mpi" / "finalize_cost.c")
        times = {"plain": [], "vftrace": []}
        with tempfile.TemporaryDirectory(dir=scratch) as folder:
            for _ in range(FINALIZE_TURNS):
                for variant in times:
                    preload = [] if variant == "plain" else \
                        ["env", f"LD_PRELOAD={build / '.libs' / 'libvftrace.so'}"]
                    result = subprocess.run(
                        [*family.launch(RANKS), *preload, str(program)], cwd=folder, check=True,
                        capture_output=True, text=True, env=environment(**family.environment))
                    times[variant].append((time.monotonic() - float(result.stdout)) * 1000)
            if not list(pathlib.Path(folder).glob("*_all.json")):
                raise RuntimeError("the profiled runs wrote no profile")
        added = statistics.median(times["vftrace"]) - statistics.median(times["plain"])
        print(f"\nend of {RANKS} ranks of {family.name}: {statistics.median(times['plain']):.1f} ms "
              f"plain, {statistics.median(times['vftrace']):.1f} ms with vftrace")
        worst = added if worst is None else max(worst, added)
    if worst is None:
        return [skipped("mpi/finalize-ms", "no MPI is installed")]
    return [row("mpi/finalize-ms", worst, 50, f"ms added, {RANKS} ranks (worst MPI)")]


def measure(build, scratch):
    return measure_calls(build, scratch) + measure_end(build, scratch)
