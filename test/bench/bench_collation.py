"""Merging the profiles of all ranks of a job: time, rounds, bytes and memory up to 10,000 ranks."""
import statistics
import subprocess

from common import HERE, compile_to, row

SIZES = [10, 100, 1000, 10000]
TURNS = 3  # of the largest job; its time is far above the timer's resolution
SOURCE = HERE.parents[1] / "src" / "core"
UNIT_TESTS = HERE.parent / "unit"
COLUMNS = ["rounds", "seconds", "bytes-up-per-rank", "bytes-down-per-rank", "largest-message",
           "peak-kib-per-rank"]


def simulate(program, ranks):
    # One process per simulation, because the peak of memory is that of the process.
    result = subprocess.run([str(program), str(ranks)], capture_output=True, text=True, check=True)
    return {name: float(value) for name, value in map(str.split, result.stdout.splitlines())}


def measure(build, scratch):
    program = compile_to(scratch / "simulate_collation", "g++", "-std=c++20", "-O2",
                         "-I", SOURCE, "-I", UNIT_TESTS, HERE / "collation" / "simulate_collation.cpp",
                         UNIT_TESTS / "in_process_communicator.cpp",
                         build / "libvftrace_core.a", "-lelf")
    figures = {ranks: [simulate(program, ranks)
                       for _ in range(TURNS if ranks == SIZES[-1] else 1)] for ranks in SIZES}

    def median(ranks, name):
        return statistics.median(turn[name] for turn in figures[ranks])

    print("\ncollation of 500 call paths a rank, 400 of them those of all ranks; 100 peers a rank")
    print(f"{'ranks':>6}" + "".join(f"{name:>21}" for name in COLUMNS))
    for ranks in SIZES:
        print(f"{ranks:>6}" + "".join(f"{median(ranks, name):>21g}" for name in COLUMNS))

    growth = median(SIZES[-1], "peak-kib-per-rank") / median(SIZES[0], "peak-kib-per-rank")
    return [row("collate/10000-ranks-s", median(SIZES[-1], "seconds"), 10,
                "s of processor time, all ranks together"),
            row("collate/peak-kib-per-rank", growth, 1.2,
                "x that of 10 ranks (process peak less that before the first profile, by ranks)")]
