"""The bundled example: its results are the same on any number of processes, with and without us."""
import os
import shutil
import subprocess
import unittest

import pytest

from support import BUILD, SOURCE, clean_environment, need, run, scratch_folder

ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1}
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
RUNS = (["--nx", "33", "--ny", "22", "--steps", "60", "--every", "7", "--image", "lake.pgm"],
        ["--nx", "3", "--ny", "5", "--steps", "20"],
        ["--case", "lake", "--size", "16", "--steps", "10"])

_programs = {}


@pytest.mark.mpi
class Example(unittest.TestCase):
    maxDiff = None

    def program(self, *settings, **variables):
        """The example, built with these settings of make; once for the same settings."""
        need("make")
        need("g++")
        key = (settings, tuple(variables))
        if key not in _programs:
            folder = scratch_folder() / "example"
            shutil.copytree(SOURCE / "examples" / "shallow_water", folder)
            result = subprocess.run(["make", "-C", folder, *settings], capture_output=True,
                                    text=True, env=clean_environment(**variables))
            self.assertEqual(result.returncode, 0, result.stderr)
            _programs[key] = folder / ("shallow_water" + "_mpi" * ("MPI=1" in settings))
        return _programs[key]

    def results(self, *command):
        result = run(command, preload=False, **ROOT)
        self.assertEqual(result.status, 0, result.stderr + result.stdout)
        image = result.folder / "lake.pgm"
        return result.stdout, image.read_bytes() if image.exists() else None

    def families(self):
        found = [family for family in LAUNCHERS
                 if shutil.which(f"mpicxx.{family}") and shutil.which(LAUNCHERS[family][0])]
        if not found:
            self.skipTest("no MPI is installed (under Debian's names)")
        return found

    def expected(self, *arguments):
        return self.results(self.program(), *arguments)

    @pytest.mark.slow
    def test_same_digits_on_any_number_of_processes(self):
        for family in self.families():
            program = self.program("MPI=1", f"CXX=mpicxx.{family}")
            for count in ("1", "2", "3", "4"):
                for arguments in RUNS:
                    with self.subTest(family=family, count=count, arguments=arguments):
                        self.assertEqual(self.results(*LAUNCHERS[family], "-np", count, program,
                                                      *arguments), self.expected(*arguments))

    def test_checks_pass_on_several_processes(self):
        for family in self.families():
            program = self.program("MPI=1", f"CXX=mpicxx.{family}")
            self.assertEqual(self.results(*LAUNCHERS[family], "-np", "2", program, "--verify"),
                             self.expected("--verify"))

    def test_same_digits_with_a_profile(self):
        for family in self.families():
            program = self.program("MPI=1", "CXX=vftrace-mpic++", "CPPFLAGS=-DUSE_VFTRACE",
                                   f"VFTRACE_MPICXX=mpicxx.{family}",
                                   PATH=f"{BUILD / 'scripts'}:{os.environ['PATH']}")
            for arguments in RUNS:
                with self.subTest(family=family, arguments=arguments):
                    self.assertEqual(self.results(*LAUNCHERS[family], "-np", "2", program,
                                                  *arguments), self.expected(*arguments))

    def test_too_few_rows_for_the_processes(self):
        for family in self.families():
            program = self.program("MPI=1", f"CXX=mpicxx.{family}")
            result = run([*LAUNCHERS[family], "-np", "3", program, "--ny", "2"], preload=False,
                         **ROOT)
            self.assertEqual((result.status, result.stdout), (2, ""))
            self.assertEqual(result.stderr.count("2 rows are too few for 3 processes"), 1)


if __name__ == "__main__":
    unittest.main()
