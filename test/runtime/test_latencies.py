"""How long calls take: percentiles and the longest call of each path, against the program's clock."""
import csv
import json
import math
import subprocess
import unittest

from latency_bins import bin_of, percentile_bin, start_of_bin
from mpi_support import MPICH, OPEN_MPI, PRELOAD, compile_mpi, run_mpi
from support import (COMMAND, LINK_LIBRARY, PROLOGUES, ProgramTest, clean_environment, compile_program, need_part, run,
                     scratch_folder)

SHARES = (0.5, 0.9, 0.99)


def rows_of(profile):
    """{path: row} of the list `latencies`."""
    functions, nodes = profile["functions"], profile["nodes"]
    return {"<".join(names_to_root(functions, nodes, row["node"])): row
            for row in profile.get("latencies", [])}


def names_to_root(functions, nodes, number):
    while number is not None:
        yield functions[nodes[number]["function"]]["display"]
        number = nodes[number]["parent"]


class Latencies(ProgramTest):
    def measured(self, output):
        """{function: sorted durations that the program measured}"""
        return {words[0]: sorted(map(int, words[1:])) for words in map(str.split, output.splitlines())}

    def check(self, profile, output):
        rows = rows_of(profile)
        for name, exact in self.measured(output).items():
            row = rows[f"{name}<main<init"]
            self.assertEqual(row["calls"], len(exact))
            self.assertEqual(sum(row["counts"]), len(exact))
            for share in SHARES:
                # The program's clock adds its own time, and the thread may lose its processor just then.
                here = percentile_bin(row, share)
                there = exact[math.ceil(share * len(exact)) - 1]
                lower = exact[max(math.ceil((share - 0.005) * len(exact)) - 1, 0)]
                self.assertLessEqual(bin_of(lower) - 1, here, (name, share))
                self.assertLessEqual(here, bin_of(there) + 1, (name, share))
            self.assertLessEqual(row["longest"]["time_ns"], exact[-1])
            self.assertGreaterEqual(bin_of(row["longest"]["time_ns"]), bin_of(exact[-2]) - 1)
            self.assertLess(row["longest"]["end_ns"], profile["run"]["runtime_ns"])

    def test_percentiles(self):
        for hooks, program in (
                ("bodies", compile_program("latencies.c", ("-O1",), link=LINK_LIBRARY)),
                ("prologues", compile_program("latencies.c", ("-O1", *PROLOGUES), instrument=False,
                                              link=LINK_LIBRARY))):
            with self.subTest(hooks=hooks):
                result = run([program], preload=False, VFTR_TIMING="exact")
                self.assertEqual(result.status, 0, result.stderr)
                self.check(result.profile(), result.stdout)

    def test_what_is_left_out(self):
        """Short calls are counted, a single call has no row, and recursion is part of the outermost call."""
        rows = rows_of(run([compile_program("latencies.c", ("-O1",))], VFTR_TIMING="exact").profile())
        self.assertNotIn("main<init", rows)
        self.assertEqual(rows["falls<main<init"]["calls"], 2)
        self.assertEqual(sum(rows["falls<main<init"]["counts"]), 2)
        short = rows.get("is_short<main<init")
        self.assertLess(sum(short["counts"]) if short else 0, 20)

    def test_thinned(self):
        """Of a path of which few calls are timed, the long ones are an estimate."""
        result = run([compile_program("latencies.c", ("-O1",))])
        row = rows_of(result.profile())["spin<main<init"]
        self.assertEqual(row["calls"], 2000)
        self.assertLess(abs(sum(row["counts"]) - 2000), 300)

    def test_traced(self):
        result = run([compile_program("latencies.c", ("-O1",))], VFTR_SAMPLING_ACTIVE="yes")
        self.check(result.profile(), result.stdout)

    def test_killed(self):
        """After SIGKILL, the durations are in the tree file."""
        need_part("BUILD_TOOLS")
        folder = scratch_folder()
        killed = run([compile_program("latencies.c", ("-O1",)), "killed"], folder=folder, VFTR_TREE_FILE_DIRECTORY=folder, VFTR_TIMING="exact")
        self.assertEqual(killed.status, -9)
        tree, = folder.glob("*.tree")
        done = subprocess.run([COMMAND, "recover", tree], cwd=folder, env=clean_environment(),
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = rows_of(killed.profile())
        self.assertEqual(sum(rows["spin<main<init"]["counts"]), 2000)
        self.assertGreater(rows["waits<main<init"]["longest"]["time_ns"], 20e6)

    def test_table(self):
        need_part("BUILD_TOOLS")
        result = run([compile_program("latencies.c", ("-O1",))], VFTR_TIMING="exact")
        saved, = result.folder.glob("*_all.json")
        text = run([COMMAND, "report", "--latencies", "--format", "csv", saved], preload=False).stdout
        rows = {row["function"]: row for row in csv.DictReader(text.splitlines()) if row["caller"] == "main"}
        waits = {name: float(rows["waits"][f"{name}[ms]"]) for name in ("p50", "p90", "p99", "longest")}
        self.assertLessEqual(waits["p50"], waits["p90"])
        self.assertLessEqual(waits["p99"], waits["longest"])
        self.assertGreaterEqual(waits["longest"], 20)
        self.assertGreater(float(rows["waits"]["slowest[%]"]), 15)

    def test_merged(self):
        """Merging adds up the calls; the mean of runs keeps the longest."""
        need_part("BUILD_TOOLS")
        result = run([compile_program("latencies.c", ("-O1",))], VFTR_TIMING="exact")
        saved, = result.folder.glob("*_all.json")
        once = rows_of(result.profile())
        for how, factor in (("sum", 2), ("mean", 1)):
            merged = result.folder / f"{how}.json"
            done = run([COMMAND, "merge", "--runs", how, "--output", merged, saved, saved], preload=False)
            self.assertEqual(done.status, 0, done.stderr)
            both = rows_of(json.loads(merged.read_text()))
            self.assertEqual(both.keys(), once.keys())
            for path, row in both.items():
                self.assertEqual(row["calls"], factor * once[path]["calls"])
                self.assertEqual(row["counts"], [factor * count for count in once[path]["counts"]])
                self.assertEqual(row["longest"], once[path]["longest"])


class Ranks:
    def test_ranks(self):
        """Calls of all ranks are in one row, and the longest call names its rank."""
        result = run_mpi(self.family, compile_mpi(self.family, "late_once.c"), 3, PRELOAD)
        self.assertEqual(result.status, 0, result.stderr)
        rows = rows_of(result.profile())
        barrier, work = rows["MPI_Barrier<main<init"], rows["work<main<init"]
        self.assertEqual(barrier["calls"], 300)
        self.assertGreater(barrier["longest"]["time_ns"], 40e6)
        self.assertGreaterEqual(sum(calls for number, calls in zip(barrier["bins"], barrier["counts"])
                                    if start_of_bin(number + 1) > 40e6), 2)
        self.assertEqual(work["calls"], 300)
        self.assertEqual(work["longest"]["rank"], 2)


class OpenMpiRanks(Ranks, unittest.TestCase):
    family = OPEN_MPI


class MpichRanks(Ranks, unittest.TestCase):
    family = MPICH


if __name__ == "__main__":
    unittest.main()
