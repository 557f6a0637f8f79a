"""How long the Python module takes to read thousands of profiles into one table, with the standard JSON reader or, if it is
installed, the faster one. The files are in the page cache."""
import gc
import os
import random
import shutil
import sys
import time

from common import HERE, row

PROFILES, DIFFERENT, PATHS, FUNCTIONS = 12_916, 500, 500, 120
GOAL_SECONDS = 10
TURNS = 3

RUN = """{
  "format": "vftrace-profile",
  "version": 1,
  "generator": "vftrace 3.0.0",
  "run": {"application": "heat", "command_line": "./heat --cells %d", "host": "node17", "pid": 4711, "uses_mpi": false, "rank": 0,
    "ranks": 1, "threads": 1, "start": "2026-11-21T01:32:50.123456789Z", "end": "2026-11-21T01:32:50.343456789Z",
    "start_unix_ns": 1795224770123456789, "end_unix_ns": 1795224770343456789, "runtime_ns": 220000000, "application_ns": 168000000,
    "paused_ns": 0, "overhead": [], "memory_bytes": 73226, "warnings": [], "parameters": [{"name": "cells", "value": %d}],
    "config_source": ""},
  "config": {"off": false},
  "modules": [{"path": "/home/user/heat", "build_id": "0123456789abcdef"}],
  "metrics": [],
  "functions": [
%s
  ],
  "nodes": [
%s
  ]
}
"""
FUNCTION = ('    {"kind": "function", "name": "_ZN4Grid4step%dEv", "display": "Grid::step%d", "symbol": "_ZN4Grid4step%dEv", '
            '"demangled": "Grid::step%d()", "module": 0, "offset": "%x", "file": "/home/user/src/grid.cpp", "line": %d}')
NODE = ('    {"id": %d, "parent": %s, "function": %d, "stid": %d, "hash": "%016x", "calls": %d, "inclusive_ns": %d, "exclusive_ns": %d, '
        '"overhead_ns": %d, "raw_inclusive_ns": %d, "raw_exclusive_ns": %d, "exclusive_error_ns": %d}')


def profile(seed):
    """The text of a profile, and the sum of its exclusive times."""
    random_ = random.Random(seed)
    functions = ['    {"kind": "root", "name": "init", "display": "init"}']
    functions += [FUNCTION % (i, i, i, i, 4096 + 64 * i, 3 * i) for i in range(1, FUNCTIONS)]
    nodes = [NODE % (0, "null", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)]
    whole = 0
    for i in range(1, PATHS):
        ns, calls = random_.randrange(10 ** 9), random_.randrange(1, 10 ** 5)
        whole += ns
        nodes.append(NODE % (i, random_.randrange(max(0, i - 8), i), random_.randrange(1, FUNCTIONS), i, random_.getrandbits(64), calls,
                             2 * ns, ns, 10 * calls, 2 * ns + 10 * calls, ns + 5 * calls, calls))
    return RUN % (seed, seed, ",\n".join(functions), ",\n".join(nodes)), whole


def measure(build, scratch):
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    import vftrace
    folder = scratch / "many_profiles"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    names, sums = [], []
    for i in range(PROFILES):
        names.append(folder / f"run{i:05}_all.json")
        if i < DIFFERENT:
            text, ns = profile(i)
            names[i].write_text(text)
        else:
            ns = sums[i % DIFFERENT]
            os.link(names[i % DIFFERENT], names[i])
        sums.append(ns)
    taken = []
    for _ in range(TURNS):
        gc.collect()
        start = time.perf_counter()
        runs = vftrace.read_many(names)
        taken.append(time.perf_counter() - start)
        assert (len(runs), len(runs.table), sum(runs.table["exclusive_ns"])) == (PROFILES, PROFILES * PATHS, sum(sums)), runs
    parser = "json" if vftrace.document.orjson is None else "orjson"
    print(f"\n{PROFILES:,} profiles of {PATHS} call paths with {parser}: fastest of {TURNS} turns {min(taken):.2f} s")
    shutil.rmtree(folder)
    return [row("python/read_many", min(taken), GOAL_SECONDS, f"s to read {PROFILES:,} profiles of {PATHS} call paths")]
