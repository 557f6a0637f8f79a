"""The number of instructions in wrappers of MPI functions, which unlike the times of the benchmark
does not depend on the machine's load. A stub MPI returns at once."""
import platform
import re
import subprocess
import unittest

from mpi_support import PROGRAMS
from support import HERE, need, need_fast_clock, run, scratch_folder

STUB = HERE / "bench" / "mpi"
CALLS = 2000

# The largest number of instructions that vftrace may add to a call, or to MPI_Isend and MPI_Wait
# together: 10 to 20 % more than measured with gcc 12 and -O2.
LIMITS = {
    "comm_rank": 235,  # 20 of them because under valgrind the call is long enough for a bin of durations
    "send": 490,
    "isend": 1180,
}


class Cost:
    """For each binary interface."""

    def setUp(self):
        need("gcc")
        need("valgrind")
        need_fast_clock()
        folder = scratch_folder()
        library, self.program = folder / self.soname, folder / "call_number"
        for command in (
                ["-shared", "-fPIC", f"-Wl,-soname,{self.soname}", STUB / "stub_mpi.c",
                 "-o", library],
                ["-I", STUB, PROGRAMS / "call_number.c", library, f"-Wl,-rpath,{folder}",
                 "-o", self.program]):
            subprocess.run(["gcc", "-O2", "-w", f"-D{self.interface}", *command], check=True)

    def instructions(self, kind, number, preload):
        folder = scratch_folder()
        result = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=out", self.program,
                      kind, number], preload, folder=folder, VFTR_JSON="no", STUB_MPI_SIZE="2")
        if "unhandled dwarf2" in result.stderr:
            self.skipTest("this valgrind cannot read the compiler's debug information")
        self.assertEqual(result.status, 0, result.stderr)
        if preload:
            self.assertIn(f" {number} ", result.text("_0.log"), "the calls were recorded")
        return int(re.search(r"^(?:summary|totals): (\d+)", (folder / "out").read_text(), re.M)[1])

    def added(self, kind):
        """The additional instructions of a call with the library. Only the second half of the calls
        counts, because the first calls are slower: they allocate memory and look up handles."""
        plain, profiled = (self.instructions(kind, 2 * CALLS, preload) -
                           self.instructions(kind, CALLS, preload) for preload in (False, True))
        return (profiled - plain) / CALLS

    def check(self, kind):
        added = self.added(kind)
        self.assertGreater(added, 40, "an entry and an exit at least")
        self.assertLess(added, LIMITS[kind])

    def test_a_call_without_messages(self):
        self.check("comm_rank")

    def test_send(self):
        self.check("send")

    def test_isend_and_wait(self):
        self.check("isend")


@unittest.skipUnless(platform.machine() == "x86_64", "instructions of x86-64")
class OpenMpiCost(Cost, unittest.TestCase):
    interface, soname = "OPEN_MPI_ABI", "libmpi.so.40"


@unittest.skipUnless(platform.machine() == "x86_64", "instructions of x86-64")
class MpichCost(Cost, unittest.TestCase):
    interface, soname = "MPICH_ABI", "libmpich.so.12"


if __name__ == "__main__":
    unittest.main()
