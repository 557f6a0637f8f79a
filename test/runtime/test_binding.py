"""On which processors threads may run: as taskset and the program say."""
import csv
import os
import unittest

import pytest

from mpi_support import LINKED, MPICH, OPEN_MPI, compile_mpi, launch_mpi
from support import COMMAND, ProgramTest, compile_program, run


class Binding(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cores = sorted(os.sched_getaffinity(0))
        if len(cls.cores) < 2:
            raise unittest.SkipTest("needs two processors")

    def table(self, file):
        text = run([COMMAND, "report", "--table", "binding", "--format", "csv", file], preload=False).stdout
        return [(row["processors"], int(row["threads"])) for row in csv.DictReader(text.splitlines())]

    def findings(self, file):
        return " ".join(run([COMMAND, "report", "--findings", file], preload=False).stdout.split())

    def test_threads(self):
        first, second = map(str, self.cores[:2])
        program = compile_program("bound_threads.c", ("-O2",), link=("-pthread",))
        apart = run([program, first, second])
        self.assertIn((first, 1), self.table(apart.folder / "bound_threads_all.json"))
        self.assertIn((second, 1), self.table(apart.folder / "bound_threads_all.json"))
        self.assertNotIn("binding", self.findings(apart.folder / "bound_threads_all.json"))
        together = run([program, first, first])
        file = together.folder / "bound_threads_all.json"
        self.assertIn((first, 2), self.table(file))
        self.assertRegex(self.findings(file), rf"2 busy threads may use only processor {first} of host \S+ \((certain|likely), binding\)")
        self.assertNotIn("preempted", self.findings(file))

    @pytest.mark.mpi
    def test_ranks(self):
        """Two ranks that a launcher has given the same processor."""
        core = str(self.cores[0])
        for family in (OPEN_MPI, MPICH):
            with self.subTest(family=family.name):
                family.need("mpicc", "mpirun")
                program = compile_mpi(family, "bound_ranks.c", how=LINKED)
                result = launch_mpi(family, [*family.launch(2), "taskset", "-c", core, program], 2)
                self.assertEqual(result.status, 0, result.stderr)
                file = result.folder / f"{program.name}_all.json"
                self.assertEqual([processors for processors, _ in self.table(file)][:2], [core, core])
                self.assertRegex(self.findings(file), rf"busy threads may use only processor {core} of host \S+: "
                                                      r"ranks 0 and 1 \((certain|likely), binding\)")


if __name__ == "__main__":
    unittest.main()
