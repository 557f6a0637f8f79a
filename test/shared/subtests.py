"""Makes pytest run all subtests (unittest.TestCase.subTest) of a test, and report all failures.

By default pytest ends the test at the first subtest that fails or is skipped, and hides those after
it. The result is still that of one test: failed if any part of it failed, otherwise skipped if any
was skipped."""
import traceback

import pytest
from _pytest.unittest import TestCaseFunction


def add_subtest(item, case, subtest, error):
    """unittest calls this at the end of each subtest that was not skipped."""
    if error is None:
        return
    item._addexcinfo(error)
    item.__dict__.setdefault("failed_subtests", []).append((subtest._subDescription(), error))
    # When the time limit is exceeded, nothing more may run, because the limit applies only once.
    item.failfast = isinstance(error[1], pytest.fail.Exception)


def install():
    if not hasattr(TestCaseFunction, "addSubTest"):  # later versions of pytest have it
        TestCaseFunction.addSubTest = add_subtest
        TestCaseFunction.failfast = False


def report_all(item):
    """To be called before pytest makes its report, which is based on the first of the exceptions."""
    exceptions = getattr(item, "_excinfo", None)
    if not exceptions:
        return
    failures = [one for one in exceptions if not isinstance(one.value, pytest.skip.Exception)]
    exceptions[:] = (failures or exceptions)[:1]
    reported = [description for description, _ in getattr(item, "failed_subtests", [])]
    for description, error in getattr(item, "failed_subtests", [])[1:]:
        reported.append(f"\n{description}\n{''.join(traceback.format_exception(*error))}")
    if reported:
        item.add_report_section("call", "subtests that failed", "\n".join(reported))
    item.failed_subtests = []
