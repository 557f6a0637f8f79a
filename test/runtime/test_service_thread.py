"""The service thread and its first work: the program's memory over time, however the program
ends."""
import json
import signal
import subprocess
import time

from mpi_support import MPICH, OPEN_MPI, MpiTest
from support import (COMMAND, LIBRARY, LINK_LIBRARY, ProgramTest, clean_environment, compile_program,
                     metrics_except_process, run, table_rows)
from test_ends import folder_with_trees, tree_files

MEBIBYTE = 1 << 20
OFTEN = {"VFTR_MEMORY_INTERVAL": "0.005"}


def series_of(profile, rank=0):
    metrics = {metric["name"]: number for number, metric in enumerate(profile["metrics"])}
    found = [series for series in profile["series"]
             if (series["rank"], series["metric"]) == (rank, metrics["memory.resident"])]
    assert len(found) == 1, found
    return list(zip(found[0]["time_ns"], found[0]["values"]))


def peak_of(profile, rank=0):
    metrics = {metric["name"]: number for number, metric in enumerate(profile["metrics"])}
    return [row["value"] for row in profile["rank_metrics"]
            if (row["rank"], row["metric"]) == (rank, metrics["memory.peak"])]


class MemoryOverTime(ProgramTest):
    def program(self, link=()):
        return compile_program("memory_over_time.c", link=["-pthread", *link])

    def check(self, profile, lived_ns=None):
        """At first little, then 64 MiB more, then 16 more than at first."""
        series = series_of(profile)
        times = [ns for ns, _ in series]
        self.assertEqual(times, sorted(times))
        self.assertGreaterEqual(times[0], 0)
        self.assertLessEqual(times[-1], lived_ns or profile["run"]["runtime_ns"])
        first, largest, last = series[0][1], max(value for _, value in series), series[-1][1]
        self.assertAlmostEqual((largest - first) / MEBIBYTE, 64, delta=4)
        self.assertAlmostEqual((last - first) / MEBIBYTE, 16, delta=4)
        peak, = peak_of(profile)
        self.assertGreaterEqual(peak, largest)
        self.assertLess(peak, largest + 4 * MEBIBYTE)

    def test_series_and_peak(self):
        for preload in (True, False):
            with self.subTest(preload=preload):
                result = run([self.program(() if preload else LINK_LIBRARY)], preload=preload, **OFTEN)
                self.assertEqual((result.status, result.stdout, result.stderr), (0, "done\n", ""))
                self.check(result.profile())
                (row,) = table_rows(result.text(), "Memory")
                self.assertGreater(float(row["Peak of resident memory[MiB]"]), 64)
                (row,) = table_rows(result.text(), "Resident memory over time")
                self.assertLess(float(row["Smallest[MiB]"]) + 60, float(row["Largest[MiB]"]))
                self.assertLess(0.1, float(row["at[s]"]))

    def test_only_if_requested(self):
        result = run([self.program()])
        self.assertEqual(metrics_except_process(result.profile()), [])
        self.assertNotIn("series", result.profile())

    def test_the_thread_is_invisible(self):
        """The service thread is not in any table, and does not take signals sent to the process."""
        result = run([self.program(), "signal"], **OFTEN)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "signal 1\ndone\n", ""))
        self.assertEqual(len(result.profile()["threads"]), 2)

    def test_child_of_fork(self):
        result = run([self.program(), "fork"], **OFTEN)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done\n", ""))
        profiles = [json.loads(path.read_text()) for path in result.folder.glob("*_all.json")]
        self.assertEqual(len(profiles), 2)
        for profile in profiles:
            self.check(profile)

    def test_exec_takes_the_thread_away(self):
        """After exec, the program has its own service thread and the right figures."""
        program = self.program()
        result = run(["/bin/sh", "-c", f"exec {program}"], **OFTEN)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done\n", ""))
        self.check(result.profile())

    def test_long_and_short_intervals(self):
        for interval, least, most in (("3600", 2, 2), ("1e300", 2, 2), ("1e-300", 100, 1024)):
            with self.subTest(interval=interval):
                result = run([self.program()], VFTR_MEMORY_INTERVAL=interval)
                points = len(series_of(result.profile()))  # the first at once, the last at the end
                self.assertTrue(least <= points <= most, points)

    def test_killed(self):
        folder = folder_with_trees()
        environment = clean_environment(LD_PRELOAD=str(LIBRARY), VFTR_TREE_FILE_DIRECTORY=str(folder / "trees"), **OFTEN)
        with subprocess.Popen([self.program(), "wait"], cwd=folder, env=environment, stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"done\n")
            time.sleep(0.1)
            process.kill()
        subprocess.run([COMMAND, "recover", *(folder / "trees" / name for name in tree_files(folder))], check=True,
                       capture_output=True)
        profile = json.loads(next(folder.glob("*_all.json")).read_text())
        self.check(profile)
        # A waiting program makes no calls: only the readings show that it was alive.
        self.assertGreater(profile["run"]["runtime_ns"], 580_000_000)

    def test_late_readings_are_counted(self):
        folder = folder_with_trees()
        environment = clean_environment(LD_PRELOAD=str(LIBRARY), **OFTEN)
        with subprocess.Popen([self.program(), "wait"], cwd=folder, env=environment,
                              stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"done\n")
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.3)
            process.send_signal(signal.SIGCONT)
            time.sleep(0.1)
            process.terminate()
        profile = json.loads(next(folder.glob("*_all.json")).read_text())
        self.assertGreaterEqual(profile["series"][0]["missed"], 50)

    def test_report_and_merge(self):
        result = run([self.program()], **OFTEN)
        profile = next(result.folder.glob("*_all.json"))
        report = subprocess.run([COMMAND, "report", profile], check=True, capture_output=True, text=True).stdout
        self.assertIn("\nResident memory over time\n", report)
        merged = result.folder / "both.json"
        subprocess.run([COMMAND, "merge", "--runs", "mean", "-o", merged, profile, profile], check=True,
                       capture_output=True)
        both = json.loads(merged.read_text())
        self.assertEqual(peak_of(both), peak_of(result.profile()))
        self.assertNotIn("series", both)
        reported = subprocess.run([COMMAND, "diff", profile, merged], check=False, capture_output=True, text=True).stdout
        table = reported[reported.index("\nMemory (memory), all ranks\n"):]
        self.assertRegex(table, r"\| +Peak of resident memory\[MiB\] +\|")

    def test_traced(self):
        """The service thread runs next to the thread that writes the trace."""
        result = run([self.program()], VFTR_SAMPLING_ACTIVE="yes", **OFTEN)
        self.assertEqual((result.status, result.stdout, result.stderr), (0, "done\n", ""))
        self.check(result.profile())
        self.assertEqual(len(list(result.folder.glob("*.vfd"))), 1)


class OfRanks:
    def test_each_rank_has_its_own(self):
        result = self.profile("p2p_blocking.c", 2, config={"memory.interval": 0.001})
        profile = result.profile()
        for rank in (0, 1):
            with self.subTest(rank=rank):
                self.assertGreaterEqual(len(series_of(profile, rank)), 2)
                self.assertGreater(peak_of(profile, rank)[0], MEBIBYTE)
        self.assertEqual(len(table_rows(result.text(), "Memory")), 2)


class OfRanksOpenMpi(OfRanks, MpiTest):
    family = OPEN_MPI


class OfRanksMpich(OfRanks, MpiTest):
    family = MPICH
