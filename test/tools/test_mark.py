"""vftrace mark: figures of a running process that count from a given moment."""
import json
import os
import signal
import stat
import struct
import subprocess
import time

from command_support import command
from support import COMMAND, LIBRARY, LINK_LIBRARY, clean_environment, compile_program
from test_ends import EndTest, folder_with_trees, tree_files, wait_until
from test_start_stop import rows_by_path
from waits_support import tables_of_json

LAYOUT_PLACE = 8  # of ProcessRecord::layout, after the magic
PID_PLACE = 24    # of ProcessRecord::pid


class Mark(EndTest):
    def start_program(self, program, *arguments, **variables):
        self.folder = folder_with_trees()
        self.process = subprocess.Popen(
            [program, *arguments], cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=self.folder / "trees", **variables))
        self.addCleanup(self.process.communicate)
        self.addCleanup(self.process.kill)
        wait_until(lambda: tree_files(self.folder))

    def begin(self, *arguments, **variables):
        program = compile_program("switched.c", flags=("-O1", "-finstrument-functions"),
                                  link=["-pthread", *LINK_LIBRARY])
        self.start_program(program, *arguments, **{"VFTR_OVERHEAD_BUDGET": 0, **variables})
        self.work(0)
        return self.process.pid

    def work(self, count):
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def runs(self, *arguments):
        result = command(*arguments)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout

    def fails(self, *arguments, message):
        result = command(*arguments)
        self.assertEqual((result.status, result.stdout), (2, ""))
        self.assertIn(message, result.stderr)

    def mark_file(self):
        return next((self.folder / "trees").glob("*.tree.mark"))

    def since_mark(self):
        """The runtime profile: calls and times by path."""
        self.runs("snapshot", "--since-mark", self.process.pid)
        profile = json.loads(next(self.folder.glob("*_since_mark_all.json")).read_text())
        return rows_by_path(profile), profile

    def test_calls_since_the_mark(self):
        pid = self.begin()
        self.work(100)
        self.assertEqual(self.runs("mark", pid), f"{pid}: mark set\n")
        self.work(7)
        rows, profile = self.since_mark()
        self.assertEqual({path: row["calls"] for path, row in rows.items()},
                         {"work<inner<outer<main<init": 7, "inner<outer<main<init": 0,
                          "outer<main<init": 0, "main<init": 0, "init": 0})
        self.assertIn("since-mark", [notice["code"] for notice in profile["run"]["notices"]])
        self.assertTrue(profile["run"]["snapshot"])
        # A later mark replaces it.
        self.runs("mark", pid)
        self.work(3)
        self.assertEqual(self.since_mark()[0]["work<inner<outer<main<init"]["calls"], 3)

    def test_times_since_the_mark(self):
        pid = self.begin("thread")
        time.sleep(1)
        self.runs("mark", pid)
        begun = time.monotonic()
        time.sleep(0.5)
        rows, profile = self.since_mark()
        seconds = time.monotonic() - begun
        for path in ("inner<outer<main<init", "main<init"):  # open since before the mark
            self.assertGreater(rows[path]["inclusive_ns"] * 1e-9, 0.4)
            self.assertLess(rows[path]["inclusive_ns"] * 1e-9, seconds + 0.1)
        self.assertLess(profile["run"]["runtime_ns"] * 1e-9, seconds + 0.1)
        self.assertGreater(profile["run"]["runtime_ns"] * 1e-9, 0.4)

    def test_times_since_the_mark_where_hooks_are_removed(self):
        """Removing hooks takes the library time, by which the starts of open calls are moved."""
        pid = self.begin(VFTR_OVERHEAD_BUDGET=1)
        time.sleep(1)
        self.runs("mark", pid)
        begun = time.monotonic()
        for _ in range(100):
            self.work(1_000_000)
            rows, profile = self.since_mark()
            if "filtered" in profile:
                break
        seconds = time.monotonic() - begun
        self.assertIn("filtered", profile)
        for path in ("inner<outer<main<init", "main<init"):
            self.assertLess(rows[path]["inclusive_ns"] * 1e-9, seconds + 0.1)

    def test_tasks_since_the_mark(self):
        program = compile_program("task_script.c", instrument=False, link=["-pthread", *LINK_LIBRARY])
        self.start_program(program, "create:a:load", "run:a", "pause:a", "create:b:load", "wait:2", "run:a", "complete:a",
                           "create:c:load", "create:d:store", "wait:60")
        time.sleep(1)  # in the first of the waits
        self.runs("mark", self.process.pid)
        time.sleep(2)  # in the second one
        self.since_mark()
        table = command("report", "--tasks", "--format", "json", next(self.folder.glob("*_since_mark_all.json")))
        rows = {row["task"]: row for row in tables_of_json(table.stdout)["tasks"]}
        self.assertEqual({name: (row["tasks"], row["completed"]) for name, row in rows.items()},
                         {"load": (1, 1), "store": (1, 0)})

    def test_samples_since_the_mark(self):
        program = compile_program("end_by_signal.c", instrument=False, link=["-pthread"])
        self.start_program(program, "compute", VFTR_STACK_SAMPLING_FREQUENCY=200)
        time.sleep(1.5)
        self.runs("mark", self.process.pid)
        begun = time.monotonic()
        time.sleep(0.5)
        _, profile = self.since_mark()
        seconds = time.monotonic() - begun
        self.assertLess(profile["run"]["processor_ns"] * 1e-9, seconds + 0.1)
        samples = sum(node.get("samples", 0) for node in profile["nodes"])
        self.assertLess(samples * profile["run"]["sample_period_ns"] * 1e-9, seconds + 0.1)
        self.assertGreater(samples, 0)

    def test_a_call_that_was_open_at_the_mark_and_has_ended(self):
        program = compile_program("open_at_mark.c", flags=("-O1", "-finstrument-functions"),
                                  link=LINK_LIBRARY)
        self.start_program(program, VFTR_OVERHEAD_BUDGET=0)
        self.process.stdout.readline()  # the process is in wait_for_byte
        time.sleep(1)
        self.runs("mark", self.process.pid)
        time.sleep(0.3)
        self.work(1)  # the process has left wait_for_byte
        rows, _ = self.since_mark()
        waited = rows["wait_for_byte<main<init"]["inclusive_ns"] * 1e-9
        self.assertGreater(waited, 0.25)
        self.assertLess(waited, 1)

    def test_the_mark_is_private_and_goes_with_the_tree_file(self):
        pid = self.begin()
        self.runs("mark", pid)
        mode = self.mark_file().stat()
        self.assertEqual((stat.S_IMODE(mode.st_mode), mode.st_uid), (0o600, os.geteuid()))
        self.assertEqual(len(tree_files(self.folder)), 2)
        self.process.communicate()
        self.assertEqual(self.process.returncode, 0)
        self.assertEqual(tree_files(self.folder), [])

    def test_recover_removes_the_mark(self):
        pid = self.begin()
        self.work(5)
        self.runs("mark", pid)
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        tree = next((self.folder / "trees").glob("*.tree"))
        self.runs("recover", tree)
        self.assertEqual(tree_files(self.folder), [])
        self.assertTrue((self.folder / "switched_all.log").exists())

    def test_a_process_without_a_mark(self):
        pid = self.begin()
        self.fails("snapshot", "--since-mark", pid,
                   message=f"{pid}: does not have a mark; vftrace mark {pid} sets one")
        self.fails("top", pid, "--once", "--span", "mark",
                   message="no mark was set; vftrace mark sets one")

    def test_a_mark_of_another_process(self):
        pid = self.begin()
        self.runs("mark", pid)
        with self.mark_file().open("r+b") as mark:
            place = PID_PLACE + 24  # process_start
            mark.seek(place)
            start, = struct.unpack("Q", mark.read(8))
            mark.seek(place)
            mark.write(struct.pack("Q", start - 1))
        self.fails("snapshot", "--since-mark", pid, message="is the mark of an earlier process")
        self.fails("top", pid, "--once", "--span", "mark", message="no mark was set")

    def test_a_mark_of_another_version(self):
        pid = self.begin()
        self.runs("mark", pid)
        with self.mark_file().open("r+b") as mark:
            mark.seek(LAYOUT_PLACE)
            mark.write(b"\1\2\3\4")
        self.fails("snapshot", "--since-mark", pid,
                   message="was written by another version of vftrace")

    def test_a_mark_that_is_cut_off(self):
        pid = self.begin()
        self.runs("mark", pid)
        for size in (5000, 100, 0):
            os.truncate(self.mark_file(), size)
            self.fails("snapshot", "--since-mark", pid, message=".tree.mark: ")
        self.work(2)
        self.runs("mark", pid)
        self.work(4)
        self.assertEqual(self.since_mark()[0]["work<inner<outer<main<init"]["calls"], 4)

    def test_top_since_the_mark(self):
        pid = self.begin()
        self.work(100)
        self.runs("mark", "switched")
        self.work(8)
        seen = json.loads(self.runs("top", pid, "--once", "--span", "mark", "--json"))
        calls = {row["function"]: row["calls"] for row in seen["rows"]}
        self.assertEqual((seen["span"], calls["work"], calls["main"]), ("mark", 8, 0))
        since = json.loads(self.runs("top", pid, "--once", "--json"))
        self.assertEqual({row["function"]: row["calls"] for row in since["rows"]}["work"], 108)

    def test_top_notices_a_mark_that_is_set_later(self):
        pid = self.begin()
        self.work(50)
        self.runs("mark", pid)
        watch = subprocess.Popen([COMMAND, "top", str(pid), "--batch", "50", "--interval", "0.2",
                                  "--span", "mark", "--json"],
                                 stdout=subprocess.PIPE, text=True, env=clean_environment())
        self.addCleanup(watch.communicate)
        self.addCleanup(watch.kill)
        watch.stdout.readline()
        self.work(20)
        self.runs("mark", pid)
        self.work(2)
        for _ in range(40):
            seen = json.loads(watch.stdout.readline())
            calls = {row["function"]: row["calls"] for row in seen["rows"]}.get("work")
            if calls == 2:
                return
        self.fail(f"work was called {calls} times since the mark")

    def test_nothing_changes_for_the_process(self):
        pid = self.begin()
        for _ in range(5):
            self.runs("mark", pid)
        self.work(9)
        out, _ = self.process.communicate(timeout=60)
        self.assertEqual((self.process.returncode, out), (0, "9 lines of work\n"))
        profile = json.loads((self.folder / "switched_all.json").read_text())
        self.assertNotIn("since-mark",
                         [notice["code"] for notice in profile["run"].get("notices", [])])

