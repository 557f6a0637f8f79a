"""The cost of a thousand samples per second: two threads, 20 calls deep, without frame pointers.

Most of it is in the kernel: an interrupt and a signal, several microseconds each on virtual
processors. With `event` and `signal` the program itself does the part that all sampling needs, and
the second row shows what the library adds to that. Times are run times minus the waiting for a
processor, to reduce the influence of other work on the machine; they include interrupts."""
import os
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, median_ratio, row, skipped

TURNS = 21
ROUNDS = 20000  # about half a second per turn


def measure(build, scratch):
    if (os.cpu_count() or 1) < 2:
        return [skipped(name, "one processor") for name in ("sampling/1khz", "sampling/default", "sampling/handler")]
    program = compile_to(scratch / "sampled_depth", "gcc", "-O2", "-fomit-frame-pointer", "-pthread",
                         HERE / "sampled_depth.c")
    library = {"LD_PRELOAD": build / ".libs" / "libvftrace_serial.so"}
    variants = {
        "plain": ([], {}),
        "library": ([], library),
        "event": (["event"], {}),
        "signal": (["signal"], {}),
        "sampled": ([], {**library, "VFTR_STACK_SAMPLING_FREQUENCY": "1000"}),
        "default": ([], {**library, "VFTR_STACK_SAMPLING_FREQUENCY": "1000",
                         "VFTR_STACK_SAMPLING_MAX_COST": "1"}),
    }
    allowed = subprocess.run([program, "1", "signal"], capture_output=True).returncode == 0
    if not allowed:
        del variants["event"], variants["signal"]
    seconds = {name: [] for name in variants}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for turn in range(TURNS):
            # Each variant comes first in turn.
            names = list(variants)
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                arguments, variables = variants[name]
                result = subprocess.run([program, str(ROUNDS), *arguments], cwd=folder,
                                        capture_output=True, text=True, check=True,
                                        env=environment(**variables))
                seconds[name].append(float(result.stdout))

    def more(name, base):
        return 100 * (median_ratio(seconds, name, base) - 1)

    print(f"\nseconds; median (minimum) of {TURNS} turns, and % more than plain")
    for name, values in seconds.items():
        print(f"{name:<8} {statistics.median(values):>8.4f} ({min(values):.4f}) "
              f"{more(name, 'plain'):>+6.2f}")
    rows = [row("sampling/1khz", more("sampled", "plain"), 1.0,
                "% run time, 1000 samples a second"),
            row("sampling/default", more("default", "plain"), 1.0,
                "% run time, as vftrace run --sample takes them")]
    if allowed:
        rows.append(row("sampling/handler", more("sampled", "signal"), 0.5,
                        "% run time, of it what an empty handler does not cost"))
    else:
        rows.append(skipped("sampling/handler", "perf_event_open is not allowed"))
    return rows
