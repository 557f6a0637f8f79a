"""Samples in addition to hooks: functions whose hooks were removed keep their rows, with the right
time."""
import json
import platform
import subprocess
import unittest

import pytest

from mpi_support import MPICH, OPEN_MPI, PRELOAD, MpiTest
from support import (COMMAND, LIBRARY, PROLOGUES, LINK_LIBRARY, ProgramTest, clean_environment,
                     compile_program, need_fast_clock, need_part, scratch_folder)
from test_overhead import names_of_filtered, nodes_of

BUDGET = {"VFTR_OVERHEAD_BUDGET": "5", "VFTR_TIMING": "auto"}
OFF = {**BUDGET, "VFTR_STACK_SAMPLING_BESIDE_HOOKS": "off"}


def program(*flags, **how):
    return compile_program("beside_hooks.c", ("-O2", "-pthread", *flags), **how)


@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class BesideHooks(ProgramTest):
    def setUp(self):
        super().setUp()
        need_fast_clock()

    def check(self, profile, calls=("calls-until-removal", "calls-estimated")):
        """Each of the two takes half of the time; with about 200 samples or more, the limits are 4 standard deviations away."""
        removed = names_of_filtered(profile)["short_one"]
        self.assertEqual((removed["reason"], removed["still_called"]), ("sampled", False))
        short, long = (nodes_of(profile, name) for name in ("short_one", "long_one"))
        self.assertTrue(all(set(calls) & set(node["flags"]) for node in short))
        self.assertGreater(sum(node["samples"] for node in short), 30)
        working = ("short_one", "long_one", "caller", "work")
        total = sum(node["exclusive_ns"] for name in working for node in nodes_of(profile, name))
        share = sum(node["exclusive_ns"] for node in short) / total
        self.assertGreater(share, 0.36)
        self.assertLess(share, 0.64)
        self.assertAlmostEqual(sum(node["exclusive_ns"] for node in long) / total, 1 - share, delta=0.1)
        # The standard error is neither far too small nor far too large.
        error = max(node["exclusive_error_ns"] for node in short) / total
        self.assertGreater(error, 0.005)
        self.assertLess(error, 0.15)

    @pytest.mark.timing
    def test_short_function(self):
        result = self.profile(program(), **BUDGET)
        self.check(result.profile())
        self.assertRegex(result.text(), r"\| +(>=|~)\d+ \|[^\n]*\| +short_one \|")
        self.assertIn("times are from samples, for the whole run", result.text())

    @pytest.mark.timing
    def test_calls_are_estimated_from_those_of_the_caller(self):
        """About 200 calls of the caller in 0.1 s, each of which calls the short one as often as the others; it
        takes too long to lose its own hooks."""
        rounds = 4000
        result = self.profile(program(f"-DROUNDS={rounds}"), **BUDGET)
        self.check(result.profile(), calls=["calls-estimated"])
        self.assertAlmostEqual(sum(node["calls"] for node in nodes_of(result.profile(), "short_one")),
                               24000000, delta=240000)
        self.assertRegex(result.text(), r"\| +~2[34]\d{6} \|[^\n]*\| +short_one \|")

    @pytest.mark.timing
    def test_hooks_of_prologues(self):
        hooked = program(*PROLOGUES, instrument=False, link=LINK_LIBRARY)
        self.check(self.profile(hooked, **BUDGET).profile())

    @pytest.mark.timing
    def test_threads(self):
        self.check(self.profile([program(), "threads"], **BUDGET).profile())

    @pytest.mark.timing
    def test_parallel_region(self):
        """Functions called directly from a construct had no samples, because no function is open there."""
        profile = self.profile(compile_program("beside_hooks_openmp.c", ("-O2", "-fopenmp")),
                               OMP_NUM_THREADS="2", **BUDGET).profile()
        # Their times are not compared, because waiting for a processor is part of the construct's time.
        short, construct = (sum(node.get("samples", 0) for node in profile["nodes"]
                                if profile["functions"][node["function"]]["display"].startswith(name))
                            for name in ("short_one", "omp parallel"))
        self.assertGreater(short, 5 * construct)

    def test_without_samples_its_time_is_its_callers(self):
        profile = self.profile(program(), **OFF).profile()
        self.assertEqual(names_of_filtered(profile)["short_one"]["reason"], "budget")
        self.assertEqual(nodes_of(profile, "short_one"), [])

    def test_nothing_is_sampled_if_every_call_is_timed(self):
        for variables in ({"VFTR_TIMING": "exact", "VFTR_OVERHEAD_BUDGET": "0"},
                          {**BUDGET, "VFTR_OVERHEAD_CORRECTED": "no"}):
            profile = self.profile(program(), **variables).profile()
            self.assertFalse(any("samples" in node for node in profile["nodes"]))

    @pytest.mark.timing
    def test_killed(self):
        """Samples are in the tree file like everything else."""
        need_part("BUILD_TOOLS")
        trees, folder = scratch_folder(), scratch_folder()
        subprocess.run([program(), "kill"], cwd=folder, stdout=subprocess.DEVNULL,
                       env=clean_environment(LD_PRELOAD=LIBRARY, TMPDIR=trees, **BUDGET))
        done = subprocess.run([COMMAND, "recover", *trees.iterdir()], cwd=folder, capture_output=True,
                              text=True, env=clean_environment(TMPDIR=trees))
        self.assertEqual(done.returncode, 0, done.stderr)
        path = next(path for path in folder.iterdir() if path.name.endswith(".json"))
        self.check(json.loads(path.read_text()))

    def test_diff_with_a_run_without_samples(self):
        """A function without a row in one run is not new in the other."""
        need_part("BUILD_TOOLS")
        with_rows, without = (self.profile(program(), **variables) for variables in (BUDGET, OFF))
        paths = [next(path for path in result.folder.iterdir() if path.name.endswith(".json"))
                 for result in (with_rows, without)]
        printed = subprocess.run([COMMAND, "diff", *paths, "--json"], capture_output=True, text=True,
                                 env=clean_environment())
        self.assertEqual(printed.returncode, 0, printed.stderr)
        row, = json.loads(printed.stdout)["filtered_in_one"]
        self.assertEqual((row["function"], row["filtered_in"]), ("short_one", "b"))


class SampledJobs:
    def test_a_function_that_one_rank_has_removed(self):
        need_fast_clock()
        result = self.profile("filtered_on_one_rank.c", 3, how=PRELOAD, config={"overhead.budget": 10})
        profile = result.profile()
        removed = names_of_filtered(profile)["tiny"]
        nodes = nodes_of(profile, "tiny")
        # If the run is too short for 30 samples, there is no row, as before.
        self.assertEqual(removed["reason"] == "sampled", bool(nodes))


@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class OpenMpiSampledJobs(SampledJobs, MpiTest):
    family = OPEN_MPI


@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class MpichSampledJobs(SampledJobs, MpiTest):
    family = MPICH
