"""Roll calls: how long the grouping of a thousand recorded processes takes."""
import os
import shutil
import subprocess
import time

from common import HERE, compile_to, environment, row

PROCESSES = 1000
TURNS = 5


def record(program, folder, ours):
    """Leaves a tree file of each process, which kills itself deep in its calls."""
    trees = folder / "trees"
    trees.mkdir()
    variables = environment(LD_PRELOAD=ours, VFTR_TREE_FILE_DIRECTORY=trees,
                            VFTR_OVERHEAD_BUDGET="0")
    for first in range(0, PROCESSES, 50):
        running = [subprocess.Popen([str(program), str(number)], cwd=folder, env=variables)
                   for number in range(first, first + 50)]
        for process in running:
            process.wait()
    return trees


def measure(build, scratch):
    folder = scratch / "rollcall"
    shutil.rmtree(folder, ignore_errors=True)  # of an earlier run
    folder.mkdir()
    program = compile_to(folder / "dies_deep", "gcc", "-O1", "-fno-inline", "-finstrument-functions",
                         HERE / "dies_deep.c")
    trees = record(program, folder, build / ".libs" / "libvftrace_serial.so")
    found = len(list(trees.iterdir()))
    if found != PROCESSES:
        raise RuntimeError(f"{found} of {PROCESSES} processes have left a tree file")
    seconds = []
    for _ in range(TURNS):
        before, start = os.times(), time.monotonic()
        result = subprocess.run([str(build / "vftrace"), "rollcall", str(trees)], capture_output=True,
                                text=True, check=True)
        after = os.times()
        # Waiting for files counts; waiting for a processor that other programs use does not.
        used = after.children_user + after.children_system - before.children_user - \
            before.children_system
        seconds.append(max(used, min(used * 1.5, time.monotonic() - start)))
        if f"{PROCESSES} of {PROCESSES} ranks" not in result.stdout:
            raise RuntimeError(result.stdout)
    return [row("rollcall/1000", min(seconds), 1.0, "s for the files of 1000 recorded processes")]
