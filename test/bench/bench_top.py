"""The cost of watching: the reader's share of a processor, and the effect on the watched
program."""
import os
import resource
import signal
import statistics
import subprocess
import tempfile
import time

from common import HERE, compile_to, environment, median_ratio, row

PATHS, PROCESSES, SECONDS, TURNS = 10_000, 64, 10, 30
GOAL_SHARE_OF_MANY, GOAL_SHARE_OF_ONE, GOAL_SLOWDOWN = 5, 0.2, 1.005


def start(program, count, build, folder):
    """Processes that go through their paths again and again, without using up the processors."""
    ours = {"LD_PRELOAD": build / ".libs" / "libvftrace_serial.so", "VFTR_OVERHEAD_BUDGET": 0,
            "VFTR_TREE_FILE_DIRECTORY": folder, "VFTR_LOGFILE_FOR_RANKS": "none"}
    processes = [subprocess.Popen([program, str(PATHS), "1000000"], cwd=folder, env=environment(**ours),
                                  stdout=subprocess.PIPE) for _ in range(count)]
    for process in processes:
        process.stdout.readline()  # all paths have been created
    return processes


def stop(processes):
    for process in processes:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def reader_seconds(build, program, intervals):
    """Processor time of a reader that refreshes this many times."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([build / "vftrace", "top", os.path.basename(program), "--batch", str(intervals)],
                   check=True, stdout=subprocess.DEVNULL, env=environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def share(build, program, folder, count):
    """Per cent of one processor when refreshing once per second, without the start."""
    processes = start(program, count, build, folder)
    try:
        short = reader_seconds(build, program, 1)
        return 100 * (reader_seconds(build, program, 1 + SECONDS) - short) / SECONDS
    finally:
        stop(processes)


def work(process):
    """The processor time of each part of the work of a program."""
    process.send_signal(signal.SIGUSR1)
    return [float(word) for word in process.stdout.readline().split()]


def mean_of_undisturbed(parts, limit):
    """Other programs on the machine make some parts take several times as long; a reader that runs for half a
    millisecond per second cannot. Such parts count as the limit."""
    return statistics.mean(min(part, limit) for part in parts)


def slowdown(build, program, folder):
    """Processor time of the same work in one process, watched once a second and with the watcher stopped, in
    alternating order. Compared within one process because processes differ by several per cent, depending on where
    their memory is."""
    process, = start(program, 1, build, folder)
    watcher = subprocess.Popen([build / "vftrace", "top", str(process.pid), "--batch", "1000000"],
                               stdout=subprocess.DEVNULL, env=environment())
    times = {"watched": [], "alone": []}
    try:
        time.sleep(1.5)  # the reader has read everything once
        for turn in range(TURNS):
            parts = {}
            for variant in ("watched", "alone") if turn % 2 == 0 else ("alone", "watched"):
                watcher.send_signal(signal.SIGCONT if variant == "watched" else signal.SIGSTOP)
                parts[variant] = work(process)
            limit = 1.25 * statistics.median(parts["watched"] + parts["alone"])
            for variant, seconds in parts.items():
                times[variant].append(mean_of_undisturbed(seconds, limit))
    finally:
        watcher.kill()
        watcher.wait()
        stop([process])
    return median_ratio(times, "watched", "alone")


def measure(build, scratch):
    program = compile_to(scratch / "watched_paths", "gcc", "-O2", "-finstrument-functions", HERE / "watched_paths.c")
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        many = share(build, program, folder, PROCESSES)
        one = share(build, program, folder, 1)
        ratio = slowdown(build, program, folder)
    print(f"\nreader's share of a processor: {many:.2f} % for {PROCESSES} processes of {PATHS} paths, {one:.3f} % for "
          f"one; a watched program takes {ratio:.4f} x its processor time")
    return [row("top/reader-share", many, GOAL_SHARE_OF_MANY, f"% of a processor, {PROCESSES} processes"),
            row("top/reader-share-of-one", one, GOAL_SHARE_OF_ONE, "% of a processor"),
            row("top/slowdown", ratio, GOAL_SLOWDOWN, "x processor time of the watched program")]
