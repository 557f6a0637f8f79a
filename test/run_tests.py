#!/usr/bin/env python3
"""Runs the tests of a build folder and ends with a line "N passed, N failed".

    run_tests.py --build DIR [--all] [--match TEXT]... [--list] [option of pytest]...

There are two layers. The first one, the gate, shows what the program does. --all adds the tests with
the marker full, which repeat that in other ways (sanitizers, other users, clang-tidy) and take long.

Tests are the test methods of test/test_*.py, the Catch2 cases of the unit test program, and the
lines PASS/FAIL that shell tests print; pytest runs them (conftest.py). A test that cannot run here
(no clang, no Fortran) gives the reason and is counted as skipped. Tests run in parallel, except for
those that compare times (marker timing), which run alone afterwards. Machines may be in use by
others, so if only a few tests fail, these run once more, alone, and those that pass then are named
at the end as unreliable. If root runs both layers, some tests run again as an ordinary user
(ordinary_user.py); the last line has the sums. Before it are the slowest tests.
"""
import argparse
import contextlib
import importlib.util
import io
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
MOST_SECOND_TRIES = 8  # more failures than this are not due to chance
PACKAGES = {"pytest": "python3-pytest", "xdist": "python3-pytest-xdist", "pytest_timeout": "python3-pytest-timeout"}
DEBIANS_PYTHON = "/usr/bin/python3"  # to which its packages belong
SLOWEST = 10


def need_pytest():
    """Continues in Debian's Python if this is another one, which lacks pytest; exits if neither has it."""
    lacking = [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]
    if not lacking:
        return
    with contextlib.suppress(OSError):
        has_all = subprocess.run([DEBIANS_PYTHON, "-c", f"import {', '.join(PACKAGES)}"], capture_output=True)
        if has_all.returncode == 0:
            os.execv(DEBIANS_PYTHON, [DEBIANS_PYTHON, *sys.argv])
    sys.exit(f"run_tests.py: the tests need pytest with two plugins; on Debian: apt-get install {' '.join(lacking)}")


def run_pytest(plugin, arguments):
    """Returns pytest's exit status."""
    import pytest
    return pytest.main([f"--rootdir={HERE}", f"-c{HERE}/pytest.ini", "-qq", "--no-header", "--no-summary", "--tb=short",
                        "--override-ini=console_output_style=classic", *arguments, str(HERE)], plugins=[plugin])


def collect(arguments):
    from outcomes import Collected
    collected, said = Collected(), io.StringIO()
    with contextlib.redirect_stdout(said):
        status = run_pytest(collected, [*arguments, "--collect-only"])
    if status not in (0, 5) and not collected.rows:  # 5: there are none
        sys.exit(said.getvalue() or f"run_tests.py: pytest ended with status {status}")
    return collected


def run(names, arguments, jobs, addition=""):
    """Runs the tests that the arguments select, which have these names. Returns {name: rows}."""
    import pytest
    from outcomes import Outcomes, Row, print_row
    if not names:
        return {}
    outcomes = Outcomes(addition)
    status = run_pytest(outcomes, [*arguments, f"-n{min(jobs, len(names))}", "--dist=loadfile"])
    if status == pytest.ExitCode.INTERRUPTED:
        sys.exit("run_tests.py: interrupted")
    for name in names:
        if name not in outcomes.tests:
            outcomes.tests[name] = [Row("FAIL", name, f"has not run: pytest ended with status {int(status)}", 0)]
            print_row(outcomes.tests[name][0], addition)
    return outcomes.tests


def print_slowest(tests):
    seconds = {name: max(row.seconds for row in rows) for name, rows in tests.items()}
    for name in sorted(seconds, key=seconds.get, reverse=True)[:SLOWEST]:
        print(f"slowest: {seconds[name]:6.1f} s {name}")


def report(counts):
    """Prints the last line; returns the exit status."""
    skipped = f", {counts['SKIP']} skipped" if counts["SKIP"] else ""
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed{skipped}")
    return 1 if counts["FAIL"] or not counts["PASS"] else 0


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False, epilog="Further options are pytest's.")
    parser.add_argument("--build", required=True, help="folder that make ran in")
    parser.add_argument("--all", action="store_true", help="both layers")
    parser.add_argument("--match", action="append", default=[],
                        help="only tests of both layers whose name contains this, or one of these")
    parser.add_argument("-m", dest="markers", help="only tests with these markers: slow, mpi, gpu, timing (\"not slow\")")
    parser.add_argument("--ordinary-user", action="store_true",
                        help="only those that run again as an ordinary user")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options, further = parser.parse_known_args()
    need_pytest()
    sys.dont_write_bytecode = True
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.path.insert(0, str(HERE / "shared"))
    from ordinary_user import TESTS as ORDINARY_TESTS, run_as_ordinary_user
    from outcomes import count, print_row
    build = pathlib.Path(options.build).resolve()
    if options.ordinary_user:
        return report(run_as_ordinary_user(build, options.jobs, options.match or ORDINARY_TESTS))

    if options.all:
        os.environ["VFTRACE_TEST_EVERYTHING"] = "1"  # for some_of() in support.py
    arguments = [f"--build={build}", *(f"--match={text}" for text in options.match), *further]
    layer = "" if options.all or options.match else "not full"
    markers = " and ".join(f"({words})" for words in (options.markers, layer) if words)
    collected = collect([*arguments, "-m", markers])
    counts = count(collected.rows)
    if options.list and not counts["FAIL"]:
        print("\n".join(collected.names()))
        return 0
    for row in collected.rows:
        print_row(row)
    if counts["FAIL"]:
        return report(counts)  # the list of tests is unknown

    tests = {**run(collected.beside_others, [*arguments, "-m", " and ".join(filter(None, (markers, "not timing")))], options.jobs),
             **run(collected.alone, [*arguments, "-m", " and ".join(filter(None, (markers, "timing")))], 1)}
    failed = [name for name, rows in tests.items() if count(rows)["FAIL"]]
    unreliable = []
    if len(failed) <= MOST_SECOND_TRIES:
        again = run(failed, [*arguments, *(f"--exactly={name}" for name in failed)], 1, ", alone")
        unreliable = [name for name, rows in again.items() if not count(rows)["FAIL"]]
        tests.update(again)
    counts += count(row for rows in tests.values() for row in rows)
    if os.geteuid() == 0 and options.all and not options.match and not options.markers:
        counts += run_as_ordinary_user(build, options.jobs)
    print_slowest(tests)
    for name in unreliable:
        print(f"not reliable: {name} failed while other tests ran, and passed alone")
    return report(counts)


if __name__ == "__main__":
    sys.exit(main())
