"""Asynchronous tasks in traces: what is recorded, and how it is shown."""
import collections
import json
import random
import signal
import struct
import subprocess
import time

from command_support import CommandTest, command
from support import COMMAND, LIBRARY, clean_environment, compile_program, run, scratch_folder
from test_ends import folder_with_trees
from test_export_timelines import PerfettoTrace, calls_of, fields
from test_tasks import task_script
from trace_support import EVERY_CALL, vfd_of
from vfd_files import FUNCTION, Vfd

CREATED, RUN, PAUSED, COMPLETED, FAILED, CANCELLED = range(6)
STORY = ("create:a:A run:a take:1 create:b:B run:b take:2 pause:b take:3 complete:a take:1 "
         "thread take:1 run:b take:2 fail:b create:c:C take:1 thread cancel:c create:d:A take:1 run:d take:1")
CREATES = "creates a task"


class Timeline:
    """The contents of a trace of tasks, the same for all formats. slices, marks: {lane: [...]} of (name, begin, end, left,
    thread that ran it) and (name, time, left); arrows: (from lane, time, to lane, time). Times in seconds."""

    def __init__(self, slices, marks, arrows):
        self.slices, self.marks, self.arrows = slices, marks, arrows


def chrome_timeline(file):
    events = json.loads(command("export", "-f", "chrome", "-o", "-", file).stdout)["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    slices, marks, ends = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(dict)
    for event in events:
        if event.get("cat") != "task":
            continue
        lane, time, word = names[event["tid"]], event["ts"] / 1e6, event.get("args", {})
        if event["ph"] == "X":
            slices[lane].append((event["name"], time, time + event["dur"] / 1e6, word["left"], word["thread"]))
        elif event["ph"] == "i":
            marks[lane].append((event["name"], time, word["left"]))
        elif event["ph"] in "sf":
            assert event["ph"] not in ends[event["id"]]
            ends[event["id"]][event["ph"]] = (lane, time)
    assert all(set(both) == {"s", "f"} for both in ends.values()), ends
    return Timeline(dict(slices), dict(marks), sorted(both["s"] + both["f"] for both in ends.values()))


def perfetto_timeline(file):
    target = scratch_folder() / "exported"
    assert command("export", "-f", "perfetto", "-o", target, file).status == 0
    trace = PerfettoTrace(target.read_bytes())
    names = {}
    for uuid, track in trace.tracks.items():
        names[uuid] = track[2][0].decode() if 2 in track else fields(track[4][0]).get(5, [b""])[0].decode() \
            if 4 in track else "process"
    groups = {uuid for uuid, name in names.items() if name == "tasks"}
    annotations = ("task", "thread", "left")
    slices, marks, ends = collections.defaultdict(list), collections.defaultdict(list), collections.defaultdict(dict)
    of_lane = collections.defaultdict(list)
    for uuid, ns, kind, name, category, event in trace.events:
        is_lane = trace.tracks[uuid].get(5, [0])[0] in groups
        assert is_lane or category != "task" or name == CREATES
        for number, word in ((47, "s"), (48, "f")):
            for flow in event.get(number, []):
                assert word not in ends[flow]
                ends[flow][word] = (names[uuid], ns / 1e9)
        words = {}
        for one in map(fields, event.get(4, []) if is_lane else []):
            words[annotations[one[1][0] - 1]] = one[6][0].decode() if 6 in one else one[3][0]
        if is_lane and kind == 3:
            marks[names[uuid]].append((name, ns / 1e9, words["left"]))
        elif is_lane:
            of_lane[uuid].append((kind == 1, ns, name, words))
    for uuid, events in of_lane.items():
        words = [one[3] for one in events if one[0]]
        calls = calls_of([one[:3] for one in events])  # slices of a lane do not overlap
        assert all(depth == 0 for *_, depth in calls) and len(calls) == len(words)
        slices[names[uuid]] = [(name, begin / 1e9, end / 1e9, word["left"], word["thread"])
                               for (name, begin, end, _), word in zip(calls, words)]
    return Timeline(dict(slices), dict(marks), sorted(both["s"] + both["f"] for both in ends.values()))


def timelines(file):
    yield "chrome", chrome_timeline(file)
    if "built without libprotozero" not in command("export", "--help").stdout:
        yield "perfetto", perfetto_timeline(file)


class Recorded(CommandTest):
    def trace(self, story, **variables):
        result = run([task_script(), *story.split()], **{**EVERY_CALL, **variables})
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result, next(path for path in result.folder.iterdir() if path.name.endswith(".vfd"))

    def check_story(self, moments):
        """Checks the tasks of STORY, which are the same whatever else is traced."""
        ids = {}
        for thread in moments.values():
            for what, path, task, _ in thread:
                if what == "created":
                    ids[task] = "abcd"[len(ids)]
        start = moments[0][0][3]
        self.assertEqual({thread: [(what, path.partition("<")[0].rstrip("*"), ids[task], round((ns - start) / 1e9, 6))
                                   for what, path, task, ns in its] for thread, its in moments.items()},
                         {0: [("created", "A", "a", 0), ("run", "A", "a", 0), ("created", "B", "b", 1),
                              ("run", "B", "b", 1), ("paused", "B", "b", 3), ("completed", "A", "a", 6)],
                          1: [("run", "B", "b", 8), ("failed", "B", "b", 10), ("created", "C", "c", 10),
                              ("cancelled", "C", "c", 11), ("created", "A", "d", 11), ("run", "A", "d", 12)]})
        paths = {path for its in moments.values() for _, path, _, _ in its}
        self.assertTrue(any(path.replace("*", "") == "B<A<init" for path in paths), paths)

    def test_contents_of_the_file(self):
        result, file = self.trace(STORY)
        vfd = vfd_of(result)
        self.check_story(vfd.task_moments)
        for events in (vfd.events, *vfd.threads.values()):
            self.assertEqual([ns for _, _, ns in events], sorted(ns for _, _, ns in events))
        del file

    def test_however_long_the_interval_is(self):
        result, _ = self.trace(STORY, VFTR_SAMPLING_SAMPLE_INTERVAL="100")
        self.check_story(vfd_of(result).task_moments)

    def test_no_tasks_no_section(self):
        for story, variables in (("in:a take:1 out:a", {}), ("in:a " + STORY, {"VFTR_TASK_ACTIVE": "no"})):
            result, file = self.trace(story, **variables)
            self.assertNotIn(15, vfd_of(result).sections)
            for _, timeline in timelines(file):
                self.assertEqual((timeline.slices, timeline.arrows), ({}, []))
        result = run([task_script(), *STORY.split()])
        self.assertFalse([path for path in result.files() if path.endswith("vfd")])

    def test_dump_and_info(self):
        _, file = self.trace(STORY)
        text = command("dump", "--threads", file).stdout
        lines = [line.split() for line in text[text.index("Tasks on thread 0"):].splitlines()]
        self.assertEqual([words[1] for words in lines if len(words) > 3 and words[2:3] == ["task"]],
                         ["created", "run", "created", "run", "paused", "completed", "run", "failed", "created",
                          "cancelled", "created", "run"])
        self.assertEqual(lines[1][4].replace("*", ""), "A<init")
        part = command("dump", "--thread", "0", "--from", "5", file).stdout
        self.assertEqual(part[part.index("Tasks on"):].count(" task "), 1)
        facts = json.loads(command("info", "--json", file).stdout)
        facts = facts[0] if isinstance(facts, list) else facts
        self.assertEqual(facts["task_moments"], 12)

    def test_timelines(self):
        _, file = self.trace("take:1 " + STORY)
        for name, timeline in timelines(file):
            with self.subTest(name):
                start = timeline.slices["task A"][0][1]
                shown = {lane: [(what, round(begin - start, 6), round(end - start, 6), left, thread)
                                for what, begin, end, left, thread in its] for lane, its in timeline.slices.items()}
                self.assertEqual(shown, {
                    "task A": [("A", 0, 6, "completed", "main thread"), ("A", 12, 13, "is running", "thread 1")],
                    "task B": [("B", 1, 3, "paused", "main thread"), ("B", 8, 10, "failed", "thread 1")]})
                self.assertEqual({lane: [(what, round(time - start, 6), left) for what, time, left in its]
                                  for lane, its in timeline.marks.items()}, {"task C": [("C", 11, "cancelled")]})
                self.assertEqual([(lane, round(time - start, 6), to, round(end - start, 6))
                                  for lane, time, to, end in timeline.arrows],
                                 [("main thread", 0, "task A", 0), ("main thread", 1, "task B", 1),
                                  ("thread 1", 11, "task A", 12)])

    def test_calls_of_threads(self):
        """A task is inside the call that runs it; this call continues meanwhile."""
        story = ("in:x create:a:A out:x in:loop run:a take:1 in:solve take:1 out:solve pause:a take:1 thread in:worker "
                 "run:a take:1 complete:a take:1 out:worker")
        _, file = self.trace(story)
        events = json.loads(command("export", "-f", "chrome", "-o", "-", file).stdout)["traceEvents"]
        for thread, expected in ((0, [("init", 0), ("main", 1), ("x", None), ("loop", None), ("A", 1), ("solve", 1)]),
                                 (1, [("[thread]", 0), ("worker", 1), ("A", 2)])):
            calls = calls_of([(event["ph"] == "B", round(event["ts"] * 1000), event["name"])
                              for event in events if event["ph"] in "BE" and event["tid"] == thread])
            names = [name for name, *_ in calls]
            self.assertEqual(names, [name for name, _ in expected if name in names])
            self.assertTrue({"loop", "A", "solve"} <= set(names) or thread == 1, names)
            depth = {name: depth for name, _, _, depth in calls}
            inner, outer = ("A", "loop") if thread == 0 else ("A", "worker")
            self.assertEqual(depth[inner], depth[outer] + 1)

    def test_few_samples(self):
        """The task that a thread ran is exact, like the lane of the task."""
        _, file = self.trace("in:main create:a:A run:a take:1 in:solve take:2 out:solve take:4 pause:a take:8 "
                             "run:a take:16 complete:a take:32 out:main", VFTR_SAMPLING_SAMPLE_INTERVAL="64")
        events = json.loads(command("export", "-f", "chrome", "-o", "-", file).stdout)["traceEvents"]
        times = [(event["ph"], round(event["ts"] / 1e6)) for event in events
                 if event["ph"] in "BE" and event["tid"] == 0 and event["name"] == "A"]
        self.assertEqual(times, [("B", 0), ("E", 7), ("B", 15), ("E", 31)])

    def test_killed(self):
        program = compile_program("tasks_killed.c", instrument=False)
        folder = folder_with_trees()
        environment = clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=folder / "trees", **EVERY_CALL)
        with subprocess.Popen([program], cwd=folder, env=environment, stdout=subprocess.PIPE) as process:
            self.assertEqual(process.stdout.readline(), b"waiting\n")
            time.sleep(3)  # the writer runs once per second
            process.send_signal(signal.SIGKILL)
        traces = list(folder.glob("*.tmpvfd"))
        self.assertEqual(len(traces), 1)
        self.assertEqual(subprocess.run([COMMAND, "recover", *traces], check=False, capture_output=True).returncode, 0)
        vfd, = folder.glob("*.vfd")
        for _, timeline in timelines(vfd):
            self.assertEqual({lane: its[-1][3] for lane, its in timeline.slices.items()},
                             {"task over": "completed", "task in it": "is running", "task third": "completed"})

    def test_dropped_events(self):
        """With a buffer that is far too small, fewer tasks are shown, but these correctly."""
        program = compile_program("tasks_without_end.c", ("-O2",), instrument=False)
        result = run([program, 100000], **EVERY_CALL, VFTR_SAMPLING_WHEN_FULL="drop", VFTR_SAMPLING_OUTBUFFER_SIZE="1")
        file = next(path for path in result.folder.iterdir() if path.name.endswith(".vfd"))
        self.assertGreater(len(vfd_of(result).task_moments[0]), 1000)
        slices = chrome_timeline(file).slices
        self.assertLess(len(slices), 67)
        for its in slices.values():
            for before, after in zip(its, its[1:]):
                self.assertLessEqual(round(before[2] * 1e9), round(after[1] * 1e9))


