"""Figures from the operating system about processes and hosts, and the findings based on them."""
import json
import os
import shutil
import signal
import subprocess
import time

import pytest

from command_support import CommandTest, command
from mpi_support import OPEN_MPI, MpiTest
from support import (COMMAND, LIBRARY, ProgramTest, clean_environment, compile_program, need, run,
                     scratch_folder)
from test_ends import folder_with_trees
from test_hosts import all_json, table
from waits_support import tables_of_json

ALL = {"process.user", "process.system", "process.minor_faults", "process.major_faults",
       "process.voluntary_switches", "process.involuntary_switches", "io.rchar", "io.wchar", "io.syscr",
       "io.syscw", "io.read_bytes", "io.write_bytes", "processors.waiting", "processors.migrations",
       "processors.allowed", "processors.count", "processors.time", "processors.idle", "processors.stolen"}


def program():
    return compile_program("uses_resources.c", flags=("-O1",), link=["-pthread"])


def values(profile):
    """Metrics of the first rank and host by name."""
    profile = json.loads(profile.read_text())
    names = [metric["name"] for metric in profile["metrics"]]
    rows = profile.get("rank_metrics", []) + profile.get("host_metrics", [])
    return {names[row["metric"]]: row["value"] for row in rows if row.get("rank", 0) == 0}


def schedstat_is_there():
    return os.path.exists("/proc/self/schedstat") and os.path.exists("/proc/self/sched")


class Figures(ProgramTest):
    def test_all_of_them(self):
        result = run([program(), "read", "20000"])
        self.assertEqual((result.status, result.stderr), (0, ""))
        found = values(all_json(result))
        if schedstat_is_there():
            self.assertEqual(set(found), ALL)
        self.assertGreaterEqual(found["io.syscr"], 20000)
        self.assertLess(found["io.syscr"], 20500)
        self.assertGreaterEqual(found["io.rchar"], 20000)
        self.assertEqual(found["processors.allowed"], len(os.sched_getaffinity(0)))
        self.assertEqual(found["processors.count"], os.sysconf("SC_NPROCESSORS_ONLN"))

    def test_processor_time_is_that_of_all_threads(self):
        result = run([program(), "spin", "3", "0.5"])
        found = values(all_json(result))
        used = (found["process.user"] + found["process.system"]) / 1e9
        waited = found.get("processors.waiting", 0) / 1e9
        self.assertLess(used, 3 * 0.5 + 0.3)
        if schedstat_is_there():  # each thread works or waits for half a second in total
            self.assertAlmostEqual(used + waited, 1.5, delta=0.3)

    def test_faults(self):
        result = run([program(), "touch", "128"])
        self.assertAlmostEqual(values(all_json(result))["process.minor_faults"], 128 * 256, delta=4000)

    def test_logs_do_not_have_them_and_an_option_shows_them(self):
        result = run([program(), "read", "10"])
        self.assertNotIn("Input and output", result.text())
        self.assertNotIn("\nProcessors", result.text())
        said = command("report", "--process", all_json(result))
        self.assertEqual(said.status, 0, said.stderr)
        for title in ("Process", "Input and output", "Processors", "Processors of hosts"):
            self.assertIn(f"\n{title}\n", "\n" + said.stdout)
        self.assertIn("--process", command("report", all_json(result)).stdout)
        row, = table(all_json(result), "io_ranks")
        self.assertGreaterEqual(int(row["io.syscr"]), 10)

    def test_can_be_switched_off(self):
        result = run([program(), "read", "10"], VFTR_PROCESS_ACTIVE="no", VFTR_WAITING_ACTIVE="off")
        self.assertEqual(json.loads(all_json(result).read_text())["metrics"], [])
        said = command("report", "--process", all_json(result))
        self.assertEqual(said.status, 2)
        self.assertIn("process.active", said.stderr)

    def test_over_time(self):
        result = run([program(), "spin", "1", "0.5"], VFTR_PROCESS_INTERVAL="0.01")
        self.assertEqual((result.status, result.stderr), (0, ""))
        profile = json.loads(all_json(result).read_text())
        names = [metric["name"] for metric in profile["metrics"]]
        series = {names[one["metric"]]: one["values"] for one in profile["series"]}
        self.assertEqual(set(series) - {"processors.waiting_at"}, {"process.busy_at", "io.rate_at"})
        busy = series["process.busy_at"]
        self.assertGreater(len(busy), 5)
        self.assertLess(max(busy), 2.5)
        self.assertGreater(max(busy), 0.2)
        self.assertNotIn("over time", result.text())
        self.assertIn("Processors in use over time", command("report", "--process", all_json(result)).stdout)

    def test_killed(self):
        """With periodic readings there are figures up to the last reading, without them there are none."""
        for interval, has_some in (("0.01", True), ("0", False)):
            trees = folder_with_trees()
            environment = clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=trees / "trees",
                                            VFTR_PROCESS_INTERVAL=interval)
            with subprocess.Popen([program(), "read", "5000", "wait"], cwd=trees, env=environment,
                                  stdout=subprocess.PIPE) as process:
                self.assertEqual(process.stdout.readline(), b"waiting\n")
                time.sleep(0.2)
                process.send_signal(signal.SIGKILL)
            subprocess.run([COMMAND, "recover", *(trees / "trees").iterdir()], check=True, capture_output=True)
            found = values(next(trees.glob("*_all.json")))
            self.assertEqual("io.syscr" in found, has_some)
            if has_some:
                self.assertGreaterEqual(found["io.syscr"], 5000)

    def test_merge_and_diff(self):
        one, three = (all_json(run([program(), "read", str(calls)])) for calls in (10000, 30000))
        merged = scratch_folder() / "merged.json"
        subprocess.run([COMMAND, "merge", "--runs", "sum", "-o", merged, one, three], check=True)
        self.assertAlmostEqual(values(merged)["io.syscr"], 40000, delta=500)
        self.assertEqual(values(merged)["processors.count"], values(one)["processors.count"])
        said = command("diff", one, three).stdout
        for title in ("Process (process), all ranks", "Input and output (io), all ranks",
                      "Processors (processors), all ranks", "Processors (processors), all hosts"):
            self.assertEqual(said.count(f"\n{title}\n"), 1, said)
        self.assertRegex(said, r"\| +10\d\d\d \| +30\d\d\d \| +\d+ \| [23]\.\d+ \| Read calls +\|")


