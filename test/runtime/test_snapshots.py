"""Profiles of programs that continue to run, requested by a signal or made periodically."""

import fcntl
import os
import signal
import time

from support import compile_program, run
from test_ends import EndTest, folder_with_trees, tree_files, wait_until


class Snapshots(EndTest):
    def test_signal(self):
        program = compile_program("end_by_signal.c", link=["-pthread"])
        for word, number in (("USR1", signal.SIGUSR1), ("USR2", signal.SIGUSR2)):
            with self.subTest(signal=word):
                folder = folder_with_trees()
                process = self.start([program, "compute"], folder, VFTR_SNAPSHOT_SIGNAL=word)
                process.stdout.readline()
                snapshot = folder / "end_by_signal_snapshot_all.json"
                for _ in range(2):
                    before = snapshot.stat().st_mtime_ns if snapshot.exists() else 0
                    process.send_signal(number)
                    wait_until(lambda: snapshot.exists() and
                               snapshot.stat().st_mtime_ns != before)
                    self.assertIsNone(process.poll())
                process.send_signal(signal.SIGTERM)
                _, said = process.communicate(timeout=60)
                self.assertEqual((process.returncode, said), (-signal.SIGTERM, ""))
                self.assertEqual(tree_files(folder), [])
                self.assertIn("end_by_signal_all.json", os.listdir(folder))

    def test_copies_while_it_runs(self):
        program = compile_program("end_by_signal.c", link=["-pthread"])
        folder = folder_with_trees()
        process = self.start([program, "compute"], folder, VFTR_TREE_FILE_COPY_INTERVAL=0.1)
        process.stdout.readline()
        wait_until(lambda: (folder / "end_by_signal_snapshot_all.json").exists())
        process.send_signal(signal.SIGTERM)
        # A reader of the program's output need not wait for the process in the background.
        _, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said), (-signal.SIGTERM, ""))
        self.assertEqual(tree_files(folder), [])
        self.assertIn("end_by_signal_all.json", os.listdir(folder))

    def test_file_in_use_at_the_end(self):
        """The file is in use by a snapshot that has not been written yet."""
        program = compile_program("end_by_signal.c", link=["-pthread"])
        folder = folder_with_trees()
        process = self.start([program, "compute"], folder)
        process.stdout.readline()
        with open(folder / "trees" / tree_files(folder)[0], "rb") as tree:
            fcntl.flock(tree, fcntl.LOCK_EX)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        _, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said), (-signal.SIGTERM, ""))
        self.assertIn("end_by_signal_all.json", os.listdir(folder))

    def test_not_asked_for(self):
        program = compile_program("end_by_signal.c", link=["-pthread"])
        self.end([program, "raise", int(signal.SIGUSR1)], "signal 10 ")

    def test_freed_alternate_stack(self):
        """The handler does not run on an alternate stack of the program, which may be freed."""
        program = compile_program("alternate_stack_gone.c")
        result = run([program, int(signal.SIGUSR1), "freed"], VFTR_SNAPSHOT_SIGNAL="USR1")
        self.assertEqual((result.status, result.stdout, result.stderr),
                         (0, "nothing has changed\n", ""))

    def test_program_that_uses_the_signal(self):
        program = compile_program("end_exits.c", link=["-pthread"])
        result = self.end([program, "handler", "_exit"], "status 3",
                          VFTR_SNAPSHOT_SIGNAL="USR1")
        self.assertEqual([name for name in result.files() if "snapshot" in name], [])
