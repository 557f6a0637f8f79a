"""What watching costs: the reader's share of a processor, and what the watched program notices of it."""
import os
import resource
import signal
import statistics
import subprocess
import tempfile
import time

from common import HERE, compile_to, environment, median_ratio, row

PATHS, PROCESSES, SECONDS, TURNS = 10_000, 64, 10, 12
GOAL_SHARE_OF_MANY, GOAL_SHARE_OF_ONE, GOAL_SLOWDOWN = 5, 0.2, 1.005


def start(program, count, build, folder):
    """Processes that go through their paths again and again, without using up the processors."""
    ours = {"LD_PRELOAD": build / ".libs" / "libvftrace_serial.so", "VFTR_OVERHEAD_BUDGET": 0,
            "VFTR_TREE_FILE_DIRECTORY": folder, "VFTR_LOGFILE_FOR_RANKS": "none"}
    processes = [subprocess.Popen([program, str(PATHS), "1000000"], cwd=folder, env=environment(**ours),
                                  stdout=subprocess.PIPE) for _ in range(count)]
    for process in processes:
        process.stdout.readline()  # all paths are there
    return processes


def stop(processes):
    for process in processes:
        process.send_signal(signal.SIGKILL)
        process.communicate()


def reader_seconds(build, program, intervals):
    """Processor time of a reader that looks so many times."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([build / "vftrace", "top", os.path.basename(program), "--batch", str(intervals)],
                   check=True, stdout=subprocess.DEVNULL, env=environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def share(build, program, folder, count):
    """Per cent of one processor, once per second: what the beginning takes is taken out."""
    processes = start(program, count, build, folder)
    try:
        short = reader_seconds(build, program, 1)
        return 100 * (reader_seconds(build, program, 1 + SECONDS) - short) / SECONDS
    finally:
        stop(processes)


def slowdown(build, program, folder):
    """Processor time of the same work, watched once a second and not: pairs in alternating order, so that neither is
    always the one that comes after the other; all else is the same for both."""
    times = {"watched": [], "alone": []}
    for turn in range(TURNS):
        for variant in ("watched", "alone") if turn % 2 == 0 else ("alone", "watched"):
            process, = start(program, 1, build, folder)
            watcher = None
            if variant == "watched":
                watcher = subprocess.Popen([build / "vftrace", "top", str(process.pid), "--batch", "1000"],
                                           stdout=subprocess.DEVNULL, env=environment())
            time.sleep(0.5)
            process.send_signal(signal.SIGUSR1)  # works for a while, and says how long that took
            times[variant].append(float(process.stdout.readline()))
            stop([process])
            if watcher:
                watcher.wait()
    return median_ratio(times, "watched", "alone"), statistics.median(times["alone"])


def measure(build, scratch):
    program = compile_to(scratch / "watched_paths", "gcc", "-O2", "-finstrument-functions", HERE / "watched_paths.c")
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        many = share(build, program, folder, PROCESSES)
        one = share(build, program, folder, 1)
        ratio, seconds = slowdown(build, program, folder)
    print(f"\nreader's share of a processor: {many:.2f} % for {PROCESSES} processes of {PATHS} paths, {one:.3f} % for "
          f"one; {seconds:.2f} s of work are {ratio:.4f} x as long while they are watched")
    return [row("top/reader-share", many, GOAL_SHARE_OF_MANY, f"% of a processor, {PROCESSES} processes"),
            row("top/reader-share-of-one", one, GOAL_SHARE_OF_ONE, "% of a processor"),
            row("top/slowdown", ratio, GOAL_SLOWDOWN, "x processor time of the watched program")]
