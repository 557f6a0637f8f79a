"""Asynchronous tasks that the program reports, on a clock that it sets."""
import csv
import json
import re
import signal
import subprocess

from support import (BUILD, COMMAND, LIBRARY, LINK_LIBRARY, ProgramTest, clean_environment, compile_program, run,
                     words_of)
from test_ends import folder_with_trees

TIMES = ("own[s]", "longest_task[s]", "longest_run[s]", "with_children[s]", "wall[s]", "paused[s]")


def tasks(profile):
    """{type: its row} of the table."""
    text = subprocess.run([COMMAND, "report", "--table", "tasks", "--format", "csv", profile], check=True,
                          capture_output=True, text=True).stdout
    return {row["task"]: {name.removesuffix("[%]"): float(value) for name, value in row.items() if name != "task"}
            for row in csv.DictReader(text.splitlines())}


def task_script(**options):
    return compile_program("task_script.c", instrument=False, link=["-pthread"], **options)


# The messages about mistakes.
def ended(word):
    return f"vftrace: a task that has already ended, or belongs to another process, cannot be {word}: ignored (reported once)\n"


def busy(word):
    return f"vftrace: a task that a thread is already running cannot be {word}: ignored (reported once)\n"


class ReportedTasks(ProgramTest):
    """Each case is a story and the rows that it yields in the table."""

    def rows(self, story, said="", program=None, **variables):
        result = run([program or task_script(), *story.split()], VFTR_SECTION_MEMORY="off", **variables)
        self.assertEqual((result.status, result.stderr), (0, said))
        self.result = result
        return tasks(next(result.folder.glob("*_all.json")))

    def check(self, story, said="", **expected):
        rows = self.rows(story, said)
        for name, row in expected.items():
            for column, value in row.items():
                unit = f"{column}[s]" if f"{column}[s]" in TIMES else column
                self.assertAlmostEqual(rows[name][unit], value, places=6, msg=f"{name}: {column}")
        self.assertEqual(set(rows), set(expected))

    def test_one_that_blocks(self):
        self.check("create:a:A run:a take:1 complete:a take:5",
                   A=dict(own=1, share=100, longest_task=1, longest_run=1, with_children=1, wall=1, tasks=1,
                          completed=1, alive=0, pauses=0, stillborn=0))

    def test_one_that_pauses(self):
        self.check("create:a:A take:7 run:a take:1 pause:a take:2 run:a take:3 complete:a",
                   A=dict(own=4, longest_task=4, longest_run=3, wall=13, pauses=1, paused=2, completed=1))

    def test_a_child_that_blocks_is_deducted(self):
        self.check("create:a:A run:a take:1 create:b:B run:b take:2 complete:b take:3 complete:a",
                   A=dict(own=4, with_children=6, longest_task=4, longest_run=4, wall=6),
                   B=dict(own=2, with_children=2, longest_run=2))

    def test_a_child_that_outlives_its_parent(self):
        self.check("create:a:A run:a take:1 create:b:B run:b take:2 pause:b complete:a take:9 run:b take:3 complete:b",
                   A=dict(own=1, with_children=6), B=dict(own=5, longest_task=5, longest_run=3, wall=14))

    def test_a_grandchild_after_its_first_pause(self):
        self.check("create:a:A run:a create:b:B run:b create:c:C run:c take:20 pause:c complete:b complete:a "
                   "run:c take:40 complete:c",
                   A=dict(own=0, with_children=60), B=dict(own=0, with_children=60), C=dict(own=60))

    def test_two_children_of_one_type(self):
        self.check("create:a:A run:a create:b:B create:c:B pause:a run:b take:1 complete:b run:c take:2 complete:c "
                   "run:a take:4 complete:a",
                   A=dict(own=4, with_children=7), B=dict(own=3, tasks=2, completed=2, longest_task=2))

    def test_one_type_on_two_paths_and_below_itself(self):
        self.check("in:x create:a:A out:x in:y create:b:A out:y run:a take:1 create:c:A run:c take:2 create:d:B run:d "
                   "take:3 complete:d complete:c complete:a run:b take:4 complete:b",
                   A=dict(own=7, with_children=10, tasks=3), B=dict(own=3, with_children=3))

    def test_ends(self):
        self.check("create:a:F run:a take:1 fail:a create:b:P cancel:b create:c:R run:c take:2 cancel:c "
                   "create:d:S run:d take:1 pause:d take:1 cancel:d create:e:N create:f:Z complete:f",
                   F=dict(failed=1, completed=0, own=1), P=dict(cancelled=1, stillborn=1, own=0),
                   R=dict(cancelled=1, stillborn=0, own=2), S=dict(cancelled=1, own=1, paused=1, wall=2),
                   N=dict(tasks=1, alive=1, completed=0), Z=dict(completed=1, stillborn=1))

    def test_waiting_code_is_not_charged(self):
        self.check("create:a:A run:a create:t:T run:t take:1 pause:t complete:a create:b:B run:b take:2 pause:b "
                   "run:t take:5 complete:t run:b take:1 complete:b",
                   A=dict(own=0, with_children=6), T=dict(own=6), B=dict(own=3, with_children=3))

    def test_on_other_threads(self):
        """A child is below its parent, wherever both run."""
        self.check("create:a:A run:a take:1 create:b:B pause:a thread run:b take:2 create:c:C complete:b "
                   "thread run:c take:4 complete:c run:a take:8 complete:a",
                   A=dict(own=9, with_children=15, tasks=1), B=dict(own=2, with_children=6),
                   C=dict(own=4, tasks=1, completed=1))
        self.assertIn("C<B<A<init", {path for path in self.result.paths() if path.startswith("C<")})

    def test_sections_in_tasks(self):
        """Calls that a task makes belong to it and are below it."""
        self.check("create:a:A in:loop run:a take:1 in:solve take:2 pause:a take:4 run:a take:8 complete:a out:loop",
                   A=dict(own=11, longest_run=8))
        self.assertTrue(any(path.startswith("solve<A<") for path in self.result.paths()))

    def test_mistakes_are_reported_once(self):
        good = dict(own=1, tasks=1, completed=1)
        for story, said in (("complete:a complete:a", ended("ended")), ("run:a run:a", ended("run")),
                            ("pause:a", ended("paused")), ("id:z:77 run:z", ended("run")),
                            ("id:z:18446744073709551615 complete:z", ended("ended")),
                            ("id:z:0 complete:z run:z", "")):
            with self.subTest(story):
                self.check(f"create:a:A run:a take:1 complete:a {story}", said, A=good)
        self.check("create:a:A run:a run:a take:1 complete:a", busy("run"), A=good)
        self.check("create:a:A run:a take:1 thread complete:a run:a thread take:1",
                   busy("ended"), A=dict(own=2, completed=0, alive=1))

    def test_a_child_of_fork_has_none_of_them(self):
        rows = self.rows("create:a:A run:a take:1 complete:a create:b:B fork complete:b create:c:C run:c complete:c",
                         ended("ended"))
        del rows
        types = [set(tasks(path)) for path in self.result.folder.glob("*_all.json")]
        self.assertIn({"A", "B"}, types)
        self.assertTrue(any("C" in names for names in types))

    def test_switched_off(self):
        result = run([task_script(), *"create:a:A run:a take:1 complete:a".split()], VFTR_TASK_ACTIVE="no")
        self.assertEqual((result.status, result.stderr), (0, ""))
        result = run([task_script(), *"create:a:A run:a take:1 complete:a".split()], VFTR_TASK_SHOW_TABLE="no")
        self.assertNotIn("Task ranks", result.text())

    def test_log_and_report(self):
        self.rows("create:a:A run:a take:1 complete:a")
        text = self.result.text()
        tables = text[text.index("\nTask ranks\n") + 1:].split("\n\n")[:3]
        self.assertIn("| Task |", tables[0])
        self.assertIn("Runs of tasks\n", tables[1])
        self.assertIn("Threads that run tasks\n", tables[2])
        said = subprocess.run([COMMAND, "report", "--tasks", next(self.result.folder.glob("*_all.json"))],
                              check=True, capture_output=True, text=True).stdout
        self.assertEqual(words_of(said), words_of("\n\n".join(tables)))

    def test_without_the_library_and_linked(self):
        story = "create:a:A run:a take:1 complete:a".split()
        for link in (["-pthread"], ["-pthread", "-static"]):
            result = run([compile_program("task_script.c", instrument=False, link=link), *story], preload=False)
            self.assertEqual((result.status, result.stdout, result.stderr, result.files()), (0, "done\n", "", []))
        for link in (LINK_LIBRARY, ["-Wl,--undefined=vftrace_task_calls", BUILD / "libvftrace.a", "-lelf", "-lm"]):
            program = compile_program("task_script.c", instrument=False, link=["-pthread", *link])
            result = run([program, *story], preload=False)
            self.assertEqual(tasks(next(result.folder.glob("*_all.json")))["A"]["tasks"], 1)


