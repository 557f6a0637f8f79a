"""vftrace recover and vftrace snapshot: profiles of processes that were killed or are still
running."""
import json
import os
import random
import re
import resource
import signal
import struct
import subprocess
import time

from command_support import CommandTest, command
from support import COMMAND, LIBRARY, clean_environment, compile_program, scratch_folder

DEPTH = 12  # calls of a step of recover_counts, in addition to that of step itself
MAGIC_AND_LAYOUT = struct.Struct("=8sI")
KILLED = "SIGKILL or a machine failure"


class Running:
    """recover_counts, profiled and in the background, in a separate folder."""

    def __init__(self, threads=1, steps=0, **variables):
        self.program = compile_program("recover_counts.c", ("-O1", "-pthread"))
        self.folder = scratch_folder()
        self.trees = self.folder / "trees"
        self.trees.mkdir()
        self.threads = threads
        environment = clean_environment(**{"LD_PRELOAD": LIBRARY, "VFTR_OVERHEAD_BUDGET": 0,
                                           "VFTR_TREE_FILE_DIRECTORY": self.trees, **variables})
        self.process = subprocess.Popen([self.program, "counts", str(threads), str(steps)],
                                        cwd=self.folder, env=environment,
                                        stdin=subprocess.DEVNULL)
        while steps == 0 and not all(finished for _, finished in self.counts()):
            assert self.process.poll() is None
            time.sleep(0.002)

    def counts(self):
        """Steps begun and finished, of each thread."""
        path = self.folder / "counts"
        content = path.read_bytes() if path.exists() else b""
        if len(content) < 16 * self.threads:
            return [(0, 0)] * self.threads
        return [struct.unpack_from("=QQ", content, 16 * i) for i in range(self.threads)]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def tree_file(self):
        files = list(self.trees.iterdir())
        assert len(files) == 1, files
        return files[0]

    def files(self):
        return sorted(path.name for path in self.folder.iterdir()
                      if path.name.startswith("recover_counts"))

    def profile(self, name="recover_counts_all.json"):
        return json.loads((self.folder / name).read_text())

    def log(self, name="recover_counts_all.log"):
        return (self.folder / name).read_text()


def calls_of(profile, *names):
    functions = profile["functions"]
    return sum(node["calls"] for node in profile["nodes"]
               if functions[node["function"]]["display"] in names)


class RecoverTest(CommandTest):
    def start(self, **arguments):
        running = Running(**arguments)

        def stop():
            running.process.kill()
            running.process.wait()

        self.addCleanup(stop)
        return running

    def check_counts(self, profile, before, after):
        """The number of calls is between that of the steps finished before and that of those begun after."""
        finished = sum(finished for _, finished in before)
        begun = sum(begun for begun, _ in after)
        steps = calls_of(profile, "step")
        self.assertGreaterEqual(steps, finished)
        self.assertLessEqual(steps, begun)
        below = calls_of(profile, "even", "odd")
        self.assertGreaterEqual(below, finished * DEPTH)
        self.assertLessEqual(below, begun * DEPTH)

    def works(self, *arguments, **options):
        result = command(*arguments, **options)
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result.stdout


