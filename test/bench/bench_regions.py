"""The cost of the report of regions: the sampler, entering and leaving a region, the start."""
import pathlib
import statistics
import subprocess
import tempfile
import time

from common import HERE, compile_to, environment, row

TURNS, START_TURNS, SAMPLER_TURNS = 15, 25, 5
GOAL_SHARE, GOAL_PAIR_NS, GOAL_START_MS = 0.5, 6, 1
PAIRS, SECONDS = 1_000_000, 4
# Together with the usual time and cycles, at least 8 signals.
SIGNALS = "CPU_ENERGY@package,DRAM_ENERGY@package,TIME,CPU_POWER"


def made_up_machine(folder):
    """Two processors with memory."""
    for number, name in (("0", "package-0"), ("0:0", "dram"), ("1", "package-1"), ("1:0", "dram")):
        zone = folder / "class" / "powercap" / f"intel-rapl:{number}"
        zone.mkdir(parents=True, exist_ok=True)
        for file, text in (("name", name), ("energy_uj", "1000000"), ("max_energy_range_uj", "65532610987")):
            (zone / file).write_text(f"{text}\n")
    for number in range(2):
        topology = folder / "devices" / "system" / "cpu" / f"cpu{number}" / "topology"
        topology.mkdir(parents=True, exist_ok=True)
        (topology / "physical_package_id").write_text(f"{number}\n")
        (topology / "core_id").write_text("0\n")
    return folder


def measure(build, scratch):
    library = build / ".libs"
    program = compile_to(scratch / "region_cost", "gcc", "-O2", "-pthread", "-I", HERE.parent.parent / "include", HERE / "region_cost.c",
                         "-L", library, "-lvftrace_serial", f"-Wl,-rpath,{library}")
    # In memory like the kernel's own files, because a file system on disk would record each access time.
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        return measure_with(made_up_machine(pathlib.Path(folder)), program, scratch)


def measure_with(machine, program, scratch):
    empty = scratch / "empty_machine"
    empty.mkdir(exist_ok=True)
    report = {"VFTR_REGION_REPORT_ACTIVE": "yes"}
    variants = {"plain": {}, "report": {**report, "VFTR_ENERGY_SYSTEM_FILES": empty}}

    def run(*arguments, **variables):
        result = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True, check=True,
                                env=environment(VFTR_OUTPUT_DIRECTORY=scratch, **variables))
        return float(result.stdout)

    pairs = {variant: [] for variant in variants}
    for _ in range(TURNS):
        for variant, variables in variants.items():
            pairs[variant].append(run("pairs", PAIRS, **variables))
    print(f"\nns to enter and leave a region, median (minimum) of {TURNS} turns")
    for variant, values in pairs.items():
        print(f"{variant:<12} {statistics.median(values):>8.1f} ({min(values):.1f})")
    added = statistics.median(a - b for a, b in zip(pairs["report"], pairs["plain"]))

    # A program that marks a region, so that everything that is searched for is searched for.
    starts = {variant: [] for variant in variants}
    for _ in range(START_TURNS):
        for variant, variables in variants.items():
            begin = time.monotonic()
            starts[variant].append(1e3 * (run("main", **variables) - begin))
    print(f"\nms to main, median (minimum) of {START_TURNS} turns")
    for variant, values in starts.items():
        print(f"{variant:<12} {statistics.median(values):>8.2f} ({min(values):.2f})")
    start_ms = statistics.median(a - b for a, b in zip(starts["report"], starts["plain"]))

    counters = sorted(machine.glob("class/powercap/*/energy_uj"))
    shares, idle = [], []
    for _ in range(SAMPLER_TURNS):
        shares.append(100 * run("sampler", SECONDS, *counters, VFTR_REGION_REPORT_SIGNALS=SIGNALS, VFTR_ENERGY_SYSTEM_FILES=machine,
                                **report) / SECONDS)
        idle.append(100 * run("idle", SECONDS) / SECONDS)
    print(f"\n% of a processor, median (minimum) of {SAMPLER_TURNS} turns")
    for name, values in (("sampler, 8 signals, each 5 ms", shares), ("a thread that only wakes as often", idle)):
        print(f"{name:<34} {statistics.median(values):>6.3f} ({min(values):.3f})")
    return [row("regions/sampler-share", statistics.median(shares), GOAL_SHARE, "% of a processor, 8 signals at 5 ms"),
            row("regions/pair-ns", added, GOAL_PAIR_NS, "ns more to enter and leave a marked region"),
            row("regions/start-ms", start_ms, GOAL_START_MS, "ms more to main, all sources of signals absent")]
