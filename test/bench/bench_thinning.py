"""The cost of a thinned call and of one whose hooks have been removed, compared with empty hooks and with none."""
import platform
import statistics
import tempfile

from bench_calls import build_programs, run_once
from common import median_ratio, row, skipped

TURNS = 21
SECONDS = 0.02  # per shape and turn
SHAPES = ("leaf", "nest")


def measure(build, scratch):
    if platform.machine() != "x86_64":
        return [skipped(name, "hooks are overwritten on x86-64 only")
                for name in ("thin/leaf", "thin/nest", "patched/leaf-ns")]
    plain, hooked, empty, _ = build_programs(scratch)
    ours = {"LD_PRELOAD": build / ".libs" / "libvftrace.so"}
    variants = {
        "plain": (plain, {}),
        "empty hooks": (hooked, {"LD_PRELOAD": empty}),
        "thinned": (hooked, {**ours, "VFTR_TIMING": "auto", "VFTR_OVERHEAD_BUDGET": "0"}),
        "taken out": (hooked, {**ours, "VFTR_FILTER_EXCLUDE": "."}),
    }
    times = {(variant, shape): [] for variant in variants for shape in SHAPES}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for _ in range(TURNS):
            for variant, (program, variables) in variants.items():
                found = run_once([program, SECONDS], folder, **variables)
                for shape in SHAPES:
                    times[variant, shape].append(found[shape])

    print(f"\nns per call, entry and exit; median (minimum) of {TURNS} turns")
    for variant in variants:
        print(f"{variant:<12}" + "".join(
            f"{shape:>8} {statistics.median(times[variant, shape]):>7.2f} "
            f"({min(times[variant, shape]):.2f})" for shape in SHAPES))
    rows = [row(f"thin/{shape}", median_ratio(times, ("thinned", shape), ("empty hooks", shape)),
                1.35, "x empty hooks") for shape in SHAPES]
    added = statistics.median(a - b for a, b in zip(times["taken out", "leaf"],
                                                    times["plain", "leaf"]))
    return [*rows, row("patched/leaf-ns", added, 1.0, "ns more than without hooks")]