class Recover(RecoverTest):
    def test_kill_at_random_moments(self):
        moments = random.Random(4)
        in_main = runtime = 0
        for number in range(14):
            with self.subTest(number=number):
                running = self.start(threads=1 + number % 3)
                time.sleep(moments.random() ** 2 * 0.4)
                running.kill()
                self.assertEqual(running.files(), [])
                said = self.works("recover", running.tree_file())
                self.assertIn(f"ended by {KILLED}:\n", said)
                self.assertEqual(list(running.trees.iterdir()), [])
                self.assertEqual(running.files(),
                                 ["recover_counts_all.json", "recover_counts_all.log"])
                profile = running.profile()
                self.check_counts(profile, running.counts(), running.counts())
                self.assertRegex(running.log(), rf"\nEnded by: +{KILLED}\n")
                self.assertNotIn("Warning", running.log())
                self.assertGreater(profile["run"]["runtime_ns"], 0)
                in_main += self.check_times(profile, running.threads)
                runtime += profile["run"]["runtime_ns"]
        # Some milliseconds may pass before main and after the last call, in one run of many more if the machine is busy.
        self.assertGreater(in_main, 0.7 * runtime - 14 * 20e6)

    def check_times(self, profile, threads):
        """No path has more time than the run. Returns the time of main, which is open until the end."""
        runtime = profile["run"]["runtime_ns"]
        for node in profile["nodes"]:
            self.assertLessEqual(node["inclusive_ns"], runtime * threads * 1.001)
        main = [node for node in profile["nodes"]
                if profile["functions"][node["function"]]["display"] == "main"]
        self.assertEqual([node["calls"] for node in main], [1])
        return main[0].get("raw_inclusive_ns", main[0]["inclusive_ns"])  # as measured, without correction

    def test_nothing_is_left_of_an_ordinary_end(self):
        running = self.start(steps=10)
        self.assertEqual(running.process.wait(), 0)
        self.assertEqual(list(running.trees.iterdir()), [])
        self.assertEqual(running.profile()["run"].get("ended", ""), "")

    def test_list_all_and_clean(self):
        dead, alive = self.start(), self.start()
        dead.kill()
        where = ("--directory", dead.trees, "--directory", alive.trees)
        listed = self.works("recover", "--list", *where)
        self.assertRegex(listed, rf"\n +{dead.process.pid}  dead +\d+ KiB +\d+ s  recover_counts  ")
        self.assertRegex(listed, rf"\n +{alive.process.pid}  running +\d+ KiB ")
        self.assertIn("recover_counts", listed)
        self.assertIn("0 tree files removed", self.works("recover", "--clean", *where))
        self.works("recover", "--all", *where)
        self.assertEqual(len(dead.files()), 2)
        self.assertEqual((alive.files(), alive.process.poll()), ([], None))
        alive.kill()
        self.assertIn("1 tree file removed",
                      self.works("recover", "--clean", "--older-than", "0", *where))
        self.assertEqual(alive.files(), [])
        self.assertIn("No tree files", self.works("recover", "--list", *where))

    def test_old_files_in_the_usual_directories(self):
        running = self.start()
        running.kill()
        path = running.tree_file()
        old = time.time() - 8 * 86400
        os.utime(path, (old, old))
        self.assertRegex(self.works("recover", "--list", TMPDIR=running.trees), "  8 days  ")
        self.works("recover", "--clean", "--directory", running.trees)
        self.assertFalse(path.exists())

    def test_other_directory_and_keep(self):
        running = self.start()
        running.kill()
        path = running.tree_file()
        elsewhere = scratch_folder()
        self.works("recover", "--keep", "--output", elsewhere, path)
        self.assertEqual(len(list(elsewhere.iterdir())), 2)
        self.assertEqual(running.files(), [])
        self.assertTrue(path.exists())

    def test_profile_of_a_later_run_is_not_overwritten(self):
        running = self.start()
        running.kill()
        later = running.folder / "recover_counts_all.log"
        later.write_text("of a later run\n")
        result = command("recover", running.tree_file())
        self.assertIn("was written by a process that ran at the same time", result.stderr)
        self.assertEqual(later.read_text(), "of a later run\n")
        self.assertIn(f"recover_counts_{running.process.pid}_all.log", running.files())

    def test_file_of_a_process_that_was_killed_while_it_started(self):
        folder = scratch_folder()
        ended = subprocess.Popen(["true"])
        ended.wait()
        old, young, running = (folder / f"vftrace-{os.geteuid()}-{pid}-{number}.tree" for pid, number
                               in ((ended.pid, 1), (ended.pid, 2), (1, 3)))
        for path in (old, young, running):
            path.write_bytes(bytes(4096))
        for path in (old, running):
            os.utime(path, (time.time() - 120,) * 2)
        listed = self.works("recover", "--list", "--directory", folder)
        self.assertEqual(sorted(re.findall("empty|starting|unusable", listed)),
                         ["empty", "starting", "starting"])
        self.assertIn("the process was killed while it started",
                      command("recover", "--output", folder, old).stderr)
        self.works("recover", "--clean", "--directory", folder)
        self.assertEqual(sorted(folder.iterdir()), sorted([young, running]))
        os.utime(young, (time.time() - 120,) * 2)
        self.assertEqual(command("recover", "--all", "--directory", folder).stderr, "")
        self.assertEqual(list(folder.iterdir()), [running])

    def test_sampled_process_that_was_killed_before_the_first_sample(self):
        folder, trees = scratch_folder(), scratch_folder()
        process = subprocess.Popen(
            ["sleep", "60"], cwd=folder,
            env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_STACK_SAMPLING_FREQUENCY=10,
                                  VFTR_TREE_FILE_DIRECTORY=trees))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        end = time.monotonic() + 20
        while not any(trees.iterdir()) and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.5)
        process.kill()
        process.wait()
        tree, = trees.iterdir()
        self.works("recover", tree)
        run_of = json.loads((folder / "sleep_all.json").read_text())["run"]
        self.assertEqual(run_of["ended"], KILLED)

    def test_configuration_of_the_process(self):
        running = self.start(VFTR_JSON="no", VFTR_PROFILE_TABLE_SHOW_CALLPATH="yes",
                             VFTR_OUTFILE_BASENAME="recover_counts.other",
                             VFTR_LOGFILE_FOR_RANKS="all")
        running.kill()
        self.works("recover", running.tree_file())
        self.assertEqual(running.files(), ["recover_counts.other_0.log",
                                           "recover_counts.other_all.log"])
        self.assertIn("Callpath", running.log("recover_counts.other_all.log"))

    def test_file_of_which_only_the_beginning_remains(self):
        running = self.start()
        running.kill()
        path = running.tree_file()
        content = bytearray(path.read_bytes())
        path.write_bytes(content[:4096])  # only the record is left
        self.fails("recover", path, message="is truncated: nothing can be recovered")
        self.assertEqual((running.files(), path.exists()), ([], True))


