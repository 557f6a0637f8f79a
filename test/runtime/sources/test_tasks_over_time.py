"""Figures of asynchronous tasks while the program runs: series over time, the file for Prometheus,
task_ranks()."""
import collections
import csv
import json
import re
import subprocess

from mpi_support import MPICH, OPEN_MPI, MpiTest
from support import (COMMAND, LIBRARY, SOURCE, ProgramTest, clean_environment, compile_program, need, run,
                     scratch_folder)
from test_ends import folder_with_trees
from test_tasks import task_script, tasks

BY_THE_PROGRAM = {"VFTR_TASK_SNAPSHOT_INTERVAL": 0, "VFTR_SECTION_MEMORY": "off"}


def report(profile, *options):
    return subprocess.run([COMMAND, "report", *options, profile], check=True, capture_output=True, text=True).stdout


def intervals(profile, rank=0):
    """{(from, to): {task: its row}} of a rank."""
    found = collections.defaultdict(dict)
    for row in csv.DictReader(report(profile, "--tasks", "--over-time", "--format", "csv").splitlines()):
        if int(row["rank"]) == rank:
            found[float(row["from[s]"]), float(row["to[s]"])][row["task"]] = row
    return dict(found)


def own(rows, column="own[s]"):
    return {task: float(row[column]) for task, row in rows.items()}


def series_of(profile, metric, rank=0):
    """{type: [(ns, value)]}; the key of all types together is ""."""
    found = {}
    for series in profile.get("series", []):
        name, _, subject = profile["metrics"][series["metric"]]["name"].partition(":")
        if (name, series["rank"]) == (f"task.{metric}", rank):
            found[subject] = list(zip(series["time_ns"], series["values"]))
    return found


