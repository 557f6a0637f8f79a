"""What a thousand samples a second cost: two threads, 20 calls deep, without frame pointers."""
import os
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, row, skipped

TURNS = 31
ROUNDS = 10000  # about half a second a turn


def measure(build, scratch):
    if (os.cpu_count() or 1) < 2:
        return [skipped("sampling/1khz", "one processor")]
    program = compile_to(scratch / "sampled_depth", "gcc", "-O2", "-fomit-frame-pointer", "-pthread",
                         HERE / "sampled_depth.c")
    variants = {
        "plain": {},
        "library": {"LD_PRELOAD": build / ".libs" / "libvftrace_serial.so"},
        "sampled": {"LD_PRELOAD": build / ".libs" / "libvftrace_serial.so",
                    "VFTR_STACK_SAMPLING_FREQUENCY": "1000"},
    }
    seconds = {name: [] for name in variants}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for turn in range(TURNS):
            # Each comes first in turn.
            names = list(variants)
            for name in names[turn % 3:] + names[:turn % 3]:
                result = subprocess.run([program, str(ROUNDS)], cwd=folder, capture_output=True,
                                        text=True, check=True,
                                        env=environment(**variants[name]))
                seconds[name].append(float(result.stdout))

    print(f"\nseconds; median (minimum) of {TURNS} turns")
    for name, values in seconds.items():
        print(f"{name:<8} {statistics.median(values):>8.4f} ({min(values):.4f})")
    more = statistics.median(a / b for a, b in zip(seconds["sampled"], seconds["plain"])) - 1
    return [row("sampling/1khz", 100 * more, 1.0, "% run time, 1000 samples a second")]
