"""How long vftrace model takes for many call paths and runs, including reading the profiles."""
import itertools
import subprocess

from common import environment, row, skipped
from model_runs import write_runs

PATHS = 10_000
GOAL_S = 10
SIZES, RANKS = (100, 200, 400, 800, 1600), (1, 2, 4, 8, 16)
ROWS = ("model/10000x25", "model/10000x25-repeated")


def chains(**point):
    """Call paths below main, in chains of ten functions, whose times grow in different ways."""
    n, p = point["n"], point.get("p", 1)
    kinds = (n * 1e-6, n**1.5 * 1e-8, n * n / p * 1e-9, p**0.5 * 1e-5, 1e-4, n * 1e-7 + p * 1e-6)
    paths = {"main": 1e-3}
    for chain in range(PATHS // 10):
        path = "main"
        for level in range(10):
            path = f"function_{chain}_{level}<{path}"
            paths[path] = (n, kinds[(chain + level) % len(kinds)])
    return paths


def seconds(command, files):
    """Seconds of processor time."""
    script = ("import resource, subprocess, sys\n"
              "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
              "usage = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
              "print(usage.ru_utime + usage.ru_stime)")
    words = ["python3", "-c", script, command, "model", "--min-share", "0", *files]
    return float(subprocess.run(list(map(str, words)), env=environment(), capture_output=True,
                                text=True, check=True).stdout)


def measure(build, scratch):
    command = build / "vftrace"
    if not command.exists():
        return [skipped(name, "built without the vftrace command") for name in ROWS]
    if 'S["HAVE_EIGEN_TRUE"]=""' not in (build / "config.status").read_text():
        return [skipped(name, "built without Eigen") for name in ROWS]
    grid = [{"n": n, "p": p} for n, p in itertools.product(SIZES, RANKS)]
    line = [{"n": n} for n in SIZES]
    rows = []
    for name, points, options in ((ROWS[0], grid, {"ranks": "p"}),
                                  (ROWS[1], line, {"repetitions": 5})):
        folder = scratch / name.replace("/", "-")
        folder.mkdir(exist_ok=True)
        files = write_runs(folder, points, chains, **options)
        rows.append(row(name, min(seconds(command, files) for _ in range(3)), GOAL_S, "s"))
        for file in files:
            file.unlink()
    return rows
