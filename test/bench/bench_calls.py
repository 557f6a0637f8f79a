"""The cost of a call: plain, with empty hooks, with two timer reads, with vftrace on, off, paused and
not switched on yet (start=off)."""
import platform
import shutil
import statistics
import subprocess
import tempfile

from common import HERE, compile_to, environment, row, skipped

TURNS = 21
SECONDS = 0.02  # per shape and turn
EVERY_CALL = {"VFTR_TIMING": "exact", "VFTR_OVERHEAD_BUDGET": "0"}
SHAPES = ["leaf", "fib", "nest", "one-callee", "1000-callees"]


def build_programs(scratch):
    empty = compile_to(scratch / "libempty.so", "gcc", "-O2", "-w", "-shared", "-fPIC",
                       HERE / "empty_hooks.c")
    timer = compile_to(scratch / "libtimer.so", "gcc", "-O2", "-w", "-DTIMER", "-shared", "-fPIC",
                       HERE / "empty_hooks.c")
    source = HERE / "shapes.cpp"
    plain = compile_to(scratch / "shapes_plain", "g++", "-std=c++20", "-O2", source)
    hooked = compile_to(scratch / "shapes_hooked", "g++", "-std=c++20", "-O2", source,
                        "-finstrument-functions",
                        "-finstrument-functions-exclude-file-list=/usr/include")
    return plain, hooked, empty, timer


def run_once(command, folder, **variables):
    result = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True,
                            text=True, check=True, env=environment(**variables))
    values = {}
    for line in result.stdout.splitlines():
        name, _, value = line.rpartition(" ")
        if name in SHAPES:
            values[name] = float(value)
    return values


def measure(build, scratch):
    plain, hooked, empty, timer = build_programs(scratch)
    ours = build / ".libs" / "libvftrace.so"
    variants = {
        "plain": ([plain, SECONDS], {}),
        "vftrace off": ([hooked, SECONDS], {"LD_PRELOAD": ours, "VFTR_OFF": "yes"}),
        "empty hooks": ([hooked, SECONDS], {"LD_PRELOAD": empty}),
        "vftrace paused": ([hooked, SECONDS, "pause"], {"LD_PRELOAD": ours}),
        "vftrace start-off": ([hooked, SECONDS], {"LD_PRELOAD": ours, "VFTR_START": "off"}),
        "hooks + 2 timer reads": ([hooked, SECONDS], {"LD_PRELOAD": timer}),
        "vftrace": ([hooked, SECONDS], {"LD_PRELOAD": ours, **EVERY_CALL}),
    }
    if shutil.which("uftrace"):
        variants["uftrace"] = (["uftrace", "record", "--no-pager", "--no-event", "-d", "uftrace",
                                hooked, SECONDS / 4], {})
    times = {variant: {shape: [] for shape in SHAPES} for variant in variants}
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        for turn in range(TURNS):
            for variant, (command, variables) in variants.items():
                if variant == "uftrace" and turn % 5:
                    continue  # tracing writes every call to disk
                for shape, value in run_once(command, folder, **variables).items():
                    times[variant][shape].append(value)

    def median(variant, shape):
        return statistics.median(times[variant][shape])

    def ratio(variant, base, shape):
        # Compares neighbours within a turn: a processor whose twin is busy is slower for both.
        return statistics.median(a / b for a, b in zip(times[variant][shape], times[base][shape]))

    print(f"\nns per call, entry and exit; median (minimum) of {TURNS} turns")
    print(f"{'':<24}" + "".join(f"{shape:>18}" for shape in SHAPES))
    for variant in variants:
        print(f"{variant:<24}" + "".join(
            f"{median(variant, shape):>10.2f} ({min(times[variant][shape]):.2f})".rjust(18)
            for shape in SHAPES))

    rows = [row(f"exact/{shape}", ratio("vftrace", "hooks + 2 timer reads", shape),
                1.15, "x (empty hooks + 2 timer reads)") for shape in ("leaf", "fib", "nest")]
    added = {shape: median("vftrace", shape) - median("plain", shape)
             for shape in ("1000-callees", "one-callee")}
    rows.append(row("exact/1000-callees", added["1000-callees"] / added["one-callee"], 1.5,
                    "x one callee, plain call subtracted"))
    for state in ("off", "paused", "start-off"):
        rows.append(row(state, max(ratio(f"vftrace {state}", "empty hooks", shape)
                                   for shape in ("leaf", "fib", "nest")), 1.3, "x empty hooks (worst shape)"))
    if platform.machine() != "x86_64":
        rows = [skipped(row["name"], "timer reads are known for x86-64 only") for row in rows]
    return rows
