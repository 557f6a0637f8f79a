#!/usr/bin/env python3
"""Runs all tests of a build folder and ends with a line "N passed, N failed".

    run_tests.py --build DIR [--match TEXT]... [--list]

Tests are the test methods of test/test_*.py, the Catch2 cases of the unit test program, and the
lines PASS/FAIL that shell tests print. A test that cannot run here (no clang, no Fortran) says why
and is counted as skipped. Tests run beside each other, and on machines that others use: a few that fail
run once more, alone, and those that pass then are named at the end as not reliable. Where root runs all
tests, some run again as an ordinary user (ordinary_user.py); the last line has the sums.
"""
import argparse
import atexit
import concurrent.futures
import importlib
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import unittest

from ordinary_user import TESTS as ORDINARY_TESTS, run_as_ordinary_user

HERE = pathlib.Path(__file__).resolve().parent
MOST_SECOND_TRIES = 8  # what breaks more tests than these is not chance


def python_tests():
    """(name, callable that raises) of every test method."""
    for path in sorted(HERE.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        for suite in unittest.defaultTestLoader.loadTestsFromModule(module):
            for case in suite:
                yield case.id(), case


def run_python_test(case):
    result = unittest.TestResult()
    case.run(result)
    if result.skipped:
        return "SKIP", result.skipped[0][1]
    for _, trace in result.failures + result.errors:
        return "FAIL", trace
    return "PASS", ""


def unit_test_cases(program):
    listing = subprocess.run([program, "--list-test-names-only"], capture_output=True, text=True)
    return [line for line in listing.stdout.splitlines() if line.strip()]


def run_unit_test(program, name):
    # Catch2 reads commas and brackets in a name as its own syntax unless they are escaped.
    quoted = name.replace("\\", "\\\\").replace(",", "\\,").replace("[", "\\[")
    result = subprocess.run([program, quoted], capture_output=True, text=True, timeout=300)
    if result.returncode == 0 and "No test cases matched" not in result.stdout:
        return "PASS", ""
    return "FAIL", result.stdout + result.stderr


def run_shell_test(script):
    """(verdict, name, details) of every line PASS, FAIL or SKIP that the script prints."""
    result = subprocess.run([script], capture_output=True, text=True, timeout=600)
    outcomes = []
    for line in result.stdout.splitlines():
        verdict, _, name = line.partition(" ")
        if verdict in ("PASS", "FAIL", "SKIP"):
            outcomes.append([verdict, f"{script.stem}: {name}", ""])
        elif outcomes:
            outcomes[-1][2] += line + "\n"
    if result.returncode != 0 and not any(outcome[0] == "FAIL" for outcome in outcomes):
        outcomes.append(["FAIL", script.stem, result.stdout + result.stderr])
    return outcomes


def report(counts):
    """Prints the last line; returns the exit status."""
    skipped = f", {counts['SKIP']} skipped" if counts["SKIP"] else ""
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed{skipped}")
    return 1 if counts["FAIL"] or not counts["PASS"] else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True, help="folder that make ran in")
    parser.add_argument("--match", action="append", default=[],
                        help="only tests whose name contains this, or one of these")
    parser.add_argument("--as-is", action="store_true", help="not again as an ordinary user")
    parser.add_argument("--ordinary-user", action="store_true",
                        help="only those that run again as an ordinary user")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    # In the background of a shell these are ignored, and the tests' programs would inherit that.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    build = pathlib.Path(options.build).resolve()
    os.environ["VFTRACE_TEST_BUILD"] = str(build)
    sys.path.insert(0, str(HERE))

    if options.ordinary_user:
        return report(run_as_ordinary_user(build, options.jobs, options.match or ORDINARY_TESTS))

    tests = [(name, lambda case=case: run_python_test(case)) for name, case in python_tests()]
    unit_program = build / "unit_tests"
    if unit_program.exists():
        tests += [("unit: " + name, lambda name=name: run_unit_test(unit_program, name))
                  for name in unit_test_cases(unit_program)]
    shell_scripts = sorted(HERE.glob("wrappers/test_*.sh"))
    tests += [("shell: " + script.stem, lambda script=script: run_shell_test(script))
              for script in shell_scripts]
    if options.match:
        tests = [test for test in tests if any(match in test[0] for match in options.match)]
    if options.list:
        print("\n".join(name for name, _ in tests))
        return 0

    def timed(test):
        start = time.monotonic()
        try:
            outcome = test[1]()
        except Exception:
            outcome = "FAIL", traceback.format_exc()
        seconds = time.monotonic() - start
        if isinstance(outcome, list):
            return [(name, verdict, details, seconds) for verdict, name, details in outcome]
        return [(test[0], *outcome, seconds)]

    # Programs that are killed leave files behind. Not in the build folder: MPI libraries have sockets
    # there, whose names must be short.
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="vft")
    atexit.register(shutil.rmtree, os.environ["TMPDIR"], ignore_errors=True)
    # Open MPI removes its folder there when it is empty, although another mpirun is about to use it.
    of_open_mpi = pathlib.Path(os.environ["TMPDIR"], f"ompi.{platform.node()}.{os.getuid()}")
    of_open_mpi.mkdir(mode=0o700)
    (of_open_mpi / "in_use").touch()
    counts = {"PASS": 0, "FAIL": 0, "SKIP": 0}
    failed = []

    def tell(name, verdict, details, seconds):
        reason = f": {details}" if verdict == "SKIP" else ""
        print(f"{verdict} {name} ({seconds:.1f} s){reason}", flush=True)
        if verdict == "FAIL":
            print("    " + details.rstrip().replace("\n", "\n    "), flush=True)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, rows in zip(tests, pool.map(timed, tests)):
            for row in rows:
                counts[row[1]] += 1
                tell(*row)
            if any(row[1] == "FAIL" for row in rows):
                failed.append((test, rows))
    unreliable = []
    if len(failed) <= MOST_SECOND_TRIES:
        for test, before in failed:
            again = timed(test)
            for _, verdict, _, _ in before:
                counts[verdict] -= 1
            for name, verdict, details, seconds in again:
                counts[verdict] += 1
                tell(name + ", alone", verdict, details, seconds)
            if not any(row[1] == "FAIL" for row in again):
                unreliable.append(test[0])
    if os.geteuid() == 0 and not options.as_is and not options.match:
        for verdict, number in run_as_ordinary_user(build, options.jobs).items():
            counts[verdict] += number
    for name in unreliable:
        print(f"not reliable: {name} failed beside other tests and passed alone")
    return report(counts)


if __name__ == "__main__":
    sys.exit(main())
