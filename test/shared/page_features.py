"""What profiles contain in addition to call paths, for pictures of the views that show it: threads,
GPUs, wait states, sections, tasks, regions, metrics, values over time; and traces. Figures are made
up, but of sensible sizes."""
import itertools
import math

from page_profiles import HOST_RANKS
from vfd_files import MPI, Vfd

# name, title, unit, scope, part, reduction: some rows of src/core/record/sources.inc.
METRICS = (
    ("memory.resident", "Resident memory", "B", "series", "point", "max"), ("memory.peak", "Peak of resident memory", "B", "rank", "point", "max"),
    ("memory.total", "Memory", "B", "host", "point", "max"), ("memory.available", "Least available", "B", "host", "point", "min"),
    ("process.user", "User time", "ns", "rank", "point", "sum"), ("process.system", "System time", "ns", "rank", "point", "sum"),
    ("process.major_faults", "Major page faults", "", "rank", "point", "sum"), ("process.busy_at", "Processors in use", "", "series", "point", "mean"),
    ("io.rchar", "Read", "B", "rank", "point", "sum"), ("io.rate_at", "Read and written", "B/s", "series", "point", "mean"),
    ("processors.time", "Time of all", "ns", "host", "point", "sum"), ("processors.stolen", "Stolen", "ns", "host", "point", "sum"),
    ("energy.joules", "Energy", "J", "device", "point", "sum"), ("energy.time", "Time", "ns", "device", "point", "sum"),
    ("region.sync_runtime", "Sync runtime", "ns", "region", "point", "sum"), ("region.package_energy", "Package energy", "J", "region", "point", "sum"),
    ("region.power_at", "Power", "W", "series", "point", "mean"), ("section.memory", "Memory", "B", None, "inclusive", "sum"),
    ("task.created", "Tasks", "", None, None, "sum"), ("task.completed", "Completed", "", None, None, "sum"), ("task.wall", "Wall", "ns", None, None, "sum"),
    ("task.longest", "Longest task", "ns", None, "point", "max"), ("task.longest_run", "Longest run", "ns", None, "point", "max"), ("hwprof.i", "", "", None, None, "sum"), ("hwprof.i.inclusive", "", "", None, "inclusive", "sum"),
    ("hwprof.T", "", "ns", None, None, "sum"), ("yields.given", "Yields", "", None, None, "sum"))
NUMBER = {row[0]: number for number, row in enumerate(METRICS)}
SERIES = {"memory.resident": lambda x: 2**30 * (1 + x), "process.busy_at": lambda x: 0.9 + 0.1 * math.sin(40 * x), "io.rate_at": lambda x: 3e6 * (x > 0.8),
          "region.power_at": lambda x: 180 + 40 * math.sin(12 * x)}


def metric_rows():
    keys = ("name", "title", "unit", "scope", "part", "reduction")
    return [{key: value for key, value in zip(keys, row) if value is not None and (value or key == "unit")} for row in METRICS]