class Misused(ProgramTest):
    """Mistakes are reported once each, and figures of other tasks are right."""

    def misuse(self, *way, said=(), good=2, **variables):
        """Returns what was printed, and the rows of the parent."""
        program = compile_program("tasks_misused.c", ("-O1",), instrument=False, link=["-pthread"])
        self.result = run([program, *way], **variables)
        self.assertEqual(self.result.status, 0)
        if said is not None:
            self.assertEqual(sorted(self.result.stderr.splitlines(keepends=True)), sorted(said))
        rows = max((tasks(path) for path in self.result.folder.glob("*_all.json")), key=len)
        row, printed = rows["good"], self.result.stdout.split()
        if good is None:
            good = 2 + int(printed[0])
        self.assertEqual([row[name] for name in ("tasks", "completed", "pauses", "failed", "cancelled", "alive")],
                         [good, good, good, 0, 0, 0])
        return printed, rows

    def test_run_by_several_threads_at_once(self):
        printed, rows = self.misuse("at once", said=None, good=8002)
        self.assertEqual(printed, ["0"])
        row = rows["at once"]
        self.assertEqual((row["tasks"], row["completed"], row["alive"]), (2000, 2000, 0))
        lines = self.result.stderr.splitlines(keepends=True)
        self.assertEqual(len(lines), len(set(lines)))
        self.assertLessEqual(set(lines), {*map(ended, ("run", "paused", "ended")), *map(busy, ("run", "ended")),
                                          "vftrace: a task that does not run on this thread cannot be paused: ignored "
                                          "(reported once)\n"})
        self.assertIn("that has already ended", self.result.stderr)

    def test_made_in_a_signal_handler(self):
        printed, rows = self.misuse("handler", good=None)
        row = rows["in the handler (tasks_misused.c:1)"]
        self.assertGreaterEqual(int(printed[0]), 20)
        self.assertEqual([row[name] for name in ("tasks", "completed", "alive")], [int(printed[0]), int(printed[0]), 0])
        row = rows["interrupted"]
        self.assertGreaterEqual(row["tasks"], 300000)
        self.assertEqual((row["completed"], row["alive"]), (row["tasks"], 0))

    def test_of_another_run(self):
        first, rows = self.misuse("other run")
        self.assertEqual(rows["of this run"]["completed"], 1)
        second, rows = self.misuse("other run", first[0], said=[ended("run")])
        self.assertNotEqual(second[0], first[0])
        self.assertEqual(second[1], "0")
        self.assertEqual((rows["of this run"]["completed"], rows["of this run"]["stillborn"]), (1, 1))

    def test_never_ended(self):
        _, rows = self.misuse("never ended")
        for name, row in rows.items():
            if name != "good":
                self.assertEqual((row["tasks"], row["alive"], row["pauses"]), (1, 1, int(name == "paused")), name)
        self.assertGreater(rows["running"]["own[s]"], 0)

    def test_ended_by_a_child_of_fork(self):
        _, rows = self.misuse("ends of parent", said=[ended("run")])
        for name, stillborn in (("pending", 1), ("running", 0)):
            self.assertEqual([rows[name][column] for column in ("tasks", "completed", "failed", "cancelled", "stillborn")],
                             [1, 1, 0, 0, stillborn], name)
        child, = (names for names in map(tasks, self.result.folder.glob("*_all.json")) if "pending" not in names)
        self.assertEqual((child["good"]["tasks"], child["good"]["completed"]), (1, 1))

    def test_a_million_types(self):
        """Types up to the limit have rows; further ones share one row, and memory is bounded."""
        alone = {"VFTR_TASK_SNAPSHOT_INTERVAL": "0"}  # without the memory that the library's own thread takes
        few = int(self.misuse("many", 9999, good=12, **alone)[0][0])
        said = ["vftrace: more than 10000 types of tasks (task.max_types): further ones are counted as one. Names of "
                "types should not contain request numbers\n"]
        printed, rows = self.misuse("many", 1000000, said=said, good=1002, **alone)
        self.assertLess(int(printed[0]) - few, 1024)
        self.assertEqual(len(rows), 10001)
        self.assertEqual({rows[f"request {i} (tasks_misused.c:2)"]["completed"] for i in (0, 1, 9998)}, {1})
        rest = rows["(further types of tasks)"]
        self.assertEqual((rest["tasks"], rest["completed"], rest["alive"]), (990001, 990001, 0))
        text = self.result.text()
        table = text[text.index("\nTask ranks\n"):].partition("\n\n")[0].splitlines()
        self.assertEqual(table[-1], "(9901 more rows)")
        self.assertLess(len(table), 110)
        self.assertIn("(further types of tasks)", "".join(table))

    def test_limit_of_types(self):
        _, rows = self.misuse("many", 10, said=None, good=3, VFTR_TASK_MAX_TYPES=3)
        self.assertEqual({name: row["completed"] for name, row in rows.items()},
                         {"good": 3, "request 0 (tasks_misused.c:2)": 1, "request 1 (tasks_misused.c:2)": 1,
                          "(further types of tasks)": 8})


