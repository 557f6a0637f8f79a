"""Profiles from which test_page.py and bench_page.py make pages: call trees of any size, with any
number of ranks."""
import json
import random


HOST_RANKS = 16


def write_profile(file, paths, ranks=1, *, functions=500, valued_paths=0, seed=1, slow_rank=None, scale=1.0, messages=False, threads=1, more=None):
    """A profile of `paths` call paths. `valued_paths`: how many have values of each rank.
    `slow_rank` takes 1.5 times as long as the others. All times are multiplied by `scale`. `more`:
    a function that receives what this one returns, and returns further members of the profile; its
    "run" is added to that of the profile, its "functions" and "node_metrics" are indexed by
    number."""
    chance = random.Random(seed)
    names = ["init", "main"] + [f"solver::phase_{i % 17}::kernel_{i}(double*, int)" for i in range(max(0, functions - 4))] + [
        "MPI_Allreduce", "MPI_Send"]
    kinds = ["root"] + ["function"] * (len(names) - 3) + ["mpi", "mpi"]
    parents, own = [None, 0], [1000, 100_000]
    used, depth = [0, 1], [0, 1]
    children = set()
    while len(parents) < paths:
        # Mostly below one of the last paths, so that trees are deep and bushy.
        parent = len(parents) - 1 - min(len(parents) - 2, int(chance.expovariate(0.02)))
        while depth[parent] > 40:
            parent = chance.randrange(1, parent)
        function = chance.randrange(2, len(names))
        if used[parent] >= len(names) - 2 or (parent, function) in children:
            parent = chance.randrange(1, len(parents))
            if used[parent] >= len(names) - 2 or (parent, function) in children:
                continue
        children.add((parent, function))
        parents.append(parent)
        used.append(function)
        depth.append(depth[parent] + 1)
        own.append(int(chance.lognormvariate(11, 2.5) * scale))
    paths = len(parents)
    inclusive = own[:]
    for i in range(paths - 1, 0, -1):
        inclusive[parents[i]] += inclusive[i]
    run_ns = max(1, inclusive[0] // (ranks * threads))
    made = {"names": names, "own": own, "inclusive": inclusive, "used": used, "parents": parents, "ranks": ranks, "run_ns": run_ns}
    further = more(made) if more else {}
    of_functions, node_metrics = further.pop("functions", {}), further.pop("node_metrics", {})
    with open(file, "w") as out:
        run = {"application": "made", "command_line": "made --size 9", "host": "node01", "pid": 17, "uses_mpi": ranks > 1,
               "rank": 0, "ranks": ranks, "threads": threads, "start_unix_ns": 1790000000_000000000, "end_unix_ns": 1790000000_000000000 + run_ns,
               "runtime_ns": run_ns, "application_ns": run_ns, "paused_ns": 0, "overhead": [], "memory_bytes": 200 * paths, "warnings": [],
               "config_source": "", **further.pop("run", {})}
        out.write('{"format": "vftrace-profile", "version": 1, "generator": "made", "run": ')
        json.dump(run, out)
        out.write(', "config": null, "modules": [{"path": "/home/someone/bin/made"}], "functions": [\n')
        out.write(",\n".join(json.dumps({"kind": kind, "name": name, "display": name, **({"symbol": name, "module": 0, "offset": "%x" % (64 * i)}
                                                                                        if kind == "function" else {}), **of_functions.get(i, {})})
                             for i, (name, kind) in enumerate(zip(names, kinds))))
        out.write('], "metrics": %s, "nodes": [\n' % json.dumps(further.pop("metrics", [])))
        # Most paths have few calls, as in real programs.
        for i in range(paths):
            if i:
                out.write(",\n")
            parent = "null" if parents[i] is None else parents[i]
            spread = ', "metrics": ' + json.dumps(node_metrics[i]) if i in node_metrics else ""
            if ranks > 1:
                mean = own[i] // ranks
                spread += ', "ranks": {"count": %d, "min_rank": 0, "min_ns": %d, "max_rank": %d, "max_ns": %d}' % (
                    ranks, mean // 2, ranks - 1 if slow_rank is None else slow_rank, mean + mean // 2)
            out.write('{"id": %d, "parent": %s, "function": %d, "stid": %d, "hash": "%016x", "calls": %d, "inclusive_ns": %d, '
                      '"exclusive_ns": %d, "overhead_ns": 0%s}' % (i, parent, used[i], i, i * 0x9e3779b97f4a7c15 % 2**64,
                                                                   int(chance.paretovariate(0.7)) % 10**7 + 1, inclusive[i], own[i], spread))
        out.write("]")
        if ranks > 1:
            rank = {"pid": 5, "threads": threads, "runtime_ns": run_ns, "overhead_ns": 0, "memory_bytes": 4096, "calls": 9, "mpi_calls": 3}
            out.write(', "ranks": [\n' + ",\n".join(json.dumps({"rank": r, "host": f"node{r // HOST_RANKS:02}", "mpi_ns": run_ns // (3 if r != slow_rank else 30), **rank})
                                                    for r in range(ranks)) + "]")
        if valued_paths:
            hottest = sorted(sorted(range(paths), key=lambda i: -own[i])[:valued_paths])
            out.write(', "rank_values": [\n')
            for place, i in enumerate(hottest):
                mean = own[i] / ranks
                values = [int(mean * chance.uniform(0.9, 1.1) * (1.5 if r == slow_rank else 1.0)) for r in range(ranks)]
                bins = {}
                for value in values:
                    bins[value.bit_length()] = bins.get(value.bit_length(), 0) + 1
                row = {"node": i, "calls": [100] * ranks, "exclusive_ns": values,
                       "histogram": [[0 if b == 0 else 2**(b - 1), bins[b]] for b in sorted(bins)]}
                out.write((",\n" if place else "") + json.dumps(row, separators=(",", ":")))
            out.write("]")
        if messages:
            mpi = next(i for i in range(paths) if names[used[i]].startswith("MPI_Send"))
            rows = [{"rank": r, "peer": (r + step) % ranks, "node": mpi, "sent": {"messages": 100, "bytes": 8192 * (r + 1), "time_ns": 10**6, "bandwidth_sum": 1e9}}
                    for r in range(ranks) for step in (1, ranks - 1)]
            rows = sorted({(row["rank"], row["peer"]): row for row in rows}.values(), key=lambda row: (row["rank"], row["peer"]))
            out.write(', "communication": ' + json.dumps(rows))
        for key, value in further.items():
            out.write(f', "{key}": {json.dumps(value)}')
        out.write("}\n")
    return made