class Refusals(RecoverTest):
    def test_running_process(self):
        running = self.start()
        path = running.tree_file()
        self.fails("recover", path, message=f"process {running.process.pid} is still running")
        self.assertTrue(path.exists())
        self.assertEqual(running.files(), [])

    def test_later_process_with_the_same_number(self):
        running = self.start()
        path = running.tree_file()
        content = path.read_bytes()
        start = struct.unpack_from("=q", content, 48)[0]  # ProcessRecord::process_start
        copy = path.with_name("vftrace-0-1-1.tree")
        copy.write_bytes(content[:48] + struct.pack("=q", start - 1) + content[56:])
        self.works("recover", copy)
        self.assertEqual(len(running.files()), 2)

    def test_files_of_others(self):
        folder = scratch_folder()
        path = folder / "vftrace-0-1-1.tree"
        self.fails("recover", path, message="No such file")
        self.fails("recover", folder, message="is not a tree file of vftrace")
        self.fails("recover", "/dev/null", message="is not a tree file of vftrace")
        for content, message in ((b"", "is not a tree file of vftrace"),
                                 (b"#!/bin/sh\n" * 1000, "is not a tree file of vftrace"),
                                 (MAGIC_AND_LAYOUT.pack(b"vftree\n", 999) + bytes(5000),
                                  "was written by another version of vftrace")):
            path.write_bytes(content)
            self.fails("recover", path, message=message)
            self.assertTrue(path.exists())
            self.assertRegex(self.works("recover", "--list", "--directory", folder),
                             "unusable" if content else "starting")

    def test_one_bad_file_among_good_ones(self):
        running = self.start()
        running.kill()
        bad = scratch_folder() / "bad"
        bad.write_text("bad")
        result = command("recover", bad, running.tree_file())
        self.assertEqual(result.status, 2)
        self.assertIn("is not a tree file", result.stderr)
        self.assertEqual(len(running.files()), 2)

    def test_damaged_files(self):
        running = self.start()
        running.kill()
        whole = running.tree_file().read_bytes()
        path = running.folder / "damaged"
        output = scratch_folder()
        chance = random.Random(11)
        for number in range(40):
            content = bytearray(whole)
            if number % 2:
                content = content[:chance.randrange(len(content))]
            for _ in range(chance.randrange(1, 200)):
                # The important data are in the record and in the first pieces.
                place = chance.randrange(0, min(len(content), 1 << chance.randrange(6, 19)) or 1)
                if content:
                    content[place] = chance.randrange(256)
            path.write_bytes(content)
            result = command("recover", "--output", output, path, timeout=60)
            self.assertIn(result.status, (0, 2), result.stderr)

    def test_wrong_arguments(self):
        self.fails("recover", message="give files")
        self.fails("recover", "--all", "--list", message="give files")
        self.fails("recover", "--output", "/nowhere", "/nowhere/file", message="no such directory")
        self.fails("recover", "--clean", "--older-than", "-1", message="--older-than")
        self.fails("snapshot", message="PID")
        self.fails("snapshot", "abc", message='PID: "abc" is not the id of a process')
        self.fails("snapshot", "0", message='PID: "0" is not the id of a process')
        self.fails("recover", "--older-than", "-1", message='"-1" is not a number of days')

    def test_output_directory_that_is_gone(self):
        running = self.start()
        running.kill()
        path = running.tree_file()
        kept = scratch_folder() / "kept.tree"
        path.rename(kept)
        running.folder.rename(running.folder.with_name(running.folder.name + "_moved"))
        self.fails("recover", kept, message=f"cannot write {running.folder}/recover_counts_all.log: No such file")
        self.assertTrue(kept.exists())

    def test_full_disk(self):
        """Simulated by a limit on the size of files: no partial files remain."""
        running = self.start(VFTR_OUTFILE_BASENAME="full")
        running.kill()
        path = running.tree_file()
        result = subprocess.run(
            [COMMAND, "recover", path], capture_output=True, text=True, env=clean_environment(),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000)))
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"\Avftrace: cannot write .*/full_all\..*: File too large\n")
        self.assertTrue(path.exists())
        left = sorted(item.name for item in running.folder.iterdir())
        self.assertEqual(left, ["counts", "trees"])
        self.works("recover", path)
        self.assertTrue((running.folder / "full_all.log").exists())