class Shown(CommandTest):
    def file(self, threads=3):
        vfd = Vfd(runtime_s=1.0)
        main = vfd.stack(0, "main", FUNCTION)
        self.type = vfd.stack(main, "serve (a.c:1)", FUNCTION)
        for _ in range(threads - 1):
            vfd.thread(0, "loop")
        vfd.enter(main, 0)
        vfd.exit(main, 10**9 - 1)
        vfd.exit(0, 10**9)
        return vfd

    def write(self, vfd):
        return vfd.write(scratch_folder() / "tasks.vfd")

    def test_many_tasks_have_few_lanes(self):
        vfd = self.file()
        for task in range(5000):
            vfd.task_moment(CREATED, task, self.type, 10 * task)
            vfd.task_moment(RUN, task, self.type, 10 * task + 1)
            vfd.task_moment(COMPLETED, task, self.type, 10 * task + 5)
        for name, timeline in timelines(self.write(vfd)):
            with self.subTest(name):
                self.assertEqual(list(timeline.slices), ["task serve (a.c:1)"])
                self.assertEqual(len(timeline.slices["task serve (a.c:1)"]), 5000)
                self.assertEqual(len(timeline.arrows), 5000)

    def test_many_that_live_at_once(self):
        """All tasks are created and run once, and then again in another order by two threads: each keeps its lane
        as long as there are lanes; the others share a few."""
        vfd = self.file()
        tasks = range(1000)
        for task in tasks:
            vfd.task_moment(CREATED, task, self.type, task)
        for task in tasks:
            vfd.task_moment(RUN, task, self.type, 10_000 + 10 * task)
            vfd.task_moment(PAUSED, task, self.type, 10_005 + 10 * task)
        for thread in (1, 2):
            for task in tasks[thread - 1::2]:
                vfd.task_moment(RUN, task, self.type, 50_000 + 10 * task, thread)
                vfd.task_moment(COMPLETED, task, self.type, 50_015 + 10 * task, thread)
        for name, timeline in timelines(self.write(vfd)):
            with self.subTest(name):
                self.assertLessEqual(len(timeline.slices), 67)
                self.assertGreaterEqual(len(timeline.slices), 65)
                self.assertEqual(sum(map(len, timeline.slices.values())), 2000)
                for its in timeline.slices.values():
                    for before, after in zip(its, its[1:]):
                        self.assertLessEqual(round(before[2] * 1e9), round(after[1] * 1e9))

    def test_gaps(self):
        """If the end of a run is not in the trace, the run ends where it began."""
        vfd = self.file()
        vfd.gaps = [(1, 0, 30, 40, 5), (2, 1, 33, 34, 0)]
        for task, thread, begin in ((1, 1, 10), (2, 2, 20)):
            vfd.task_moment(CREATED, task, self.type, begin, thread)
            vfd.task_moment(RUN, task, self.type, begin, thread)
        vfd.task_moment(COMPLETED, 2, self.type, 50, 2)
        for name, timeline in timelines(self.write(vfd)):
            with self.subTest(name):
                self.assertEqual({lane: [(round(begin * 1e9), round(end * 1e9), left) for _, begin, end, left, _ in its]
                                  for lane, its in timeline.slices.items()},
                                 {"task serve (a.c:1)": [(10, 30, "events are missing")],
                                  "task serve (a.c:1) (2)": [(20, 50, "completed")]})

    def test_nonsensical_events_are_shown_as_far_as_possible(self):
        """Events of tasks can be missing (sampling.when_full), so events may follow in any order."""
        chance = random.Random(7)
        for _ in range(20):
            vfd = self.file()
            for moment in range(300):
                vfd.task_moment(chance.randrange(6), chance.randrange(5), self.type, 10 * moment, chance.randrange(3))
            for name, timeline in timelines(self.write(vfd)):
                with self.subTest(name):
                    for its in timeline.slices.values():
                        for before, after in zip(its, its[1:]):
                            self.assertLessEqual(round(before[2] * 1e9), round(after[1] * 1e9))

    def test_damaged(self):
        for wrong, message in ((dict(what=6), "an unknown task event"),
                               (dict(stack=3), "stack 3 does not exist"), (dict(ns=4), "out of time order"),
                               (dict(thread=3), "a thread that does not exist")):
            vfd = self.file()
            vfd.task_moment(CREATED, 1, self.type, 5)
            vfd.task_moment(**{**dict(what=RUN, task=1, stack=self.type, ns=6, thread=0), **wrong})
            for arguments in (("dump",), ("export", "-f", "chrome", "-o", "-")):
                result = command(*arguments, self.write(vfd))
                self.assertEqual(result.status, 2)
                self.assertIn(message, result.stderr)
        vfd = self.file()
        vfd.task_moment(CREATED, 1, self.type, 5)
        data = vfd.bytes()
        section = struct.pack("=IIQ", 15, 0, 24)
        path = scratch_folder() / "tasks.vfd"
        path.write_bytes(data.replace(section, struct.pack("=IIQ", 99, 0, 24)))  # as if an older reader read it
        self.assertEqual(command("dump", path).status, 0)
        self.assertNotIn("Tasks on", command("dump", path).stdout)
