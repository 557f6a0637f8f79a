"""Synthetic profiles of runs at given values of parameters, with times from formulas plus noise."""
import json
import random


def run_profile(parameters, paths, *, ranks=1, threads=1, application="heat", number=0, build_id="01",
                **run_keys):
    """`paths`: {"leaf<main": (calls, exclusive seconds)}, callers first, sums over the ranks."""
    functions = [{"kind": "root", "name": "init", "display": "init"}]
    nodes = [{"id": 0, "parent": None, "function": 0, "stid": 0, "hash": "1", "calls": 0,
              "inclusive_ns": 0, "exclusive_ns": 0, "overhead_ns": 0}]
    place, function_of = {"": 0}, {}
    for path, (calls, exclusive) in paths.items():
        name, _, caller = path.partition("<")
        if name not in function_of:
            function_of[name] = len(functions)
            functions.append({"kind": "function", "name": name, "display": name, "symbol": name,
                              "module": 0, "offset": f"{4096 + 16 * len(functions):x}"})
        place[path] = len(nodes)
        ns = round(exclusive * 1e9)
        nodes.append({"id": len(nodes), "parent": place[caller], "function": function_of[name],
                      "stid": len(nodes), "hash": f"{hash_of(path):x}", "calls": round(calls),
                      "inclusive_ns": ns, "exclusive_ns": ns, "overhead_ns": 0})
    for node in reversed(nodes[1:]):
        if node["parent"]:
            nodes[node["parent"]]["inclusive_ns"] += node["inclusive_ns"]
    runtime = sum(node["inclusive_ns"] for node in nodes[1:] if node["parent"] == 0) // ranks
    start = 1795224770 * 10**9 + number * 10**10
    run = {"application": application, "command_line": "./heat", "host": "node17", "pid": 4711 + number,
           "uses_mpi": ranks > 1, "rank": 0, "ranks": ranks, "threads": threads,
           "start": "2026-11-21T01:32:50.123456789Z", "end": "2026-11-21T01:32:52.223456789Z",
           "start_unix_ns": start, "end_unix_ns": start + runtime, "runtime_ns": runtime,
           "application_ns": runtime, "paused_ns": 0, "overhead": [], "memory_bytes": 1,
           "warnings": [], "config_source": "",
           "parameters": [{"name": name, "value": value} for name, value in sorted(parameters.items())]}
    run.update(run_keys)
    profile = {"format": "vftrace-profile", "version": 1, "generator": "vftrace 3.0.0", "run": run,
               "config": {}, "modules": [{"path": f"/home/user/{application}", "build_id": build_id}],
               "functions": functions, "metrics": [], "nodes": nodes}
    if ranks > 1:
        for node in nodes:
            node["ranks"] = {"count": ranks, "min_rank": 0, "min_ns": node["exclusive_ns"] // ranks,
                             "max_rank": 0, "max_ns": node["exclusive_ns"] // ranks}
        profile["ranks"] = [{"rank": rank, "host": "node17", "pid": 4711 + rank, "threads": threads,
                             "runtime_ns": runtime, "overhead_ns": 0, "mpi_ns": 0, "memory_bytes": 1,
                             "calls": 1} for rank in range(ranks)]
    return profile


def hash_of(path):
    """Equal in all runs, and different for different paths."""
    value = 14695981039346656037
    for byte in path.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def write_runs(folder, points, times, *, repetitions=1, noise=0.05, seed=1, ranks=None, **run_keys):
    """Writes the files of a run for each point and repetition. `points`: dictionaries of the parameters;
    `times(**point)`: {path: exclusive seconds or (calls, seconds)}, of one rank; `ranks`: the name of the
    parameter that is the number of ranks."""
    chance = random.Random(seed)
    files = []
    for point in points:
        for _ in range(repetitions):
            number_of_ranks = point[ranks] if ranks else 1
            paths = {}
            for path, value in times(**point).items():
                calls, seconds = value if isinstance(value, tuple) else (1, value)
                paths[path] = (calls * number_of_ranks,
                               seconds * number_of_ranks * (1 + chance.gauss(0, noise)))
            recorded = {name: value for name, value in point.items() if name != ranks}
            profile = run_profile(recorded, paths, ranks=number_of_ranks, number=len(files),
                                  **run_keys)
            files.append(folder / f"run{len(files)}.json")
            files[-1].write_text(json.dumps(profile))
    return files
