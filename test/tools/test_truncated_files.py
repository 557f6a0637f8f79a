"""Files of other users that are truncated while they are read (test/programs/truncates_mapped.c)."""
import os
import pathlib
import signal
import subprocess
import time

import pytest

from command_support import command
from support import COMMAND, LIBRARY, clean_environment, compile_program, run
from test_ends import EndTest, folder_with_trees, wait_until
from test_region_report import program as region_program
from test_region_report import wanted as wants_regions
from test_start_stop import Switched

NOBODY = 65534


def truncating():
    return compile_program("truncates_mapped.c", flags=("-O1", "-shared", "-fPIC"), instrument=False,
                           output="truncates_mapped.so")


class Requests(Switched):
    def test_start_and_stop_map_nothing(self):
        process = self.begin()
        tree, = (self.folder / "trees").glob("*.tree")
        for word, state in (("start", "on"), ("stop", "off")):
            result = command(word, process.pid, LD_PRELOAD=truncating(), TRUNCATED=tree.name)
            self.assertEqual((result.status, result.stdout, result.stderr),
                             (0, f"{process.pid}: recording is {state}\n", ""))
        self.assertGreater(tree.stat().st_size, 0)
        self.finish(process)

    def test_one_request_at_a_time(self):
        process = self.begin()
        process.send_signal(signal.SIGSTOP)
        first = subprocess.Popen([COMMAND, "start", str(process.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, env=clean_environment())
        self.addCleanup(first.communicate)
        locks = pathlib.Path("/proc/locks")
        inode = next((self.folder / "trees").glob("*.tree")).stat().st_ino
        wait_until(lambda: f":{inode} " in locks.read_text())
        second = command("stop", process.pid)  # it is off
        self.assertEqual(second.stdout, f"{process.pid}: recording is off, as before\n")
        second = command("start", process.pid)
        self.assertEqual(second.stderr, f"vftrace: {process.pid}: another process is switching it\n")
        process.send_signal(signal.SIGCONT)
        self.assertEqual(first.wait(), 0)
        self.finish(process)


class DebugInformation(EndTest):
    def recover(self, owner):
        """Recovers a process whose executable is truncated when it is mapped."""
        folder = folder_with_trees()
        built = compile_program("recover_counts.c", flags=("-O1", "-g", "-pthread"))
        executable = folder / "truncated_program"
        executable.write_bytes(built.read_bytes())
        executable.chmod(0o755)
        process = self.start([executable, "counts", "1", "0"], folder)
        wait_until(lambda: list((folder / "trees").iterdir()))
        time.sleep(0.2)
        process.kill()
        process.wait()
        os.chown(executable, owner, owner)
        tree, = (folder / "trees").glob("*.tree")
        return folder, command("recover", tree, LD_PRELOAD=truncating(), TRUNCATED=executable.name)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
    def test_of_another_user_is_not_mapped(self):
        folder, result = self.recover(NOBODY)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertIn("recover_counts.c", next(folder.glob("*_all.json")).read_text())

    def test_ends_in_a_message(self):
        _, result = self.recover(os.geteuid())
        self.assertEqual((result.status, result.stderr),
                         (2, "vftrace: a file was truncated while it was read: try again when its owner does not change "
                             "it any more\n"))


class PageOfRegions(EndTest):
    """The page in /dev/shm has a name that other users can work out."""
    JOB = {"PMIX_NAMESPACE": f"job-{os.getpid()}", "PMI_RANK": "0", "PMI_SIZE": "2"}

    def page(self):
        """Its name, and what a process of the job has in it."""
        before = set(pathlib.Path("/dev/shm").glob("vftrace-regions-*"))
        process = subprocess.Popen([region_program(), "+A", "100000"], stderr=subprocess.PIPE,
                                   env=clean_environment(**self.JOB, **wants_regions()))
        try:
            wait_until(lambda: set(pathlib.Path("/dev/shm").glob("vftrace-regions-*")) - before)
            page, = set(pathlib.Path("/dev/shm").glob("vftrace-regions-*")) - before
            wait_until(lambda: page.stat().st_size > 0)
            time.sleep(0.2)
            contents = page.read_bytes()
        finally:
            process.kill()
            process.communicate()
        page.unlink()
        self.addCleanup(page.unlink, missing_ok=True)
        return page, contents

    def regions(self, **variables):
        return run([region_program(), "+A", "20", "-A"], preload=False, **self.JOB, **wants_regions(), **variables)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
    def test_only_an_own_page_is_mapped(self):
        page, contents = self.page()
        other = page.with_name(page.name + "-link")
        self.addCleanup(other.unlink, missing_ok=True)

        def make(owner=os.geteuid(), mode=0o600, link=False):
            page.unlink(missing_ok=True)
            page.write_bytes(contents)
            page.chmod(mode)
            os.chown(page, owner, owner)
            if link:
                other.hardlink_to(page)

        for what in ({"owner": NOBODY, "mode": 0o666}, {"owner": NOBODY}, {"mode": 0o606}, {"mode": 0o660}, {"link": True}):
            with self.subTest(what):
                make(**what)
                result = self.regions(LD_PRELOAD=truncating(), TRUNCATED="vftrace-regions")
                self.assertEqual(result.status, 0, result.stderr)
                self.assertIn(f"{page}: Permission denied; the regions of this host are not sampled", result.stderr)
                self.assertEqual(page.read_bytes(), contents)  # neither mapped nor written to
                other.unlink(missing_ok=True)
        make()  # left behind by the process that was killed
        result = self.regions()
        self.assertEqual((result.status, result.stderr), (0, ""))