class Ranks(MpiTest):
    family = OPEN_MPI

    def test_each_has_its_own(self):
        self.family.need("mpicc", "mpirun")
        folder = scratch_folder()
        source = folder / "reads.c"
        source.write_text("""
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank;
    char byte;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int file = open("/dev/zero", O_RDONLY);
    for (int i = 0; i < 20000 * rank; i++)
        if (read(file, &byte, 1) != 1) return 1;
    MPI_Finalize();
    return 0;
}
""")
        subprocess.run([self.family.command("mpicc"), "-finstrument-functions", "-o", folder / "reads", source],
                       check=True)
        subprocess.run([*self.family.launch(3), "env", f"LD_PRELOAD={LIBRARY}", folder / "reads"], cwd=folder,
                       check=True, env=clean_environment(**self.family.environment))
        profile = next(folder.glob("*_all.json"))
        rows = {int(row["rank"]): int(row["io.syscr"]) for row in table(profile, "io_ranks")}
        self.assertEqual(set(rows), {0, 1, 2})
        for rank in (1, 2):
            self.assertGreaterEqual(rows[rank], 20000 * rank)
        self.assertEqual(len(table(profile, "processors_hosts")), 1)


@pytest.mark.timing
class RealPrograms(CommandTest):
    """Programs with one fault each, and programs without."""

    def findings(self, *words, sample=True):
        folder = scratch_folder()
        with open(os.devnull, "wb") as nothing:
            subprocess.run([COMMAND, "run", *(["--sample"] if sample else []), "--", *map(str, words)], cwd=folder,
                           stdout=nothing, stderr=nothing, check=True,
                           env=clean_environment(VFTR_OUTPUT_DIRECTORY=folder))
        profiles = list(folder.glob("*.json"))
        self.assertEqual(len(profiles), 1)
        report = command("report", profiles[0], "--findings", "--format", "json")
        found = {row["rule"]: row for row in tables_of_json(report.stdout)["findings"]}
        return found, profiles[0]

    def test_single_bytes(self):
        need("dd")
        found, _ = self.findings("dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=1500000", "status=none")
        self.assertIn("small-io", found)
        self.assertIn("read calls of 1 byte on average", found["small-io"]["sentence"])

    def test_time_in_the_kernel(self):
        need("dd")
        found, _ = self.findings("dd", "if=/dev/zero", "of=/dev/null", "bs=1M", "count=150000", "status=none")
        self.assertIn("kernel-time", found)
        self.assertNotIn("small-io", found)
        self.assertNotIn("input-output", found)

    def test_waiting_for_storage(self):
        found, profile = self.findings(program(), "sync", "3", scratch_folder() / "file", sample=False)
        if values(profile)["io.write_bytes"] == 0:
            self.skipTest("files lie in memory here")
        self.assertIn("input-output", found)

    def test_new_memory(self):
        found, _ = self.findings(program(), "touch", "6000", sample=False)
        self.assertIn("page-faults", found)

    def test_more_threads_than_processors(self):
        if not schedstat_is_there():
            self.skipTest("the kernel does not say how long threads wait")
        count = min(4 * len(os.sched_getaffinity(0)), 64)
        found, _ = self.findings(program(), "spin", count, "1", sample=False)
        self.assertIn("oversubscription", found)

    def test_programs_without_faults(self):
        folder = scratch_folder()
        numbers = folder / "numbers.txt"
        numbers.write_text("".join(f"{i * 7919 % 1_000_003}\n" for i in range(400_000)))
        for words in (["sort", "-n", numbers], ["gzip", "-9", "-c", numbers]):
            with self.subTest(words[0]):
                if shutil.which(words[0]):
                    found, _ = self.findings(*words)
                    self.assertEqual(set(found) - {"hot-path", "recursion", "host-memory"}, set())