def features(made, sources=()):
    """Members of the profile. `sources`: the files that contain the functions."""
    names, used, own, ranks, run_ns = (made[key] for key in ("names", "used", "own", "ranks", "run_ns"))
    hosts = sorted({f"node{rank // HOST_RANKS:02}" for rank in range(ranks)})
    here = min(ranks, HOST_RANKS)
    of_mpi = [i for i, function in enumerate(used[:100_000]) if names[function].startswith("MPI_")]
    hot = sorted(range(len(own)), key=lambda i: -own[i])[:40]
    functions = {number: {"kind": "section", "level": level, "offset": str(level)} for number, level in ((2, 1), (3, 2))}
    functions[4] = {"kind": "task"}
    region = len(names) - 3
    functions[region] = {"kind": "region"}
    for number, file in zip(itertools.count(5), sources):
        functions[number] = {"file": str(file), "line": 3}
    of_kind = {kind: [i for i, function in enumerate(used) if functions.get(function, {}).get("kind") == kind][:500] for kind in ("section", "task")}
    node_metrics = {i: [[NUMBER["hwprof.i"], 3 * own[i]], [NUMBER["hwprof.i.inclusive"], 4 * own[i]], [NUMBER["hwprof.T"], own[i]], [NUMBER["yields.given"], i % 97]] for i in hot}
    for i in of_kind["section"]:
        node_metrics.setdefault(i, []).append([NUMBER["section.memory"], 2**20 * (1 + i % 50)])
    for i in of_kind["task"]:
        node_metrics.setdefault(i, []).extend([[NUMBER["task.created"], 100 + i % 7], [NUMBER["task.completed"], 100], [NUMBER["task.wall"], 3 * own[i]], [NUMBER["task.longest_run"], own[i] // 10], [NUMBER["task.longest"], own[i] // 9]])
    rank_metrics = [{"rank": rank, "metric": NUMBER[name], "value": value} for rank in range(ranks)
                    for name, value in (("memory.peak", 2**31 + 2**24 * rank), ("process.user", int(0.9 * run_ns)), ("process.system", int(0.05 * run_ns)),
                                        ("process.major_faults", rank % 3), ("io.rchar", 7_654_321 * (1 + rank % 5)))]
    host_metrics = [{"host": host, "metric": NUMBER[name], "value": value} for host in hosts
                    for name, value in (("memory.total", 2**38), ("memory.available", 2**36), ("processors.time", 16 * run_ns), ("processors.stolen", run_ns // 90))]
    host_metrics += [{"host": host, "device": device, "metric": NUMBER[name], "value": value} for host in hosts for device in ("package-0", "package-1")
                     for name, value in (("energy.joules", 180 * run_ns / 1e9), ("energy.time", run_ns))]
    points = 40
    series = [{"rank": rank, "metric": NUMBER[name], "time_ns": [run_ns * (k + 1) // points for k in range(points)],
               "values": [form((k + 1) / points) * (1 + 0.01 * rank) for k in range(points)]} for rank in range(ranks) for name, form in SERIES.items()]
    threads = [{"rank": rank, "number": number, "start": 0 if number else 1, "threads": 1, "calls": 1000 - number, "time_ns": int(run_ns * (0.95 - 0.02 * number)),
                "parallel_ns": int(0.8 * run_ns), "waiting_ns": int(0.05 * run_ns * number), "lifetime_ns": run_ns, **({"openmp_worker": True} if number else {})}
               for rank in range(ranks) for number in range(4)]
    kernel = hot[1] or 1
    result = {
        "run": {"threads": 4, "counter_source": "perf", "counters": [{"name": "instructions", "symbol": "i"}],
                "observables": [{"name": "instruction rate", "formula": "i / T", "unit": "1/s"}]},
        "functions": functions, "metrics": metric_rows(), "node_metrics": node_metrics, "rank_metrics": rank_metrics,
        "host_metrics": sorted(host_metrics, key=lambda one: (one["host"], one.get("device", ""), one["metric"])),
        "series": sorted(series, key=lambda one: (one["rank"], one["metric"])), "threads": threads,
        "parallel_regions": [{"node": node, "entries": 100, "threads": 4 * ranks, "busy_ns": 3 * own[node], "busy_max_ns": own[node], "waiting_ns": own[node] // 5} for node in sorted(hot[:3])],
        "regions": [row for host in hosts for row in (
            {"host": host, "machine": 0, "part": "region", "function": region, "id": 7, "processes": here, "runtime_ns": run_ns * here // 2, "entries": 40 * here},
            {"host": host, "machine": 0, "part": "application", "id": 0, "processes": here, "runtime_ns": run_ns * here, "entries": 1, "peak_bytes": 2**31})],
        "region_metrics": [{"host": host, "machine": 0, "part": part, "id": id_, "metric": NUMBER[name], "value": value * part_of_run}
                           for host in hosts for part, id_, part_of_run in (("region", 7, 0.5), ("unmarked", 0, 0.5), ("application", 0, 1))
                           for name, value in (("region.sync_runtime", run_ns), ("region.package_energy", 180 * run_ns / 1e9))],
        "gpu": {"functions": [{"api": 2, "cbid": 211, "name": "cudaLaunchKernel"}],
                "work": [{"node": kernel, "work": "host-to-device", "count": 100, "time_ns": run_ns // 50, "shortest_ns": 700_000, "longest_ns": 900_000, "bytes": 2_000_000_000,
                          "timely": 100, "waited_ns": 3_000_000}],
                "streams": [{"rank": rank, "device": 0, "context": 1, "stream": 7, "kernels": 1000, "copies": 100, "bytes": 2_000_000_000, "kernel_ns": run_ns // 2,
                             "copy_ns": run_ns // 50, "span_ns": int(0.9 * run_ns)} for rank in range(ranks)],
                "devices": [{"rank": rank, "number": 0, "name": "NVIDIA H100", "kernel_ns": run_ns // 2, "copy_ns": run_ns // 50, "overlap_ns": run_ns // 100,
                             "span_ns": int(0.9 * run_ns)} for rank in range(ranks)]},
    }
    if ranks > 1:
        result["message_sizes"] = [{"from_bytes": 2**k, "to_bytes": 2**(k + 1) - 1, "sent": 1000 * (20 - k), "received": 1000 * (20 - k)} for k in range(3, 20)]
        mpi = of_mpi[:10]
        result["waits"] = {
            "states": [{"rank": rank, "node": node, "pattern": pattern, "waits": 20, "time_ns": run_ns // (20 + rank), "longest_ns": run_ns // 300}
                       for rank in range(ranks) for node, pattern in zip(mpi, itertools.cycle(("all-to-all", "late-sender", "wrong-order", "early-reduce")))],
            "causes": [{"rank": ranks * 5 // 8, "node": hot[0], "pattern": "all-to-all", "waiting_node": mpi[0], "time_ns": run_ns // 3}],
            "critical_path": [{"rank": rank, "node": node, "time_ns": int(own[node] / ranks / (1 + rank)), "imbalance_ns": own[node] // ranks // 9}
                              for rank in range(min(ranks, 8)) for node in sorted(hot[:12])]}
    return result


def write_traces(folder, ranks):
    """A vfd file for each rank: time steps in which one rank is late."""
    files = []
    for rank in range(ranks):
        vfd = Vfd(rank=rank, processes=ranks, runtime_s=1.2e-2, host=f"node{rank // HOST_RANKS:02}")
        main = vfd.stack(0, "main")
        step = vfd.stack(main, "solver::time_step(double)")
        work = vfd.stack(step, "solver::phase_3::kernel_3(double*, int)")
        halo = vfd.stack(step, "exchange_halos")
        send = vfd.stack(halo, "MPI_Sendrecv", MPI)
        norm = vfd.stack(step, "MPI_Allreduce", MPI)
        late = 250_000 if rank == ranks * 5 // 8 else 0
        vfd.enter(main, 1000)
        for i in range(10):
            at = 20_000 + 1_100_000 * i
            moments = [(work, at + 5000, at + 600_000 + late), (halo, at + 610_000 + late, at + 700_000 + late), (norm, at + 710_000 + late, at + 1_080_000)]
            vfd.enter(step, at)
            for stack, begin, end in moments:
                vfd.enter(stack, begin)
                if stack == halo and ranks > 1:
                    vfd.enter(send, begin + 1000)
                    vfd.exit(send, end - 1000)
                    vfd.message(0, (rank + 1) % ranks, 1, begin + 2000, begin + 60_000, send)
                vfd.exit(stack, end)
            vfd.exit(step, at + 1_090_000)
        vfd.exit(main, 11_500_000)
        stream = vfd.track(0, 1, 7, "GPU")
        for i in range(10):
            vfd.device_work(stream, 100_000 + 1_100_000 * i, 500_000 + 1_100_000 * i, kernel="add_kernel")
        files.append(vfd.write(folder / f"traced_{rank}.vfd"))
    return files
