"""The store of runs: adding runs with a million figures, and histories of 2,000 runs of 500 functions."""
import json
import os
import pathlib
import statistics
import subprocess
import time

from common import environment, row

RUNS, FUNCTIONS, TURNS = 2000, 500, 7


def profiles(build, scratch):
    """Copies of one profile of 500 functions, at other times."""
    source = scratch / "many.c"
    source.write_text("static volatile int sink;\n" +
                      "".join(f"__attribute__((noinline)) void function_{i}(void) {{ sink++; }}\n" for i in range(FUNCTIONS)) +
                      "int main(void) {\n" + "".join(f"    function_{i}();\n" for i in range(FUNCTIONS)) + "    return 0;\n}\n")
    subprocess.run(["gcc", "-O1", "-finstrument-functions", "-o", scratch / "many", source], check=True)
    subprocess.run([build / "vftrace", "run", "--", scratch / "many"], cwd=scratch, check=True, env=environment())
    text = (scratch / "many_all.json").read_text()
    start = json.loads(text)["run"]["start_unix_ns"]
    folder = scratch / "profiles"
    folder.mkdir(exist_ok=True)
    for i in range(RUNS):
        (folder / f"{i}.json").write_text(text.replace(str(start), str(start + i * 10**9)))
    return sorted(folder.iterdir())


def measure(build, scratch):
    files = profiles(build, scratch)
    store = scratch / "runs.db"
    store.unlink(missing_ok=True)
    start = time.perf_counter()
    subprocess.run([build / "vftrace", "store", "add", "--store", store, *files], check=True, stdout=subprocess.DEVNULL)
    added = time.perf_counter() - start
    times = {"history": [], "function": []}
    for _ in range(TURNS):
        for name, words in (("history", ()), ("function", ("function_250",))):
            start = time.perf_counter()
            subprocess.run([build / "vftrace", "history", "--store", store, *words], check=True, stdout=subprocess.DEVNULL)
            times[name].append(time.perf_counter() - start)
    figures = RUNS * (FUNCTIONS + 1)
    print(f"\n{figures} figures: {added:.2f} s, {pathlib.Path(store).stat().st_size / 2**20:.0f} MiB; "
          f"{sum(os.path.getsize(file) for file in files) / 2**20:.0f} MiB of profiles")
    return [row("store/add-s", added, 10, f"s to add {RUNS} profiles of {FUNCTIONS} functions"),
            row("history/runs-s", statistics.median(times["history"]), 0.2, f"s for a history of {RUNS} runs"),
            row("history/function-s", statistics.median(times["function"]), 0.2, "s for that of a function")]
