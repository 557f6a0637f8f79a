"""OpenMP together with other features of programs: exit in a region, fork, pause, threads that
OpenMP ends, plugins with their own OpenMP, MPI."""
import subprocess
import unittest

import pytest

from mpi_support import MPICH, OPEN_MPI, MpiTest
from openmp_support import NATIVE, PROGRAMS, OpenmpTest, plain
from support import HERE, SCRATCH, compile_program, need, run


class Lives(OpenmpTest):
    def test_exit_from_a_thread_of_the_team(self):
        for variant in NATIVE:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_exit_in_region.c")
                self.assertEqual(result.status, 3)
                self.assert_calls(result, {
                    "work<omp parallel<region<main<init": 2,
                    "omp barrier<omp parallel<region<main<init": 2,
                    "leave<omp parallel<region<main<init": 1,
                })

    def test_fork_before_the_first_team(self):
        for variant in NATIVE:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_fork.c")
                logs = [name for name in result.files() if name.endswith("_all.log")]
                self.assertEqual(len(logs), 2, result.files())  # parent and child
                parent = run_paths(result, min(logs, key=len))
                child = run_paths(result, max(logs, key=len))
                self.assertEqual(parent["leaf<omp parallel<region<main<init"], 4)
                self.assertEqual(child["leaf<omp parallel<region<main<init"], 6)

    def test_pause(self):
        for variant in NATIVE:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_pause.c", preload=False)
                self.assert_calls(result, {
                    "omp parallel<region<main<init": 3,  # of 5
                    "leaf<omp parallel<region<main<init": 6,
                    "omp parallel<partly<main<init": 1,
                })

    @pytest.mark.timing
    def test_destructors_of_threads(self):
        # The wait of a thread in its last region is known although the end of the wait was not reported.
        for variant in NATIVE:
            with self.subTest(str(variant)):
                result = self.profile_openmp(variant, "omp_destructor.cpp")
                self.assert_calls(result, {"omp parallel<team<main<init": 2,
                                           "use<omp parallel<team<main<init": 5})
                waited = self.seconds(result)["omp implicit barrier<omp parallel<team<main<init"]
                self.assertLess(waited, 0.1)  # none of the 100 ms after the region

    def test_plugin_with_an_openmp_of_its_own(self):
        for variant in NATIVE:
            with self.subTest(str(variant)):
                compiler = variant.compilers[".c"]
                need(compiler)
                variant.compile("omp_in_threads.c")  # skips if there is no OpenMP
                plugin = SCRATCH / f"omp_plugin_{compiler}.so"
                subprocess.run([compiler, "-O1", "-g", "-fopenmp", "-finstrument-functions",
                                "-shared", "-fPIC", str(HERE / "openmp/programs/omp_plugin.c"),
                                "-o", str(plugin)], check=True)
                program = compile_program(PROGRAMS + "omp_plugin_user.c", ("-O1",), compiler)
                result = self.profile([program, plugin], OMP_NUM_THREADS=2)
                self.assert_calls(result, {
                    "omp parallel<region<main<init": 1,
                    "omp for<omp parallel<region<main<init": 2,
                    "leaf<omp for<omp parallel<region<main<init": 10,
                })

    def test_program_without_openmp(self):
        program = compile_program(PROGRAMS + "omp_plugin_user.c", ("-O1",), "gcc")
        result = self.profile(program)
        self.assertEqual(result.calls()["main<init"], 1)
        loaded = run([program], LD_TRACE_LOADED_OBJECTS="1")
        self.assertIn("libvftrace", loaded.stdout)
        self.assertNotIn("libgomp", loaded.stdout)


def run_paths(result, log):
    """Calls by plain path of the profile next to a log."""
    (result.folder / "chosen").mkdir(exist_ok=True)
    chosen = type(result).__new__(type(result))
    chosen.folder = result.folder / "chosen" / log.replace("_all.log", "")
    chosen.folder.mkdir()
    source = result.folder / log.replace(".log", ".json")
    (chosen.folder / source.name).write_text(source.read_text())
    chosen.stderr = ""
    calls = {}
    for path, node in chosen.paths().items():
        if "omp_outlined" not in path.split("<")[0]:
            calls[plain(path)] = calls.get(plain(path), 0) + node["calls"]
    return calls


class WithMpi:
    """For each family."""

    def test_regions_that_communicate(self):
        result = self.profile("../../openmp/programs/omp_mpi.c", 2,
                              flags=["-fopenmp", "-g"], expect_warning=r"(?s).*")
        calls = {plain(path): node["calls"] for path, node in result.paths().items()}
        region = "omp parallel<funneled<main<init"
        expected = {region: 10, f"leaf<{region}": 20, f"MPI_Barrier<{region}": 10,
                    f"omp barrier<{region}": 20,
                    "MPI_Sendrecv<omp critical<omp parallel<in_turn<main<init": 4,
                    "leaf<omp parallel<in_turn<main<init": 4}
        self.assertEqual({path: calls.get(path) for path in expected}, expected, calls)


class OpenMpi(WithMpi, MpiTest):
    family = OPEN_MPI


class Mpich(WithMpi, MpiTest):
    family = MPICH


if __name__ == "__main__":
    unittest.main()