class Many(ProgramTest):
    def test_a_chain_has_as_many_paths_as_a_recursion(self):
        program = compile_program("tasks_without_end.c", ("-O2",), instrument=False)
        few, many = (run([program, times]) for times in (1000, 300000))
        self.assertEqual(many.stderr, "")
        row, = tasks(next(many.folder.glob("*_all.json"))).values()
        self.assertEqual((row["tasks"], row["completed"], row["cancelled"], row["alive"]), (300001, 300000, 1, 0))
        nodes = [len(json.loads(next(result.folder.glob("*_all.json")).read_text())["nodes"]) for result in (few, many)]
        self.assertEqual(nodes[0], nodes[1])
        self.assertLess(nodes[0], 12)
        self.assertLess(abs(int(many.stdout) - int(few.stdout)), 1024)

    def test_long_names(self):
        """At least 40 characters of a name, and the whole place, which distinguishes types."""
        folder = run([compile_program("task_long_names.c", instrument=False)]).folder
        text = subprocess.run([COMMAND, "report", "--tasks", "--callpath", *folder.glob("*_all.json")], check=True,
                              capture_output=True, text=True).stdout
        names = re.findall(r"^\| (\S.*?)\s+\| +[0-9]", text, re.M)
        for line in (101, 102):
            found = [name for name in names if name.endswith(f" (request_handlers_of_server.cpp:{line})")]
            self.assertEqual(len(found), 3, text)
            for name in found:
                self.assertGreaterEqual(len(name.rpartition(" (")[0]), 40)

    def test_killed(self):
        program = compile_program("tasks_killed.c", instrument=False)
        folder = folder_with_trees()
        environment = clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=folder / "trees")
        with subprocess.Popen([program], cwd=folder, env=environment, stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"waiting\n")
            process.send_signal(signal.SIGKILL)
        subprocess.run([COMMAND, "recover", *(folder / "trees").iterdir()], check=True, capture_output=True)
        rows = tasks(next(folder.glob("*_all.json")))
        self.assertEqual((rows["over"]["completed"], rows["in it"]["alive"]), (1, 1))
        self.assertGreater(rows["in it"]["own[s]"], 0.09)
