"""Other views of asynchronous tasks: threads that run them, the tree of tasks, the order of types."""
import csv
import json
import subprocess

from support import COMMAND, ProgramTest, run
from test_tasks import task_script

STORY = ("create:a:accept run:a take:1 create:b:session run:b take:2 pause:b take:4 create:c:parse complete:a take:3 "
         "run:b take:8 complete:b thread take:5 run:c take:16 complete:c")


def report(profile, *arguments):
    return subprocess.run([COMMAND, "report", *arguments, profile], check=True, capture_output=True, text=True).stdout


def table(profile, name, *arguments):
    return list(csv.DictReader(report(profile, "--table", name, "--format", "csv", *arguments).splitlines()))


class Views(ProgramTest):
    def profile(self, story=STORY, **variables):
        self.result = run([task_script(), *story.split()], VFTR_SECTION_MEMORY="off", **variables)
        self.assertEqual((self.result.status, self.result.stderr), (0, ""))
        return next(self.result.folder.glob("*_all.json"))

    def test_threads_that_run_tasks(self):
        """Shows how busy tasks kept each thread, and which task ran longest."""
        loops = table(self.profile(), "task_loops")
        self.assertEqual([(row["thread"], row["longest_task"], float(row["longest_run[s]"])) for row in loops],
                         [("1", "parse", 16), ("0", "session", 8)])
        self.assertEqual([float(row["busy[s]"]) for row in loops], [16, 15])
        for row, busy in zip(loops, (16, 15)):
            self.assertAlmostEqual(float(row["busy_share[%]"]), 100 * busy / float(row["lifetime[s]"]), places=6)
            self.assertGreaterEqual(float(row["lifetime[s]"]), busy)

    def test_a_task_inside_another(self):
        """The longest run is the task's own time; nested runs count once in the thread's busy time."""
        row, = table(self.profile("create:a:A run:a take:2 create:b:B run:b take:3 complete:b take:2 complete:a"), "task_loops")
        self.assertEqual((row["longest_task"], float(row["longest_run[s]"]), float(row["busy[s]"])), ("A", 4, 7))

    def test_runs_that_took_no_time(self):
        row, = table(self.profile("create:a:A run:a complete:a take:1"), "task_loops")
        self.assertEqual((row["longest_task"], float(row["longest_run[s]"])), ("A", 0))

    def test_tasks_that_never_ran(self):
        profile = self.profile("create:a:A complete:a take:1")
        self.assertNotIn("task_loops", json.loads(profile.read_text()))
        self.assertNotIn("Threads that run tasks", report(profile, "--tasks"))

    def test_tree(self):
        """Each task is below its creator, the one with the most time first."""
        rows = table(self.profile(), "task_tree")
        self.assertEqual([(row["task"].strip(), row["depth"], float(row["own[s]"]), float(row["with_children[s]"]))
                          for row in rows],
                         [("accept", "0", 5, 31), ("parse", "1", 16, 16), ("session", "1", 10, 10)])
        self.assertEqual(rows[2]["callpath"], "session<accept<init")

    def test_tree_of_two_paths(self):
        story = ("in:x create:a:A run:a create:b:B out:x complete:a in:y create:c:A out:y run:c create:d:B run:d take:1 "
                 "complete:d complete:c run:b take:3 complete:b")
        rows = table(self.profile(story), "task_tree")
        self.assertEqual([(row["task"].strip(), float(row["with_children[s]"]), row["callpath"]) for row in rows],
                         [("A", 3, "A<x<init"), ("B", 3, "B<A<x<init"), ("A", 1, "A<y<init"), ("B", 1, "B<A<y<init")])

    def test_tree_on_request(self):
        profile = self.profile()
        self.assertNotIn("Task tree", report(profile, "--tasks"))
        text = report(profile, "--tasks", "--callpath")
        self.assertIn("|   session ", text.partition("Task tree")[2])
        self.assertIn("Task tree", report(profile, "--callpath"))

    def test_order(self):
        profile = self.profile()
        order = {"own": ["parse", "session", "accept"], "with_children": ["accept", "parse", "session"],
                 "longest_run": ["parse", "session", "accept"], "longest_task": ["parse", "session", "accept"],
                 "pauses": ["session", "parse", "accept"], "paused": ["session", "parse", "accept"],
                 "tasks": ["parse", "session", "accept"], "wall": ["parse", "session", "accept"]}
        for column, types in order.items():
            self.assertEqual([row["task"] for row in table(profile, "tasks", "--sort-tasks", column)], types, column)
        text = report(profile, "--tasks", "--sort-tasks", "own", "--ascending")
        self.assertLess(text.index("accept"), text.index("parse"))

    def test_meaningless_options(self):
        profile = self.profile()
        result = subprocess.run([COMMAND, "report", "--threads", "--sort-tasks", "wall", profile], capture_output=True, text=True)
        self.assertEqual(result.returncode, 2)
        self.assertIn("--sort-tasks", result.stderr)
