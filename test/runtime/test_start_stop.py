"""Recording that is switched on and off from outside: start=off, vftrace start, vftrace stop."""
import json
import os
import signal
import subprocess
import time

from command_support import CommandTest, command
from support import COMMAND, LIBRARY, LINK_LIBRARY, clean_environment, compile_program, run
from test_ends import EndTest, folder_with_trees, tree_files, wait_until

WAY = "work<inner<outer<main<init"


def rows_by_path(profile):
    """The rows of a profile in JSON by "leaf<main<init"."""
    names = [function["name"] for function in profile["functions"]]
    nodes, rows = profile["nodes"], {}
    for node in nodes:
        path, above = [], node
        while above is not None:
            path.append(names[above["function"]])
            parent = above.get("parent")
            above = nodes[parent] if parent is not None else None
        rows["<".join(path)] = node
    return rows


class Switched(EndTest):
    def begin(self, *arguments, link=("-pthread",), **variables):
        self.folder = folder_with_trees()
        program = compile_program("switched.c", flags=("-O1", *variables.pop("flags", ())),
                                  link=[*link, *LINK_LIBRARY])
        folder, variables = self.folder, {"VFTR_START": "off", **variables}
        process = subprocess.Popen([program, *arguments], cwd=folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment(folder, variables))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        wait_until(lambda: tree_files(folder) or variables["VFTR_START"] == "on")
        if "resume" not in arguments:
            self.work(process, 0)  # main has begun, so the process accepts requests
        return process

    def environment(self, folder, variables):
        return clean_environment(LD_PRELOAD=LIBRARY, VFTR_OVERHEAD_BUDGET=0,
                                 VFTR_TREE_FILE_DIRECTORY=folder / "trees", **variables)

    def work(self, process, count):
        process.stdin.write(f"{count}\n")
        process.stdin.flush()
        return process.stdout.readline()

    def switch(self, word, process, message):
        result = command(word, process.pid)
        self.assertEqual((result.status, result.stdout, result.stderr),
                         (0, f"{process.pid}: recording is {message}\n", ""))

    def finish(self, process):
        out, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said), (0, ""))
        return out

    def calls(self):
        profile = json.loads((self.folder / "switched_all.json").read_text())
        return {path: row["calls"] for path, row in rows_by_path(profile).items()}, profile


