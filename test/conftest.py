"""Sets up what all tests need, and collects the tests for pytest.

    pytest [--build DIR] [--match TEXT]... test

works too, but run_tests.py runs all tests in the intended way."""
import os
import pathlib
import platform
import shutil
import signal
import sys
import tempfile

import pytest

import other_tests
import subtests
from names_of_tests import name_of

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
BASES = {"MpiTest": "mpi", "GpuTest": "gpu"}  # base classes whose tests have a marker
BUILDERS = ("test_house.py", "test_sanitizers.py")
FILES = {"test_mpi_": "mpi", "test_gpu": "gpu"}


def pytest_addoption(parser):
    group = parser.getgroup("vftrace")
    group.addoption("--build", help="folder that make ran in (default: build beside the folder of the tests)")
    group.addoption("--match", action="append", default=[], metavar="TEXT",
                    help="only tests whose name contains this, or one of these")
    group.addoption("--exactly", action="append", default=[], metavar="NAME", help="only the test of this name")


def pytest_configure(config):
    subtests.install()
    if hasattr(config, "workerinput"):
        return  # a worker of xdist, which has inherited all this
    if config.option.build or "VFTRACE_TEST_BUILD" not in os.environ:
        os.environ["VFTRACE_TEST_BUILD"] = str(pathlib.Path(config.option.build or HERE.parent / "build").resolve())
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    # Shells make their background jobs ignore these signals, and the tests' programs would inherit that.
    for number in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Programs that are killed leave files behind. They do not go into the build folder because MPI
    # libraries create sockets in TMPDIR, whose paths must be short.
    config.folder_before = os.environ.get("TMPDIR")
    os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="vft")
    # Open MPI removes its folder there when it is empty, although another mpirun is about to use it.
    of_open_mpi = pathlib.Path(os.environ["TMPDIR"], f"ompi.{platform.node()}.{os.getuid()}")
    of_open_mpi.mkdir(mode=0o700)
    (of_open_mpi / "in_use").touch()


def pytest_unconfigure(config):
    if hasattr(config, "folder_before"):
        shutil.rmtree(os.environ.pop("TMPDIR"), ignore_errors=True)
        if config.folder_before is not None:
            os.environ["TMPDIR"] = config.folder_before


def pytest_collect_file(file_path, parent):
    return other_tests.collector(file_path, parent)


def pytest_itemcollected(item):
    name = name_of(item.nodeid)
    markers = {marker for start, marker in FILES.items() if name.startswith(start)}
    markers |= {BASES[base.__name__] for base in getattr(getattr(item, "cls", None), "__mro__", ())
                if base.__name__ in BASES}
    for marker in sorted(markers):
        item.add_marker(marker)


def pytest_collection_modifyitems(config, items):
    wanted = [item for item in items if chosen(config.option, name_of(item.nodeid))]
    config.hook.pytest_deselected(items=[item for item in items if item not in wanted])
    # Workers take one file after the other: slow files start first, and before them those that build the library.
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items[:] = sorted(wanted, key=lambda item: (item.path.name not in BUILDERS, item.path not in slow))


def chosen(options, name):
    if options.exactly and name not in options.exactly:
        return False
    return not options.match or any(text in name for text in options.match)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    if config.option.dist != "loadfile":
        return None
    from scheduling import FilesByProcess
    return FilesByProcess(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item):
    subtests.report_all(item)
