"""What limits the cost of measuring in whole programs: thinning, the budget, corrected times."""
import platform
import resource
import unittest

import pytest

from mpi_support import MPICH, OPEN_MPI, PRELOAD, MpiTest
from support import (LINK_LIBRARY, PROLOGUES, ProgramTest, compile_program, need_fast_clock,
                     run)

NO_SAMPLES = {"VFTR_STACK_SAMPLING_BESIDE_HOOKS": "off"}
OFF = {"VFTR_TIMING": "exact", "VFTR_OVERHEAD_CORRECTED": "no"}


def nodes_of(profile, function):
    return [node for node in profile["nodes"]
            if profile["functions"][node["function"]]["name"] == function]


def names_of_filtered(profile):
    return {profile["functions"][row["function"]]["name"]: row
            for row in profile.get("filtered", [])}


def processor_seconds(program):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run([program], preload=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


@pytest.mark.timing
@unittest.skipUnless(platform.machine() == "x86_64", "thinning needs the processor's clock")
class Thinning(ProgramTest):
    def setUp(self):
        super().setUp()
        need_fast_clock()

    def test_period_of_the_program(self):
        """An estimate that locked on to the period would be off by a factor of about 10."""
        program = compile_program("overhead_periodic.c", ("-O2",))
        times = {}
        for timing in ("exact", "auto"):
            profile = self.profile(program, VFTR_TIMING=timing).profile()
            node, = nodes_of(profile, "periodic")
            self.assertEqual(node["calls"], 400000)
            self.assertEqual("thinned" in node.get("flags", []), timing == "auto")
            times[timing] = node["exclusive_ns"]
        self.assertLess(node["exclusive_error_ns"], 0.2 * node["exclusive_ns"])
        self.assertLess(times["auto"], 3 * times["exact"])
        # Exact times include waiting for a processor, which estimates nearly exclude.
        plain = compile_program("overhead_periodic.c", ("-O2",), instrument=False)
        self.assertGreater(times["auto"], 1e9 * min(processor_seconds(plain) for _ in range(3)) / 3)

    def test_everything_off(self):
        profile = self.profile(compile_program("overhead_budget.c", ("-O2",)), **OFF).profile()
        self.assertNotIn("filtered", profile)
        for node in profile["nodes"]:
            self.assertNotIn("thinned", node.get("flags", []))
            self.assertFalse([key for key in node if key.startswith("raw_") or "error" in key])
        self.assertEqual(nodes_of(profile, "tiny")[0]["calls"], 20000000)

    def test_both_times_are_kept(self):
        profile = self.profile(compile_program("overhead_budget.c", ("-O2",))).profile()
        node, = nodes_of(profile, "caller")
        # It contains 40 million calls of hooks.
        self.assertLess(node["inclusive_ns"], node["raw_inclusive_ns"])
        self.assertGreater(node["inclusive_error_ns"], 0)


@pytest.mark.timing
@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class Budget(ProgramTest):
    """Without samples, which would give rows to functions whose hooks were removed (see test_beside_hooks.py)."""

    def setUp(self):
        super().setUp()
        need_fast_clock()

    def test_default(self):
        program = compile_program("overhead_budget.c", ("-O2",))
        result = self.profile(program, VFTR_OVERHEAD_BUDGET="", **NO_SAMPLES)
        profile = result.profile()
        filtered = names_of_filtered(profile)
        self.assertEqual((filtered["tiny"]["reason"], filtered["tiny"]["still_called"]),
                         ("budget", False))
        self.assertLess(filtered["tiny"]["calls"], 20000000)
        self.assertGreater(filtered["tiny"]["moment_ns"], 0)
        self.assertEqual(nodes_of(profile, "tiny"), [])
        self.assertIn("Filtered functions", result.text())
        # A function that leads to a region stays, and every call of it counts.
        self.assertEqual(nodes_of(profile, "leads_to_region")[0]["calls"], 20000000)
        self.assertEqual(nodes_of(profile, "now and then")[0]["calls"], 200)

    def test_loops_over_containers(self):
        """gcc inlines the iterators' functions with their hooks, whose addresses it loads behind the loop."""
        program = compile_program("overhead_iterators.cpp", ("-O1", "-finstrument-functions"), "g++", instrument=False)
        filtered = names_of_filtered(self.profile(program, VFTR_OVERHEAD_BUDGET="").profile())
        self.assertGreaterEqual(len(filtered), 3)
        self.assertEqual([name for name, row in filtered.items() if row["still_called"]], [])

    def test_sum_of_all_times_is_the_run_time(self):
        program = compile_program("overhead_budget.c", ("-O2",))
        for budget in ("0", ""):
            run_info = self.profile(program, VFTR_OVERHEAD_BUDGET=budget).profile()
            exclusive = sum(node["exclusive_ns"] for node in run_info["nodes"])
            self.assertLessEqual(exclusive, run_info["run"]["runtime_ns"] + 2000)
            # Most of the run time is the cost of the hooks, and what is left without it may be close to nothing.
            self.assertGreater(exclusive, run_info["run"]["application_ns"] - 0.1 * run_info["run"]["runtime_ns"])

    def test_folded_recursion_is_seen(self):
        """Each level beyond the limit once took the slow path, which no review saw."""
        program = compile_program("folded_recursion.c", ("-O1", *PROLOGUES), instrument=False,
                                  link=LINK_LIBRARY)
        # The budget is small because on a machine with other work the run takes much longer, but the calls do not.
        profile = self.profile([program, "12", "800"], VFTR_OVERHEAD_BUDGET="0.1").profile()
        filtered = names_of_filtered(profile)
        self.assertIn("node", filtered)
        self.assertFalse(filtered["node"]["still_called"])
        self.assertLess(filtered["node"]["calls"], 800 * (2 ** 12 - 1))

    def test_cost_of_folded_recursion_is_overhead(self):
        program = compile_program("folded_recursion.c", ("-O1",))
        profile = self.profile([program, "12", "40"], VFTR_TIMING="exact").profile()
        cost_a_call = {name: [node["overhead_ns"] / node["calls"]
                              for node in nodes_of(profile, name) if node["calls"] > 1000]
                       for name in ("node", "leaf")}
        # The cost is not that of direct recursion, which does not read the clock.
        self.assertGreater(max(cost_a_call["node"]), 0.6 * max(cost_a_call["leaf"]))

    def test_short_runs_lose_nothing(self):
        program = compile_program("overhead_budget.c", ("-O2",))
        profile = self.profile([program, "500"], VFTR_OVERHEAD_BUDGET="").profile()
        self.assertNotIn("filtered", profile)
        self.assertEqual(nodes_of(profile, "tiny")[0]["calls"], 500)


@pytest.mark.timing
class BudgetOfJobs:
    def test_filtered_on_any_rank_is_filtered_on_all(self):
        need_fast_clock()
        result = self.profile("filtered_on_one_rank.c", 3, how=PRELOAD,
                              config={"overhead.budget": 10, "logfile_for_ranks": "all",
                                      "stack_sampling.beside_hooks": "off"})
        profile = result.profile()
        self.assertEqual(nodes_of(profile, "tiny"), [])
        self.assertIn("tiny", names_of_filtered(profile))
        self.assertGreater(names_of_filtered(profile)["tiny"]["calls"], 20)
        for rank in range(3):
            log = (result.folder / f"filtered_on_one_rank_{rank}.log").read_text()
            rows = log.split("Filtered functions")
            self.assertNotIn(" tiny |", rows[0])
            self.assertIn(" tiny |", rows[1])


@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class OpenMpiBudget(BudgetOfJobs, MpiTest):
    family = OPEN_MPI


@unittest.skipUnless(platform.machine() == "x86_64", "hooks are overwritten on x86-64 only")
class MpichBudget(BudgetOfJobs, MpiTest):
    family = MPICH


class LibraryStart(ProgramTest):
    def times(self):
        return self.profile(compile_program("short_sleep.c")).profile()["run"]

    def test_counts_as_overhead(self):
        times = self.times()
        overhead = {item["code"]: item["time_ns"] for item in times["overhead"]}
        self.assertGreater(overhead["library-start"], 0)
        self.assertGreaterEqual(times["delay_ns"], overhead["library-start"])
        self.assertEqual(times["application_ns"], times["runtime_ns"] - times["delay_ns"])

    @pytest.mark.timing
    def test_application_time_is_that_of_the_program(self):
        self.assertLess(min(self.times()["application_ns"] for _ in range(10)), 3e6)


class ApplicationTime(ProgramTest):
    """The application time is the sum of the rows and never negative, however much hooks cost."""

    def check(self, **variables):
        program = compile_program("tiny_functions.c", ("-O1", *PROLOGUES), instrument=False,
                                  link=LINK_LIBRARY)
        for _ in range(4):
            profile = self.profile(program, **variables).profile()
            times = profile["run"]
            rows = sum(node["exclusive_ns"] for node in profile["nodes"])
            self.assertGreaterEqual(min(node["exclusive_ns"] for node in profile["nodes"]), 0)
            self.assertGreaterEqual(times["application_ns"], 0)
            # What a hypervisor takes away is run time, but samples, which follow the processor time, are in no row then.
            used = sum(row["value"] for row in profile["rank_metrics"]
                       if profile["metrics"][row["metric"]]["name"] in ("process.user", "process.system"))
            taken = max(times["runtime_ns"] - used, 0)
            self.assertAlmostEqual(times["application_ns"], rows, delta=0.01 * times["application_ns"] + 1e6 + taken)
            self.assertGreater(times["delay_error_ns"], 0)

    def test_by_clock_and_samples(self):
        self.check(VFTR_OVERHEAD_BUDGET=0)

    def test_by_the_clock(self):
        self.check(**NO_SAMPLES, VFTR_TIMING="exact", VFTR_OVERHEAD_BUDGET=0)