class OverTime(ProgramTest):
    def run_script(self, *story, said="", status=0, **variables):
        result = run([task_script(), *story], **{**BY_THE_PROGRAM, **variables})
        self.assertEqual((result.status, result.stderr), (status, said))
        return next(result.folder.glob("*_all.json"))

    def test_each_minute(self):
        """The service thread takes snapshots when they are due by the clock that the program sets. Running tasks count."""
        profile = self.run_script("create:a:A", "run:a", "wait:2", "take:60", "wait:2", "take:15", "pause:a", "create:b:B",
                            "run:b", "take:45", "wait:2", "take:20", "pause:b", "take:40", "wait:2", "take:60",
                            "wait:2", "run:b", "take:30", "complete:b",
                            VFTR_TASK_SNAPSHOT_INTERVAL=60)
        found = intervals(profile)
        self.assertEqual({key: own(rows) for key, rows in found.items()},
                         {(0, 60): {"A": 60}, (60, 120): {"B": 45, "A": 15}, (120, 180): {"B": 20},
                          (240, 270): {"B": 30}})
        self.assertEqual([own(rows, "share[%]") for rows in found.values()],
                         [{"A": 100}, {"B": 75, "A": 25}, {"B": 100 / 3}, {"B": 100}])
        self.assertEqual([row["ended"] for row in found[240, 270].values()], ["1"])
        self.assertEqual(list(found[60, 120]), ["B", "A"])  # the one with the most time comes first

    def test_children_and_numbers(self):
        profile = self.run_script(*"create:a:A run:a take:10 create:b:B run:b take:20 snapshot take:5 complete:b take:1 "
                            "complete:a create:c:B cancel:c snapshot take:9".split())
        found = intervals(profile)
        self.assertEqual(list(found), [(0, 30), (30, 36)])
        columns = ("own[s]", "with_children[s]", "tasks", "ended")
        self.assertEqual({(*key, task): tuple(float(row[column]) for column in columns)
                          for key, rows in found.items() for task, row in rows.items()},
                         {(0, 30, "B"): (20, 20, 1, 0), (0, 30, "A"): (10, 30, 1, 0),
                          (30, 36, "B"): (5, 5, 1, 2), (30, 36, "A"): (1, 6, 0, 1)})
        series = series_of(json.loads(profile.read_text()), "own_at")
        self.assertEqual(series[""][-1], (45e9, 36e9))
        self.assertEqual({task: [value for _, value in points] for task, points in series.items()},
                         {"": [30e9, 36e9, 36e9], "A": [10e9, 11e9, 11e9], "B": [20e9, 25e9, 25e9]})

    def test_text_and_json(self):
        profile = self.run_script(*"create:a:A run:a take:10 snapshot take:30 complete:a take:10".split())
        text = report(profile, "--tasks", "--over-time")
        self.assertEqual([line.split() for line in text.splitlines() if line.startswith("| ")][1:],
                         ["| 0 | 0.000 | 10.000 | A | 10.000 | 100.00 | 10.000 | 1 | 0 |".split(),
                          "| 0 | 10.000 | 50.000 | A | 30.000 | 75.00 | 30.000 | 0 | 1 |".split()])
        self.assertTrue(text.startswith("Tasks over time\n"))
        table, = json.loads(report(profile, "--tasks", "--over-time", "--format", "json"))["tables"]
        self.assertEqual((table["id"], len(table["rows"])), ("tasks_over_time", 2))
        self.assertEqual(report(profile, "--table", "tasks_over_time").strip(), text.strip())
        self.assertNotIn("over time", report(profile, "--tasks"))

    def test_meaningless_options(self):
        profile = self.run_script(*"create:a:A run:a take:10 complete:a".split())
        for options, said in ((("--tasks", "--over-time"), "this run does not have snapshots of tasks"),
                              (("--over-time",), "--over-time needs --tasks"),
                              (("--sections", "--over-time"), "--over-time needs --tasks")):
            failed = subprocess.run([COMMAND, "report", *options, profile], capture_output=True, text=True)
            self.assertEqual((failed.returncode, failed.stdout), (2, ""))
            self.assertIn(said, failed.stderr)

    def test_a_long_run_keeps_the_same_times_for_all(self):
        """Every fourth of 1000 snapshots is kept; a type that appeared later has points at the same times."""
        profile = self.run_script("create:a:A", "create:b:B", "cancel:b", "run:a", *["take:1", "snapshot"] * 333, "pause:a",
                            "create:l:Late", "run:l", *["take:1", "snapshot"] * 667, "complete:l", "complete:a")
        series = series_of(json.loads(profile.read_text()), "own_at")
        times = {tuple(ns for ns, _ in points) for points in series.values()}
        self.assertEqual(len(times), 1)
        self.assertTrue(128 <= len(*times) <= 256)
        found = intervals(profile)
        self.assertEqual(sum(own(rows).get("Late", 0) for rows in found.values()), 667)
        self.assertEqual(sum(own(rows).get("A", 0) for rows in found.values()), 333)
        for (start, end), rows in found.items():
            self.assertAlmostEqual(sum(own(rows).values()), end - start, places=6)

    def test_of_many_types_the_rest_is_one_row(self):
        """64 types have series, 10 have rows, and no time is lost."""
        story = [word for i in range(100) for word in (f"create:a:T{i}", "run:a", f"take:{i + 1}", "complete:a")]
        profile = self.run_script(*story, "snapshot", "create:a:T0", "run:a", "take:7", "snapshot")
        series = series_of(json.loads(profile.read_text()), "own_at")
        self.assertEqual(set(series), {""} | {f"T{i}" for i in range(36, 100)})
        first, second = intervals(profile).values()
        self.assertEqual(list(first), [f"T{i}" for i in range(99, 89, -1)] + ["(other tasks)"])
        self.assertEqual(sum(own(first).values()), 5050)
        self.assertEqual((first["(other tasks)"]["tasks"], first["(other tasks)"]["with_children[s]"]), ("90", ""))
        self.assertEqual(own(second), {"(other tasks)": 7})

    def test_a_child_of_fork_has_its_own(self):
        result = run([task_script(), *"create:a:A run:a take:60 snapshot complete:a fork create:c:C run:c take:30 snapshot "
                      "complete:c".split()], **BY_THE_PROGRAM)
        self.assertEqual((result.status, result.stderr), (0, ""))
        found = {next(iter(tasks(path))): intervals(path) for path in result.folder.glob("*_all.json")}
        self.assertEqual({name: [own(rows) for rows in each.values()] for name, each in found.items()},
                         {"A": [{"A": 60}], "C": [{"C": 30}]})

    def test_killed(self):
        """vftrace recover yields the state of the last snapshot."""
        folder = folder_with_trees()
        result = run([task_script(), *"create:a:A run:a take:60 snapshot take:30 snapshot take:7 die".split()], folder=folder,
                     VFTR_TREE_FILE_DIRECTORY=folder / "trees", **BY_THE_PROGRAM)
        self.assertEqual(result.status, -9)
        subprocess.run([COMMAND, "recover", *(folder / "trees").iterdir()], check=True, capture_output=True)
        profile = next(folder.glob("*_all.json"))
        self.assertEqual({key: own(rows) for key, rows in intervals(profile).items()},
                         {(0, 60): {"A": 60}, (60, 90): {"A": 30}})

    def test_nothing_is_printed_for_programs_without_tasks(self):
        result = run([task_script(), "take:3", "snapshot"], VFTR_TASK_PROMETHEUS_FILE="x.prom")
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual([name for name in result.files() if "prom" in name], [])

    def test_the_first_task_in_a_handler_of_a_signal(self):
        """The service thread is not created in the handler, but later."""
        program = compile_program("task_in_a_handler.c", instrument=False)
        for snapshots, interval in ((0, 0), (1, 60)):
            result = run([program], VFTR_TASK_SNAPSHOT_INTERVAL=interval)
            self.assertEqual((result.status, result.stdout, result.stderr),
                             (0, f"in the handler 1 threads, later {1 + snapshots}\n", ""))


