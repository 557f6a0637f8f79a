"""The cost of asynchronous tasks: awaiting a coroutine, a callback, an asio server, memory; and whether their times add up."""
import json
import pathlib
import statistics
import subprocess
import time

from common import HERE, compile_to, environment, median_ratio, row, skipped

TURNS, ECHO_TURNS = 15, 9
GOAL_AWAIT_NS, GOAL_CALLBACK_NS, GOAL_ECHO, GOAL_TYPE_BYTES, GOAL_CHAIN_MIB = 110, 120, 1.05, 1536, 100
GOAL_LOOP_PERCENT, GOAL_OWN_PERCENT = 1, 2
AWAITS, CALLBACKS, MESSAGES, TYPES, CHAIN = 1_000_000, 1_000_000, 100_000, 100_000, 100_000_000
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
    return rows + callbacks(scratch, ours) + loop(scratch, ours) + echo(scratch, ours)


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


def with_and_without(scratch, source, name, *flags):
    """The program without and with the include for asio."""
    return (compile_to(scratch / f"{name}_plain", *COMPILER, *flags, "-pthread", source),
            compile_to(scratch / name, *COMPILER, *flags, "-include", INCLUDE / "vftrace" / "asio.hpp", "-pthread", source))


def callbacks(scratch, ours):
    plain, tasks = with_and_without(scratch, HERE / "callback_cost.cpp", "callback_cost")
    times = {"plain": [], "tasks": []}
    for _ in range(TURNS):
        times["plain"].append(float(run([plain, CALLBACKS])))
        times["tasks"].append(float(run([tasks, CALLBACKS], **ours)))
    added = statistics.median(a - b for a, b in zip(times["tasks"], times["plain"]))
    print(f"\nns to post and call a handler, median of {TURNS} turns: "
          + ", ".join(f"{variant} {statistics.median(values):.1f}" for variant, values in times.items()))
    return [row("tasks/callback-ns", added, GOAL_CALLBACK_NS, "ns more to post and call a handler")]


def loop(scratch, ours):
    """The largest of several turns, because the figures must be right in each."""
    _, tasks = with_and_without(scratch, HERE.parent / "programs" / "asio_loop.cpp", "asio_loop")
    adds_up, own = [], []
    for turn in range(ECHO_TURNS):
        folder = scratch / f"asio_loop_{turn}"
        folder.mkdir()
        life, processor, in_handlers, processor_in_handlers = map(
            float, run([tasks], **{**ours, "VFTR_OUTPUT_DIRECTORY": folder}).split())
        profile, = folder.glob("*_all.json")
        found, = json.loads(profile.read_text())["task_loops"]
        outside = processor - processor_in_handlers
        adds_up.append(100 * abs(found["busy_ns"] / 1e6 + found["outside_ns"] / 1e6 - in_handlers - outside) / life)
        own.append(100 * abs(found["busy_ns"] / 1e6 - in_handlers) / in_handlers)
    print(f"\nA loop of asio with work outside its handlers, largest of {ECHO_TURNS} turns: tasks, outside and idle time add up to "
          f"its life within {max(adds_up):.2f} %, own time to that measured in the handlers within {max(own):.2f} %")
    return [row("tasks/loop-percent", max(adds_up), GOAL_LOOP_PERCENT, "% of a loop's life that is attributed wrongly"),
            row("tasks/own-percent", max(own), GOAL_OWN_PERCENT, "% by which own time differs from that measured around handlers")]


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
    plain, tasks = with_and_without(scratch, source, "asio_echo")
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
