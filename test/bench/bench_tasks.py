"""The cost of asynchronous tasks: awaiting a coroutine, an asio server, memory."""
import pathlib
import statistics
import subprocess
import time

from common import HERE, compile_to, environment, median_ratio, row, skipped

TURNS, ECHO_TURNS = 15, 9
GOAL_AWAIT_NS, GOAL_ECHO, GOAL_TYPE_BYTES, GOAL_CHAIN_MIB = 110, 1.05, 512, 100
AWAITS, MESSAGES, TYPES, CHAIN = 1_000_000, 100_000, 100_000, 100_000_000
INCLUDE = HERE.parent.parent / "include"
COMPILER = ("g++", "-std=c++20", "-O2", "-I", INCLUDE)


def run(command, **variables):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True,
                            env=environment(**variables))
    return result.stdout


def timed(command, **variables):
    begin = time.perf_counter()
    run(command, **variables)
    return time.perf_counter() - begin


def measure(build, scratch):
    ours = {"LD_PRELOAD": build / ".libs" / "libvftrace_serial.so", "VFTR_OUTPUT_DIRECTORY": scratch}
    plain = compile_to(scratch / "task_cost_plain", *COMPILER, HERE / "task_cost.cpp")
    tasks = compile_to(scratch / "task_cost", *COMPILER, "-DWITH_TASKS", HERE / "task_cost.cpp")
    rows = awaiting(plain, tasks, ours) + memory(tasks, ours)
    if not pathlib.Path("/usr/include/asio.hpp").exists():
        return rows + [skipped("tasks/asio-echo", "asio is not installed")]
    return rows + echo(scratch, ours)


def awaiting(plain, tasks, ours):
    variants = {"plain": (plain, {}), "no library": (tasks, {}), "tasks": (tasks, ours)}
    times = {variant: [] for variant in variants}
    for _ in range(TURNS):
        for variant, (program, variables) in variants.items():
            times[variant].append(float(run([program, "await", AWAITS], **variables)))
    print(f"\nns to await a coroutine that does nothing, median (minimum) of {TURNS} turns")
    for variant, values in times.items():
        print(f"{variant:<12} {statistics.median(values):>8.1f} ({min(values):.1f})")
    added = statistics.median(a - b for a, b in zip(times["tasks"], times["plain"]))
    return [row("tasks/await-ns", added, GOAL_AWAIT_NS, "ns more to await a coroutine that does nothing")]


def memory(program, ours):
    ours = {**ours, "VFTR_TASK_SNAPSHOT_INTERVAL": "0", "VFTR_TASK_MAX_TYPES": str(2 * TYPES)}
    types = float(run([program, "types", TYPES], **ours))
    begin = time.perf_counter()
    chain = float(run([program, "chain", CHAIN], **ours))
    print(f"\n{CHAIN} tasks that create each other: {time.perf_counter() - begin:.1f} s")
    return [row("tasks/memory-bytes", types, GOAL_TYPE_BYTES, "bytes a type of tasks and path"),
            row("tasks/chain-mib", chain, GOAL_CHAIN_MIB, "MiB of a program after 10^8 tasks in a chain")]


def echo(scratch, ours):
    source = HERE.parent / "programs" / "asio_echo.cpp"
    plain = compile_to(scratch / "asio_echo_plain", *COMPILER, "-pthread", source)
    tasks = compile_to(scratch / "asio_echo", *COMPILER, "-include", INCLUDE / "vftrace" / "asio.hpp", "-pthread", source)
    variants = {"plain": (plain, {}), "tasks": (tasks, ours)}
    ratios = []
    for how, threads in (("a thread each", 0), ("both in one thread, which never waits", 1)):
        times = {variant: [] for variant in variants}
        for _ in range(ECHO_TURNS):
            for variant, (program, variables) in variants.items():
                times[variant].append(timed([program, MESSAGES, threads], **variables))
        ratios.append(median_ratio(times, "tasks", "plain"))
        print(f"\nA server and a client of asio, {how}: s for {MESSAGES} messages there and back, median (minimum) of "
              f"{ECHO_TURNS} turns; {ratios[-1]:.3f} x")
        for variant, values in times.items():
            print(f"{variant:<12} {statistics.median(values):>8.3f} ({min(values):.3f})")
    return [row("tasks/asio-echo", ratios[0], GOAL_ECHO, "x a server and a client of asio, a thread each")]