class Snapshot(RecoverTest):
    def test_snapshots_of_a_running_process(self):
        running = self.start(threads=2)
        names = ["recover_counts_snapshot_all.json", "recover_counts_snapshot_all.log"]
        for _ in range(4):
            before = running.counts()
            said = self.works("snapshot", running.process.pid)
            after = running.counts()
            self.assertIn("still running", said)
            self.assertEqual(running.files(), names)
            profile = running.profile(names[0])
            # While a step runs, not all of its calls have been made.
            steps = calls_of(profile, "step")
            self.assertGreaterEqual(steps, sum(finished for _, finished in before))
            self.assertLessEqual(steps, sum(begun for begun, _ in after))
            self.assertIsNone(running.process.poll())
        running.kill()
        self.works("recover", running.tree_file())
        self.check_counts(running.profile(), running.counts(), running.counts())

    def test_processes_that_cannot_be_inspected(self):
        self.fails("snapshot", os.getpid(), message="is not profiled by vftrace")
        self.fails("snapshot", 2 ** 22 + 1, message="no such process")
        running = self.start(VFTR_TREE_FILE_ACTIVE="no")
        self.fails("snapshot", running.process.pid, message="does not have a tree file")
        removed = self.start()
        removed.tree_file().unlink()
        self.fails("snapshot", removed.process.pid, message="its tree file has been removed")

    def test_copies_while_it_runs(self):
        running = self.start()
        follower = subprocess.Popen([COMMAND, "recover", "--follow", str(running.process.pid),
                                     "--every", "0.3", running.tree_file()],
                                    env=clean_environment())
        self.addCleanup(follower.wait)
        self.addCleanup(follower.kill)
        copy = running.folder / "recover_counts_snapshot_all.json"
        deadline = time.monotonic() + 30
        while not copy.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.check_snapshot_grows(running, copy, deadline)
        running.kill()
        self.assertEqual(follower.wait(timeout=30), 0)
        self.assertEqual(list(running.trees.iterdir()), [])
        self.check_counts(running.profile(), running.counts(), running.counts())

    def check_snapshot_grows(self, running, copy, deadline):
        first = calls_of(json.loads(copy.read_text()), "step")
        while time.monotonic() < deadline:
            if calls_of(json.loads(copy.read_text()), "step") > first:
                return
            time.sleep(0.05)
        self.fail("there was no second copy")