class Ranks(ProgramTest):
    """vftrace::task_ranks()"""

    FIGURES = """\
before
while it runs
  parse(int)|parse.cpp:7 own 2 with 2 wall 0 paused 0 longest 0 run 0: created 1 completed 0 failed 0 cancelled 0 \
stillborn 0 pauses 0
  session "\\
|a\\b.cpp:12 own 1 with 3 wall 0 paused 0 longest 0 run 0: created 1 completed 0 failed 0 cancelled 0 \
stillborn 0 pauses 0
on another thread
  session "\\
|a\\b.cpp:12 own 5 with 7 wall 0 paused 0 longest 0 run 0: created 1 completed 0 failed 0 cancelled 0 \
stillborn 0 pauses 0
  parse(int)|parse.cpp:7 own 2 with 2 wall 0 paused 0 longest 2 run 2: created 1 completed 0 failed 0 cancelled 0 \
stillborn 0 pauses 1
at the end
  parse(int)|parse.cpp:7 own 10 with 10 wall 14 paused 4 longest 10 run 8: created 1 completed 1 failed 0 cancelled 0 \
stillborn 0 pauses 1
  session "\\
|a\\b.cpp:12 own 5 with 15 wall 15 paused 0 longest 5 run 5: created 1 completed 0 failed 1 cancelled 0 \
stillborn 0 pauses 0
  never (really)|:0 own 0 with 0 wall 0 paused 0 longest 0 run 0: created 1 completed 0 failed 0 cancelled 1 \
stillborn 1 pauses 0
"""

    def program(self):
        return compile_program("task_ranks.cpp", instrument=False, link=["-pthread"])

    def test_figures(self):
        result = run([self.program()])
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(result.stdout, self.FIGURES)

    def test_without_recording(self):
        nothing = "before\nwhile it runs\non another thread\nat the end\n"
        for options in ({"preload": False}, {"VFTR_OFF": "yes"}, {"VFTR_TASK_ACTIVE": "no"}):
            result = run([self.program()], **options)
            self.assertEqual((result.status, result.stdout, result.stderr), (0, nothing, ""))

    def test_headers_are_clean(self):
        folder = scratch_folder()
        for suffix, compilers, standards, header in (("c", ("gcc", "clang"), ("c99", "c11"), "tasks.h"),
                                                     ("cpp", ("g++", "clang++"), ("c++11", "c++20"), "task_ranks.hpp")):
            source = folder / f"includes.{suffix}"
            source.write_text(f"#include <vftrace/{header}>\nint main(void) {{ return 0; }}\n")
            for compiler in compilers:
                for standard in standards:
                    with self.subTest(compiler=compiler, standard=standard):
                        subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                                        "-Wconversion", "-Werror", "-fsyntax-only", "-I", SOURCE / "include", source],
                                       check=True)


