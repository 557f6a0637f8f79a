"""Who touches large blocks first and who uses them, with a table of two memory nodes, of one processor each."""
import json
import os
import pathlib
import re
import subprocess
import unittest

from command_support import CommandTest, command
from support import BUILD, compile_program, need, need_part, scratch_folder
from waits_support import tables_of_json

PROCESSORS = sorted(os.sched_getaffinity(0))[:2]
MIB = 1 << 20
SIZE = 64 * MIB
FLAGS = ("-O2", "-g", "-pthread")

# Four programs in which one thread fills what two use, or each thread its half.
CASES = {
    "first_touch_threads.c": {},
    "first_touch_vector.cpp": {},
    "first_touch_openmp.c": {"flags": ("-fopenmp",)},
    "first_touch.F90": {"flags": ("-fopenmp",), "compiler": "gfortran"},
}


def node_table():
    first, second = PROCESSORS
    return f"memory.nodes={first};{second}"


def compiled(source, *, instrument=True):
    case = CASES[source]
    need(case.get("compiler", "gcc"))
    compiler = (case["compiler"],) if "compiler" in case else ()
    return compile_program(source, FLAGS + case.get("flags", ()), *compiler, instrument=instrument)


@unittest.skipIf(len(PROCESSORS) < 2, "needs two processors")
class FirstTouch(CommandTest):
    def profiled(self, program, how, *options, **variables):
        places = {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "true",
                  "OMP_PLACES": ",".join(f"{{{processor}}}" for processor in PROCESSORS)}
        result = command("run", "--memory", "--option", node_table(), *options, "--", program, how, *PROCESSORS,
                         **places, **variables)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result

    def rows(self, result):
        """The rows of the large block by thread and memory node: a thread that is not bound may be on both."""
        return {(row["thread"], row["memory_node"]): row for row in result.profile()["placement"]
                if row["touched"] > MIB or uses(row) > 0}

    def found(self, result):
        file = next(pathlib.Path(result.folder).glob("*_all.json"))
        report = tables_of_json(command("report", file, "--findings", "--format", "json").stdout)
        return [finding for finding in report["findings"] if finding["rule"] == "first-touch"]

    def check(self, source, instrument, *options):
        program = compiled(source, instrument=instrument)
        serial = self.profiled(program, "serial", *options)
        rows = self.rows(serial)
        touching = [row for row in rows.values() if row["touched"] > 0]
        self.assertEqual({row["thread"] for row in touching}, {0})
        self.assertAlmostEqual(sum(row["touched"] for row in touching), SIZE, delta=SIZE / 5)
        # Pages of 4 KiB, if there are no huge ones.
        self.assertLess(sum(row["touches"] for row in touching), 1.1 * SIZE / 4096)
        for row in rows.values():
            wrong = "far_uses" if row["memory_node"] == 0 else "near_uses"
            self.assertLessEqual(row[wrong], 0.05 * uses(row), row)
        self.assertEqual(len(self.found(serial)), 1, serial.profile()["placement"])
        finding = self.found(serial)[0]
        self.assertIn("Thread 0 alone touched first the memory", finding["sentence"])
        self.assertIn("on 2 memory nodes use it", finding["sentence"])

        parallel = self.profiled(program, "parallel", *options)
        rows = self.rows(parallel)
        touched = [row["touched"] for row in rows.values() if row["touched"] > MIB]
        self.assertEqual(len(touched), 2, rows)
        for part in touched:
            self.assertAlmostEqual(part, SIZE / 2, delta=SIZE / 5)
        self.assertLessEqual(sum(row["far_uses"] for row in rows.values()),
                             0.05 * sum(uses(row) for row in rows.values()))
        self.assertEqual(self.found(parallel), [])

    def test_with_hooks(self):
        for source in CASES:
            with self.subTest(source=source):
                self.check(source, True)

    def test_sampled(self):
        for source in CASES:
            with self.subTest(source=source):
                self.check(source, False, "--sample")

    def test_address_that_is_used_again(self):
        """What the thread touched at this address before is not of the new block, although it reports it later."""
        program = compile_program("first_touch_reused.c", FLAGS, instrument=False)
        result = command("run", "--memory", "--sample", "--option", node_table(), "--", program)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(result.stdout.split()[0], "1")
        touched = {0: 0, 1: 0}
        for row in result.profile()["placement"]:
            touched[row["thread"]] += row["touched"]
        # Each has touched one block.
        self.assertAlmostEqual(touched[0], SIZE, delta=SIZE / 5)
        self.assertAlmostEqual(touched[1], SIZE, delta=SIZE / 5)

    def test_table(self):
        result = self.profiled(compiled("first_touch_openmp.c"), "serial")
        file = next(pathlib.Path(result.folder).glob("*_all.json"))
        text = command("report", "--memory", file).stdout
        self.assertRegex(text, r"Placement\n(.*\n){3}\| +(?:6[0-4]|5\d)\.000 \| +\d+ \| +1 \| +0 \| 100\.0 \| 0: 100 % +\| +2 \| "
                               r"+2 \| +\d+ \| +\d+\.\d \| +\d+\.\d \| first_touch_openmp\.c:\d+ \| make_field \| main")

    def test_all_allocations(self):
        result = self.profiled(compiled("first_touch_threads.c"), "parallel", "--option", "memory.profile=all")
        self.assertEqual(len([row for row in self.rows(result).values() if row["touched"] > MIB]), 2)

    def test_faults_as_perf_sees_them(self):
        need("perf")
        program = compiled("first_touch_threads.c", instrument=False)
        data = scratch_folder() / "perf.data"
        recorded = subprocess.run(["perf", "record", "-q", "-e", "page-faults", "-c", "1", "-d", "-o", data, program,
                                   "parallel", *map(str, PROCESSORS)], capture_output=True, text=True)
        if recorded.returncode != 0:
            self.skipTest("perf record is not allowed")
        script = subprocess.run(["perf", "script", "-i", data, "-F", "tid,addr"], capture_output=True, text=True,
                                check=True).stdout
        by_thread = {}
        for thread, address in re.findall(r"(\d+)\s+([0-9a-f]+)", script):
            by_thread.setdefault(thread, []).append(int(address, 16))
        theirs = sorted(len(faults) for faults in by_thread.values())[-2:]
        rows = self.rows(self.profiled(program, "parallel", "--sample"))
        ours = sorted(row["touches"] for row in rows.values())[-2:]
        for own, other in zip(ours, theirs):
            self.assertAlmostEqual(own, other, delta=0.1 * other)

    def test_without_page_faults(self):
        """Where perf_event_open is forbidden, it is unknown who touched the memory, and nothing is found."""
        forbids = compile_program("no_perf_events.c", ("-O1", "-shared", "-fPIC"), instrument=False,
                                  output="no_perf_events.so", link=("-ldl",))
        result = self.profiled(compiled("first_touch_threads.c"), "serial", LD_PRELOAD=str(forbids))
        rows = result.profile()["placement"]
        self.assertEqual({row["touches_seen"] for row in rows}, {0})
        self.assertEqual(sum(row["near_uses"] + row["far_uses"] for row in rows), 0)
        self.assertGreater(sum(row["other_uses"] for row in rows), 20)
        self.assertEqual(self.found(result), [])
        file = next(pathlib.Path(result.folder).glob("*_all.json"))
        self.assertIn("Who touched it first is not known", command("report", "--memory", file).stdout)

    def test_after_a_kill(self):
        folder = scratch_folder()
        (folder / "trees").mkdir()
        result = command("run", "--memory", "--option", node_table(), "--", compiled("first_touch_threads.c"), "serial",
                         *PROCESSORS, "kill", folder=folder, VFTR_TREE_FILE_DIRECTORY=folder / "trees")
        self.assertEqual(result.status, -9)
        self.assertEqual(command("recover", *(folder / "trees").iterdir(), folder=folder).status, 0)
        profile = json.loads(next(folder.glob("*_all.json")).read_text())
        self.assertAlmostEqual(sum(row["touched"] for row in profile["placement"]), SIZE, delta=SIZE / 5)
        self.assertGreater(sum(row["far_uses"] for row in profile["placement"]), 20)

    def test_machine_with_one_node(self):
        """There is nothing to find out."""
        result = command("run", "--memory", "--option", f"memory.nodes=0-{max(PROCESSORS)}", "--",
                         compiled("first_touch_threads.c"), "serial", *PROCESSORS)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertNotIn("placement", result.profile())


def uses(row):
    return row["near_uses"] + row["far_uses"] + row["other_uses"]


class NextAccess(unittest.TestCase):
    def test_against_zydis_and_the_processor(self):
        """Code is executed step by step: what was predicted is what it accesses next."""
        need_part("HAVE_ZYDIS")
        program = BUILD / "next_accesses"
        if not program.exists():
            self.skipTest("not built: make check-programs")
        result = subprocess.run([program, "60000"], capture_output=True, text=True)
        counts = {name: int(count) for name, count in re.findall(r"^(\w+) (\d+)$", result.stdout, re.M)}
        if sum(counts.values()) == 0:
            self.skipTest("ptrace is not allowed")
        self.assertGreater(counts["right"], 30000, result.stdout)
        self.assertLess(counts["wrong"], 0.1 * counts["right"], result.stderr)