class StartStop(Switched):
    def test_on_and_off(self):
        process = self.begin()
        self.assertEqual(self.work(process, 100), "100\n")
        self.switch("start", process, "on")
        self.assertEqual(self.work(process, 7), "107\n")
        self.switch("stop", process, "off")
        self.work(process, 1000)
        self.switch("start", process, "on")
        self.switch("start", process, "on, as before")
        self.work(process, 5)
        self.switch("stop", process, "off")
        self.switch("stop", process, "off, as before")
        self.work(process, 3)
        self.assertEqual(self.finish(process), "1115 lines of work\n")
        counts, profile = self.calls()
        self.assertEqual(counts, {WAY: 12, "inner<outer<main<init": 1, "outer<main<init": 1,
                                  "main<init": 1, "init": 0})
        self.assertGreater(profile["run"]["paused_ns"], 0)
        self.assertEqual(tree_files(self.folder), [])

    def test_prologue_hooks(self):
        flags = ("-pg", "-mfentry", "-mrecord-return", "-minstrument-return=call")
        try:
            process = self.begin(flags=flags)
        except Exception:
            self.skipTest("the compiler does not know these options")
        self.switch("start", process, "on")
        self.work(process, 7)
        self.finish(process)
        self.assertEqual(self.calls()[0].get(WAY), 7)

    def test_region_that_began_before(self):
        """The end of such a region is not treated as an error of the program."""
        process = self.begin("region")
        self.switch("start", process, "on")
        self.work(process, 7)
        self.finish(process)  # nothing on stderr
        self.assertEqual(self.calls()[0].get(WAY), 7)

    def test_threads_that_have_calls_open(self):
        process = self.begin("thread")
        self.work(process, 1)
        self.switch("start", process, "on")
        self.work(process, 7)
        time.sleep(0.05)
        self.finish(process)
        counts, _ = self.calls()
        self.assertEqual(counts.get(WAY), 7)
        ticking = [path for path in counts if path.startswith("tick<keep_ticking<thread_main")]
        self.assertEqual(len(ticking), 1, counts)
        self.assertGreater(counts[ticking[0]], 5)

    def test_by_the_program(self):
        process = self.begin("resume")
        self.work(process, 9)
        self.finish(process)
        self.assertEqual(self.calls()[0].get(WAY), 9)

    def test_traced(self):
        process = self.begin(VFTR_SAMPLING_ACTIVE="yes", VFTR_SAMPLING_SAMPLE_INTERVAL=0)
        self.work(process, 100)
        self.switch("start", process, "on")
        self.work(process, 7)
        self.finish(process)
        dump = command("dump", self.folder / "switched_0.vfd")
        self.assertEqual(dump.status, 0, dump.stderr)
        self.assertEqual(dump.stdout.count("call work"), 7, dump.stdout[-2000:])
        self.assertIn("call inner", dump.stdout)

    def test_sampled(self):
        process = self.begin(VFTR_STACK_SAMPLING_FREQUENCY=1000)
        self.switch("start", process, "on")
        self.work(process, 20_000_000)
        self.finish(process)
        counts, profile = self.calls()
        self.assertTrue(any("inner<outer<main" in path for path in counts), counts)

    def test_never_switched_on(self):
        process = self.begin()
        self.work(process, 5)
        self.finish(process)
        self.assertEqual(sorted(os.listdir(self.folder)), ["trees"])
        self.assertEqual(tree_files(self.folder), [])

    def test_killed_while_it_is_off(self):
        process = self.begin()
        self.switch("start", process, "on")
        self.work(process, 7)
        self.switch("stop", process, "off")
        self.work(process, 1000)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        result = run([COMMAND, "recover", "--output", self.folder,
                      self.folder / "trees" / tree_files(self.folder)[0]], preload=False)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertEqual(self.calls()[0].get(WAY), 7)

    def test_stopped_process(self):
        process = self.begin()
        process.send_signal(signal.SIGSTOP)
        result = command("start", process.pid)
        self.assertEqual((result.status, result.stdout), (2, ""))
        self.assertEqual(result.stderr,
                         f"vftrace: {process.pid}: does not answer: it is stopped\n")
        process.send_signal(signal.SIGCONT)
        time.sleep(0.3)
        self.work(process, 7)  # the request was taken back
        self.finish(process)
        self.assertFalse((self.folder / "switched_all.json").exists())


class BadInput(Switched, CommandTest):
    def test_processes_that_cannot_be_switched(self):
        self.fails("start", 999999999, message="999999999: no such process")
        self.fails("start", 0, message='"0" is not the id of a process')
        self.fails("stop", message="PID is required")
        self.fails("stop", os.getpid(), message="is not profiled by vftrace")

    def test_program_that_was_started_as_usual(self):
        program = compile_program("end_by_signal.c", link=["-pthread"])
        folder = folder_with_trees()
        process = self.start([program, "compute"], folder)
        process.stdout.readline()
        self.fails("start", process.pid, message="it was not started with the option start=off")

    def test_without_a_tree_file(self):
        program = compile_program("switched.c", link=["-pthread", *LINK_LIBRARY])
        result = run([program], VFTR_START="off", VFTR_TREE_FILE_ACTIVE="no")
        self.assertEqual(result.status, 0)
        self.assertIn("vftrace start will not reach this process (there is no tree file)",
                      result.stderr)

    def test_damaged_and_foreign_files(self):
        for damage, message in ((lambda data: b"x" * 64 + data[64:], "tree file of vftrace"),
                                (lambda data: data[:8] + b"\1\2\3\4" + data[12:],
                                 "another version")):
            process = self.begin()
            path = self.folder / "trees" / tree_files(self.folder)[0]
            with open(path, "r+b") as file:
                data = file.read(4096)
                file.seek(0)
                file.write(damage(data))
            self.fails("start", process.pid, message=message)
            process.kill()