def samples(text):
    """{metric: {labels: value}}"""
    found = collections.defaultdict(dict)
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line).groups()
            found[name][labels] = float(value)
    return found


class Prometheus(ProgramTest):
    def run_script(self, *story, status=0, said="", **variables):
        result = run([task_script(), *story], **{**BY_THE_PROGRAM, "VFTR_TASK_PROMETHEUS_FILE": "tasks.prom", **variables})
        self.assertEqual((result.status, result.stderr), (status, said))
        return result.folder

    def check(self, text):
        need("promtool")
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_the_format(self):
        program = compile_program("task_ranks.cpp", instrument=False, link=["-pthread"])
        result = run([program], VFTR_TASK_PROMETHEUS_FILE="tasks.prom")
        self.assertEqual(result.stdout, Ranks.FIGURES)
        text = (result.folder / "tasks.prom").read_text()
        parse = 'function="parse(int)",file="parse.cpp",line="7"'
        session = r'function="session \"\\\n",file="a\\b.cpp",line="12"'
        metrics = samples(text)
        self.assertEqual({name: (values[parse], values[session]) for name, values in metrics.items()},
                         {"vftrace_task_exec_seconds_total": (10, 5),
                          "vftrace_task_with_children_seconds_total": (10, 15),
                          "vftrace_task_wall_seconds_total": (14, 15),
                          "vftrace_task_paused_seconds_total": (4, 0),
                          "vftrace_task_longest_seconds": (10, 5),
                          "vftrace_task_longest_run_seconds": (8, 5),
                          "vftrace_task_calls_total": (1, 1),
                          "vftrace_task_completed_total": (1, 0),
                          "vftrace_task_failed_total": (0, 1),
                          "vftrace_task_cancelled_total": (0, 0),
                          "vftrace_task_stillborn_total": (0, 0),
                          "vftrace_task_pauses_total": (1, 0),
                          "vftrace_task_alive": (0, 0)})
        # The types with the most time including children come first; those that took none are left out.
        self.assertEqual(list(metrics["vftrace_task_exec_seconds_total"]), [session, parse])
        for name in metrics:
            self.assertIn(f"# TYPE {name} {'counter' if name.endswith('_total') else 'gauge'}\n", text)
            self.assertRegex(text, f"# HELP {name} .+")
        self.check(text)

    def test_while_it_runs(self):
        """The file is written repeatedly."""
        folder = self.run_script("create:a:A", "run:a", "take:3", "wait:2", "take:40", "wait:2", "die", status=-9)
        text = (folder / "tasks.prom").read_text()
        self.assertEqual(samples(text)["vftrace_task_exec_seconds_total"], {'function="A",file="",line=""': 43})
        self.check(text)
        self.assertEqual([path.name for path in folder.iterdir() if path.name.endswith(".part")], [])

    def test_the_top(self):
        story = [word for i in range(30) for word in (f"create:a:T{i}", "run:a", f"take:{i + 1}", "complete:a")]
        for options, most in (({}, 20), ({"VFTR_TASK_PROMETHEUS_TOP": 3}, 3)):
            folder = self.run_script(*story, **options)
            text = (folder / "tasks.prom").read_text()
            self.assertEqual(list(samples(text)["vftrace_task_calls_total"]),
                             [f'function="T{i}",file="",line=""' for i in range(29, 29 - most, -1)])
            self.check(text)

    def test_a_child_of_fork_has_a_file_of_its_own(self):
        folder = self.run_script(*"create:a:A run:a take:1 complete:a fork create:c:C run:c take:2 complete:c".split())
        names = sorted(path.name for path in folder.glob("*.prom"))
        self.assertEqual(len(names), 2)
        self.assertRegex(names[0], r"^tasks\.\d+\.prom$")
        self.assertIn('function="C"', (folder / names[0]).read_text())
        self.assertNotIn('function="C"', (folder / "tasks.prom").read_text())

    def test_patterns(self):
        folder = self.run_script(*"create:a:A run:a take:1 complete:a".split(),
                           VFTR_TASK_PROMETHEUS_FILE="%r-%p-100%%-%x.prom", OMPI_COMM_WORLD_RANK=3)
        name, = [path.name for path in folder.glob("*.prom")]
        self.assertRegex(name, r"^3-\d+-100%-%x\.prom$")
        folder = self.run_script(*"create:a:A run:a take:1 complete:a".split(), OMPI_COMM_WORLD_RANK=3)
        self.assertTrue((folder / "tasks.3.prom").exists())

    def test_a_folder_that_cannot_be_written(self):
        self.run_script("create:a:A", "run:a", "take:3", "wait:2", "take:3", "wait:2", "complete:a",
                  VFTR_TASK_PROMETHEUS_FILE="/nowhere/tasks.prom",
                  said="vftrace: task.prometheus_file: cannot write /nowhere/tasks.prom: No such file or directory "
                       "(reported once)\n")


