"""Tests that are not Python's, as pytest sees them: the cases of the unit test program (Catch2), each in a
process of its own, and shell scripts, which print a line PASS, FAIL or SKIP for each of their tests."""
import os
import pathlib
import subprocess

import pytest

from names_of_tests import UNIT_TESTS

HERE = pathlib.Path(__file__).resolve().parents[1]


class Failed(Exception):
    """Its text is the whole message; where it was raised does not matter."""


class Program(pytest.Item):
    def repr_failure(self, excinfo):
        return str(excinfo.value) if isinstance(excinfo.value, Failed) else super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, None, self.name


class UnitTest(Program):
    def runtest(self):
        # Catch2 reads commas and brackets in a name as its own syntax unless they are escaped.
        quoted = self.name.replace("\\", "\\\\").replace(",", "\\,").replace("[", "\\[")
        result = subprocess.run([self.parent.program(), quoted], capture_output=True, text=True, errors="replace",
                                timeout=300)
        if result.returncode != 0 or "No test cases matched" in result.stdout:
            raise Failed(result.stdout + result.stderr)


class UnitTests(pytest.File):
    def program(self):
        return pathlib.Path(os.environ["VFTRACE_TEST_BUILD"], "unit_tests")

    def collect(self):
        if not self.program().exists():
            return  # built without Catch2
        listing = subprocess.run([self.program(), "--list-test-names-only"], capture_output=True, text=True)
        names = [line for line in listing.stdout.splitlines() if line.strip()]
        if not names:
            raise self.CollectError(f"{self.program()} lists no tests: {listing.stderr}")
        for name in names:
            yield UnitTest.from_parent(self, name=name)


class ShellTest(Program):
    """One item, because the script runs as a whole. The outcomes of its tests are properties of the
    report: ("row", [verdict, name, details])."""

    def runtest(self):
        result = subprocess.run([self.path], capture_output=True, text=True, errors="replace", timeout=600)
        rows = []
        for line in result.stdout.splitlines():
            verdict, _, name = line.partition(" ")
            if verdict in ("PASS", "FAIL", "SKIP"):
                rows.append([verdict, f"{self.path.stem}: {name}", ""])
            elif rows:
                rows[-1][2] += line + "\n"
        self.user_properties += [("row", row) for row in rows]
        failed = [row for row in rows if row[0] == "FAIL"]
        if result.returncode != 0 and not failed:
            self.user_properties.append(("row", ["FAIL", self.path.stem, result.stdout + result.stderr]))
        if result.returncode != 0 or failed:
            raise Failed("".join(f"{name}\n{details}" for _, name, details in failed) or result.stderr)
        if not rows:
            raise Failed(f"ran no tests\n{result.stdout}{result.stderr}")


class ShellTests(pytest.File):
    def collect(self):
        yield ShellTest.from_parent(self, name=self.path.stem)


def collector(path, parent):
    """The collector for the tests of a file that is not a Python file, or None."""
    if path == HERE / UNIT_TESTS:
        return UnitTests.from_parent(parent, path=path)
    if path.parent == HERE / "wrappers" and path.match("test_*.sh"):
        return ShellTests.from_parent(parent, path=path)
    return None
