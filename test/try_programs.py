#!/usr/bin/env python3
"""Compares all installed programs of everyday_programs.py with their behaviour under `vftrace run`.

    try_programs.py --build DIR [--match TEXT] [--jobs N]
    try_programs.py --packages     prints the Debian packages that contain them

Installs nothing. Returns 1 if a program behaves differently under `vftrace run`. Programs that
print the environment, and thus our variables, are named.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default="build", help="folder that make ran in")
    parser.add_argument("--match", default="", help="only command lines that contain this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--packages", action="store_true")
    options = parser.parse_args()
    os.environ["VFTRACE_TEST_BUILD"] = str(pathlib.Path(options.build).resolve())
    sys.path.insert(0, str(HERE / "shared"))
    from everyday_programs import FURTHER, PACKAGES, USUAL, Trial, command_lines
    if options.packages:
        print(" ".join(PACKAGES.split()))
        return 0

    rows = [row for row in command_lines(USUAL + FURTHER) if options.match in " ".join(row[0])]
    path = os.environ["PATH"] + ":/usr/games"
    there = [row for row in rows if shutil.which(row[0][0], path=path)]
    counts = {}

    def attempt(row):
        results = []
        for way in Trial.WAYS:
            folder = tempfile.mkdtemp(prefix="vft")
            try:
                results.append((way, *Trial(*row, folder).differences(way)))
            except Exception as error:
                results.append((way, "differs", str(error)))
            shutil.rmtree(folder, ignore_errors=True)
        return row, results

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row, results in pool.map(attempt, there):
            for way, verdict, details in results:
                counts[verdict] = counts.get(verdict, 0) + 1
                if verdict != "same":
                    print(f"{verdict}: {way} -- {' '.join(row[0])}")
                    print("    " + details.replace("\n", "\n    "), flush=True)
    absent = sorted({row[0][0] for row in rows} - {row[0][0] for row in there})
    if absent:
        print(f"not installed: {' '.join(absent)}")
    print(f"{len(there)} command lines of {len({row[0][0] for row in there})} programs, each under "
          f"{' and '.join(Trial.WAYS)}: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
    return 1 if counts.get("differs") or not counts.get("same") else 0


if __name__ == "__main__":
    sys.exit(main())
