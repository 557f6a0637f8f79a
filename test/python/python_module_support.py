"""What the tests of the Python module share: the module itself, profiles to read, and all that can be asked of one."""
import gzip
import os
import random
import sys

from support import COMMAND, HERE, SOURCE, some_of

MODULE = SOURCE / "python"
sys.path.insert(0, str(MODULE))
os.environ["VFTRACE_COMMAND"] = str(COMMAND)  # for Profile.report() and similar

import vftrace  # noqa: E402

FOUR_RANKS = HERE / "profiles" / "halo_4_ranks.json"
THREADS = HERE / "profiles" / "threads.json"
CORPUS = sorted((HERE / "corpus").glob("*.json.gz"))


def corpus(folder, few):
    """Recorded profiles of many kinds of programs, as files that the command reads."""
    for packed in some_of(CORPUS, few):
        path = folder / packed.name[:-3]
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        yield path


def everything(profile):
    """Calls all that needs no other package and no command. Returns the text of it."""
    made = [repr(profile), repr(profile.run), repr(profile.quality), profile.run.parameters, profile.run.options, profile.run.ended]
    for name in profile.tables:
        table = profile.table(name)
        made += [repr(table), table.to_csv(), table.text(), table._repr_html_(), list(table.head(3))]
    made += [profile.series, profile.to_literal()]
    for figure in ("calls", "exclusive_ns"):
        made.append(vftrace.profile.ranks.by_rank(profile.core, figure))
    for by in ("function", "path"):
        made.append(profile.compare(profile, by=by, threshold=5).to_csv())
    for by in ("time", "calls", "samples"):
        made.append(profile.flame_graph(by=by))
    return [*made, profile._repr_html_()]


def generated(seed, paths=60, functions=20, **run):
    """A profile with random figures: (document, calls by function, nanoseconds by function)."""
    random_ = random.Random(seed)
    names = ["init", *(f"f{i}" for i in range(1, functions))]
    document = {
        "format": "vftrace-profile", "version": 1, "generator": "a test",
        "run": {"application": "made", "command_line": "./made", "host": "node", "pid": 1, "uses_mpi": False, "rank": 0, "ranks": 1,
                "threads": 1, "start": "2026-11-21T01:32:50.123456789Z", "end": "2026-11-21T01:32:52.223456789Z",
                "start_unix_ns": 1795224770123456789, "end_unix_ns": 1795224772223456789, "runtime_ns": 2100000000 + seed,
                "application_ns": 2000000000, "paused_ns": 0, "overhead": [], "memory_bytes": 1, "warnings": [],
                "parameters": [{"name": "seed", "value": seed}], "config_source": "", **run},
        "config": None, "modules": [], "metrics": [],
        "functions": [{"kind": "function" if i else "root", "name": name, "display": name} for i, name in enumerate(names)],
        "nodes": [{"id": 0, "parent": None, "function": 0, "stid": 0, "hash": f"{seed:08x}{0:08x}", "calls": 0, "inclusive_ns": 0,
                   "exclusive_ns": 0, "overhead_ns": 0}],
    }
    calls, times = {}, {}
    for i in range(1, paths):
        function, count, ns = random_.randrange(1, functions), random_.randrange(1, 1000), random_.randrange(10 ** 9)
        document["nodes"].append({"id": i, "parent": random_.randrange(i), "function": function, "stid": i,
                                  "hash": f"{i:08x}{seed:08x}", "calls": count, "inclusive_ns": 2 * ns, "exclusive_ns": ns,
                                  "overhead_ns": 0})
        calls[names[function]] = calls.get(names[function], 0) + count
        times[names[function]] = times.get(names[function], 0) + ns
    return document, calls, times