OF_RANKS = r"""
#include <mpi.h>
#include <unistd.h>
#include <vftrace/tasks.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    vftrace_task_id task = vftrace_task_create(rank == 0 ? "first" : "second", "ranks.c", 7);
    for (int i = 0; i < 3; i++) {
        vftrace_task_run(task);
        usleep(20000 * (rank + 1));
        vftrace_task_pause(task);
        vftrace_task_snapshot();
    }
    MPI_Finalize();
    return 0;
}
"""


class OfRanks:
    def test_each_rank_has_its_series(self):
        self.family.need("mpicc", "mpirun")
        folder = scratch_folder()
        (folder / "ranks.c").write_text(OF_RANKS)
        subprocess.run([self.family.command("mpicc"), "-O1", "-I", SOURCE / "include", "ranks.c", "-o", "ranks"],
                       cwd=folder, check=True)
        result = subprocess.run([*self.family.launch(2), "env", f"LD_PRELOAD={LIBRARY}",
                                 "VFTR_TASK_SNAPSHOT_INTERVAL=0", "VFTR_TASK_PROMETHEUS_FILE=ranks.prom", "./ranks"],
                                cwd=folder, capture_output=True, text=True,
                                env=clean_environment(**self.family.environment))
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        for rank, (name, file) in enumerate((("first", "ranks.prom"), ("second", "ranks.1.prom"))):
            name += " (ranks.c:7)"
            rows = intervals(folder / "ranks_all.json", rank)
            self.assertEqual([set(each) for each in rows.values()], [{name}] * 3)
            for each in rows.values():
                self.assertGreaterEqual(own(each)[name], 0.019 * (rank + 1))
            values = samples((folder / file).read_text())["vftrace_task_pauses_total"]
            self.assertEqual(values, {f'function="{name.split()[0]}",file="ranks.c",line="7",rank="{rank}"': 3})


class OfOpenMpiRanks(OfRanks, MpiTest):
    family = OPEN_MPI


class OfMpichRanks(OfRanks, MpiTest):
    family = MPICH
