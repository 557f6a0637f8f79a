"""What counting allocations adds to malloc and free, with and without the library and its hooks."""
import statistics
import subprocess

from common import HERE, compile_to, environment, row

TURNS = 31
GOAL = 8


def ns_of_shapes(program, **variables):
    """{shape: ns per malloc and its free}"""
    result = subprocess.run([program], env=environment(**variables), check=True, capture_output=True, text=True)
    return {shape: float(ns) for shape, ns in map(str.split, result.stdout.splitlines())}


def measure(build, scratch):
    program = compile_to(scratch / "allocations", "gcc", "-O2", HERE / "allocations.c")
    counting = build / ".libs" / "libvftrace_allocations.so"
    library = build / ".libs" / "libvftrace_serial.so"
    variants = {"alone": {}, "counted": {"LD_PRELOAD": counting},
                "alone, profiled": {"LD_PRELOAD": library},
                "counted, profiled": {"LD_PRELOAD": f"{library}:{counting}"}}
    times = {name: [] for name in variants}
    for _ in range(TURNS):
        for name, variables in variants.items():
            times[name].append(ns_of_shapes(program, **variables))

    print(f"\nns a malloc and its free, median (minimum) of {TURNS} turns")
    for name, turns in times.items():
        print(f"{name:<18}" + "".join(
            f"{shape:>10} {statistics.median(turn[shape] for turn in turns):>6.2f} "
            f"({min(turn[shape] for turn in turns):.2f})" for shape in turns[0]))

    def added(shape, kind):
        return statistics.median(counted[shape] - alone[shape] for counted, alone in
                                 zip(times["counted" + kind], times["alone" + kind]))

    worst = max((added(shape, kind), shape + kind) for shape in times["alone"][0] for kind in ("", ", profiled"))
    return [row("sections/malloc-free-ns", worst[0], GOAL, f"ns more a malloc and its free (worst: {worst[1]})")]
