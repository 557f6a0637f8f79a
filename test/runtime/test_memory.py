"""Memory that runs out, at every request of a run: the program behaves as it does alone.

By default some of the requests fail, spread over the run; all of them with
run_tests.py --all."""
import collections
import concurrent.futures
import struct
import tempfile
import unittest

from mpi_support import LINKED, MPICH, OPEN_MPI, compile_mpi
from support import EVERYTHING, LINK_LIBRARY, compile_program, run, scratch_folder

USUAL = 30  # runs of a test and mode


def chosen(requests, most):
    """Numbers of requests: the first ones, then some spread over the run, the last one."""
    if EVERYTHING or requests <= most:
        return range(1, requests + 1)
    step = requests / most
    return sorted({1, 2, 3, requests} | {int(step * i) + 1 for i in range(most)})


class OutOfMemory(unittest.TestCase):
    processes = 1

    def setUp(self):
        self.failing = compile_program("memory_fails.c", ("-O1", "-shared", "-fPIC"),
                                       instrument=False, output="memory_fails.so")

    def start(self, command, at=None, from_there_on=False, of="", **variables):
        """Returns the run and the number of its requests."""
        folder = scratch_folder()
        counter = folder / "requests"
        counter.write_bytes(bytes(8))
        (folder / "trees").mkdir()
        # Two mpirun of Open MPI that start at once in one folder for temporary files are in each other's way.
        with tempfile.TemporaryDirectory(prefix="vft", ignore_cleanup_errors=True) as temporary:
            result = run(command, preload=False, folder=folder, timeout=120,
                         LD_PRELOAD=self.failing, MEMORY_COUNT=counter, MEMORY_OF=of,
                         MEMORY_FAILS_AT=at, MEMORY_FAILS_FROM_THERE_ON=from_there_on or None,
                         VFTR_TREE_FILE_DIRECTORY=folder / "trees", TMPDIR=temporary, **variables)
        requests, = struct.unpack("q", counter.read_bytes())
        return result, requests

    def outcome(self, result):
        """What must not change. The library may report that there is no memory, each message once."""
        for line, times in collections.Counter(result.stderr.splitlines()).items():
            if "vftrace" in line:
                self.assertLessEqual(times, self.processes, line)
        # No allocation failed outside a guard (guest/reserve.hpp).
        self.assertNotIn("nothing more is recorded", result.stderr)
        return result.status, sorted(result.stdout.splitlines())

    def check(self, command, most=USUAL, of="", modes=(False, True), **variables):
        complete, requests = self.start(command, of=of, **variables)
        alone = run(command, preload=False, **{**variables, "VFTR_OFF": "yes"})
        self.assertEqual(self.outcome(complete), self.outcome(alone), complete.stderr)
        self.assertGreater(requests, 50)
        self.assertTrue([name for name in complete.files() if name.endswith("_all.json")])

        def fail(at, from_there_on):
            result, _ = self.start(command, at, from_there_on, of, **variables)
            return at, from_there_on, result

        attempts = [(at, on) for at in chosen(requests, most) for on in modes]
        noticed = 0
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for at, on, result in pool.map(lambda attempt: fail(*attempt), attempts):
                with self.subTest(at=at, from_there_on=on):
                    self.assertEqual(self.outcome(result), self.outcome(alone),
                                     result.stderr)
                noticed += "out of memory" in result.stderr
        self.assertGreater(noticed, 0)

    def program(self, *flags):
        return compile_program("needs_no_memory.c", ("-O1", *flags),
                               link=(*LINK_LIBRARY, "-pthread"))

    def test_calls(self):
        self.check([self.program()])

    def test_thread(self):
        # libc needs memory for a thread, so only our own requests fail.
        self.check([self.program(), "thread"], of="vftrace")

    def test_trace(self):
        self.check([self.program()], VFTR_SAMPLING_ACTIVE="yes",
                   VFTR_SAMPLING_PRECISE_FUNCTIONS="leaf")

    def test_samples(self):
        self.check([self.program()], VFTR_STACK_SAMPLING_FREQUENCY="1000")

    def test_options_that_need_memory(self):
        self.check([self.program()], VFTR_FILTER_EXCLUDE="leaf", VFTR_HWPROF_ACTIVE="yes",
                   VFTR_HWPROF_TYPE="dummy", VFTR_PRINT_CONFIG="yes",
                   VFTR_HWPROF_COUNTERS='[{"hwc_name": "A", "symbol": "a"}]',
                   VFTR_PROFILE_TABLE_SEPARATE="yes")

    def check_mpi(self, family):
        """One of two ranks has no memory; the other does not wait for it."""
        command = [*family.launch(2), compile_mpi(family, "status_then_free.c", how=LINKED)]
        self.processes = 2
        for rank in (0, 1):
            self.check(command, 5, "vftrace", (True,), MEMORY_FAILS_RANK=rank,
                       VFTR_SAMPLING_ACTIVE="yes", **family.environment)

    def test_open_mpi(self):
        self.check_mpi(OPEN_MPI)

    def test_mpich(self):
        self.check_mpi(MPICH)
