"""Reports the outcome of each test while tests run: a pytest plugin used by run_tests.py.

A test is a line "PASS name (0.1 s)", with FAIL followed by all details of the failure, or with SKIP
and the reason. A shell script has a line for each of its tests."""
import collections

import pytest

from names_of_tests import name_of

Row = collections.namedtuple("Row", "verdict name details seconds")


def count(rows):
    return collections.Counter(row.verdict for row in rows)


def print_row(row, addition=""):
    reason = f": {row.details}" if row.verdict == "SKIP" and row.details else ""
    print(f"{row.verdict} {row.name}{addition} ({row.seconds:.1f} s){reason}", flush=True)
    if row.verdict == "FAIL":
        print("    " + row.details.rstrip().replace("\n", "\n    "), flush=True)


def reason_of(report):
    """Why a test was skipped."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
    return text.removeprefix("Skipped: ")


def failure_of(report):
    """All that is known of a failure."""
    parts = [report.longreprtext, *(f"{title}:\n{text}" for title, text in report.sections)]
    return "\n".join(part.rstrip() for part in parts)


class Collected:
    """The tests found, by how they are to be run."""

    def __init__(self):
        self.beside_others, self.alone, self.rows = [], [], []

    def pytest_collectreport(self, report):
        """Records files that cannot be read or are skipped as a whole."""
        if not report.passed:
            failed = report.failed
            self.rows.append(Row("FAIL" if failed else "SKIP", name_of(report.nodeid),
                                 failure_of(report) if failed else reason_of(report), 0))

    def pytest_collection_finish(self, session):
        for item in session.items:
            names = self.alone if item.get_closest_marker("timing") else self.beside_others
            names.append(name_of(item.nodeid))

    def names(self):
        return self.beside_others + self.alone


class Outcomes:
    """The rows of each test."""

    def __init__(self, addition=""):
        self.addition = addition  # to the names that are printed
        self.tests = {}
        self.parts = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report):
        return report.outcome, "", ""  # pytest itself prints nothing

    def pytest_collectreport(self, report):
        """Reports a failure if a process finds other tests than run_tests.py did."""
        if report.failed:
            print_row(Row("FAIL", name_of(report.nodeid), failure_of(report), 0))

    def pytest_runtest_logreport(self, report):
        parts = self.parts.setdefault(report.nodeid, [])
        parts.append(report)
        # Setup, the test and teardown are separate reports; if a process dies, that report is the last one.
        if report.when not in ("setup", "call"):
            del self.parts[report.nodeid]
            self.add(name_of(report.nodeid), parts)

    def add(self, name, reports):
        seconds = sum(report.duration for report in reports)
        failed = [report for report in reports if report.failed]
        skipped = [report for report in reports if report.skipped]
        rows = [Row(*value, seconds) for key, value in reports[-1].user_properties if key == "row"]
        if failed and not any(row.verdict == "FAIL" for row in rows):
            rows.append(Row("FAIL", name, "\n".join(map(failure_of, failed)), seconds))
        elif not rows and skipped:
            rows.append(Row("SKIP", name, reason_of(skipped[0]), seconds))
        self.tests[name] = rows or [Row("PASS", name, "", seconds)]
        for row in self.tests[name]:
            print_row(row, self.addition)
