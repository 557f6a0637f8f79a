#!/usr/bin/env python3
"""Measures the cost of vftrace and compares it with its goals: make bench.

    run_bench.py --build DIR [--only TEXT]

Every goal is a ratio or a difference within one run: the variants take turns, and the median over
at least 15 turns counts, because machines are shared and noisy. Prints a table and writes
bench.json in the build folder: rows of name, value, goal, unit, holds; or name and skipped.
"""
import argparse
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "shared")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--only", default="", help="only benchmarks whose file name contains this")
    options = parser.parse_args()
    build = pathlib.Path(options.build).resolve()
    scratch = build / "bench"
    scratch.mkdir(exist_ok=True)

    rows = []
    for path in sorted(HERE.glob("bench_*.py")):
        if options.only in path.stem:
            module = __import__(path.stem)
            rows += module.measure(build, scratch)

    print(f"\n{'goal':<22} {'value':>10} {'goal':>10}  unit")
    for row in rows:
        if "skipped" in row:
            print(f"{row['name']:<22} {'-':>10} {'-':>10}  skipped: {row['skipped']}")
        else:
            print(f"{row['name']:<22} {row['value']:>10.3f} {row['goal']:>10.3f}  {row['unit']}"
                  f"{'' if row['holds'] else '   MISSED'}")
    (build / "bench.json").write_text(json.dumps(rows, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
