"""What another user has written is shown, but never obeyed: no path, no program and no option in it (the threat
model, doc/design/threat-model.md). Root runs the commands; the other user is nobody."""
import json
import os
import shutil
import signal
import subprocess

from command_support import command
from support import LIBRARY, clean_environment, compile_program, scratch_folder
from test_ends import wait_until
from test_recover import RecoverTest
from test_trace_recover import Traced

NOBODY = 65534


class ForeignTest(RecoverTest):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can act for two users")
        self.out = scratch_folder() / "out"
        self.out.mkdir()

    def entries(self, folder):
        return sorted(path.name for path in folder.iterdir())

    def killed(self, **variables):
        """The tree file of a killed process, which belongs to nobody."""
        running = self.start(**variables)
        running.kill()
        tree = running.tree_file()
        os.chown(tree, NOBODY, NOBODY)
        self.folder = running.folder
        return tree

    def recovered(self, path, *arguments):
        return self.works("recover", "--output", self.out, *arguments, path)


def forge(path, old, new):
    """Replaces a text in a tree file or a trace by a shorter one."""
    old, new = os.fsencode(str(old)), os.fsencode(new)
    assert len(new) <= len(old)
    content = path.read_bytes()
    assert old + b"\0" in content
    path.write_bytes(content.replace(old + b"\0", new + bytes(len(old) - len(new) + 1)))


class Recover(ForeignTest):
    def region_report(self, owner):
        """The tree file of a killed program with a report of regions, which it wants elsewhere."""
        folder = scratch_folder()
        victim = folder / "victim"
        victim.write_text("precious")
        program = compile_program("region_steps.c", flags=("-O1", "-pthread"), instrument=False)
        trees = folder / "trees"
        trees.mkdir()
        process = subprocess.Popen(
            [program, "+step", "300", "-step", "+step", "60000"], cwd=folder, stdin=subprocess.DEVNULL,
            env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=trees, VFTR_REGION_REPORT_ACTIVE="yes",
                                  VFTR_REGION_REPORT_FILE=victim))
        self.addCleanup(process.kill)
        wait_until(lambda: any(trees.iterdir()))
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        tree, = trees.iterdir()
        os.chown(tree, owner, owner)
        return tree, victim

    def test_nothing_is_written_outside_the_output_directory(self):
        for owner in (NOBODY, os.geteuid()):
            with self.subTest(owner=owner):
                tree, victim = self.region_report(owner)
                self.recovered(tree)
                self.assertEqual(victim.read_text(), "precious")
                self.assertIn("region_steps_all.json", self.entries(self.out))

    def test_a_report_of_regions_of_the_user_goes_where_the_user_said(self):
        tree, victim = self.region_report(os.geteuid())
        self.works("recover", tree)
        self.assertIn("Hosts:", victim.read_text())

    def test_options_of_others(self):
        """The files are those of the default configuration."""
        tree = self.killed(VFTR_JSON="no", VFTR_LOGFILE_FOR_RANKS="all", VFTR_PROFILE_TABLE_SEPARATE="yes")
        self.recovered(tree)
        self.assertEqual(self.entries(self.out), ["recover_counts_all.json", "recover_counts_all.log"])

    def test_names_that_lead_out_of_the_directory(self):
        for name in ("/x/..", "/../..", "../../../../escaped", "/tmp/\n\x1b[31m", "/x/.bashrc"):
            with self.subTest(name=name):
                base = "b" * 60
                tree = self.killed(VFTR_OUTFILE_BASENAME=base)
                forge(tree, self.folder / base, name)
                before = self.entries(self.out.parent)
                self.recovered(tree)
                self.assertEqual(self.entries(self.out.parent), before)
                files = self.entries(self.out)
                self.assertEqual(len(files), 2)
                for file in files:
                    self.assertRegex(file, r"\A[a-z0-9\[][^/\x00-\x1f]*_all\.(log|json)\Z")
                    (self.out / file).unlink()

    def test_traces_of_others(self):
        """The rule for tree files applies to traces."""
        traced = Traced(tree=False)
        traced.wait_for_trace()
        traced.kill_after(1)
        trace, = traced.traces()
        os.chown(trace, NOBODY, NOBODY)
        before = self.entries(traced.folder)
        self.fails("recover", trace, message="belongs to another user, and might name your files as its output: "
                                             "give the directory with --output")
        self.assertEqual(self.entries(traced.folder), before)
        self.recovered(trace)
        self.assertEqual(self.entries(self.out), ["trace_pattern_0.vfd"])
        self.assertFalse(trace.exists())

    def test_a_trace_that_a_tree_file_of_others_names(self):
        traced = Traced()
        traced.wait_for_trace()
        traced.kill_after(1)
        trace, = traced.traces()
        tree, = traced.trees.iterdir()
        os.chown(tree, NOBODY, NOBODY)
        said = self.recovered(tree)
        self.assertIn("is not looked for, because another user may have named it: give its name, too", said)
        self.assertTrue(trace.exists())
        self.assertEqual(self.entries(self.out), ["trace_pattern_all.json", "trace_pattern_all.log"])

    def test_a_file_that_every_user_can_change(self):
        tree = self.killed()
        os.chown(tree, 0, 0)
        tree.chmod(0o666)
        self.fails("recover", tree, message="can be changed by every user, and might name your files")

    def test_links_of_others_in_the_path_of_the_output(self):
        theirs, victim = scratch_folder(), scratch_folder()
        os.chown(theirs, NOBODY, NOBODY)
        (theirs / "out").symlink_to(victim)
        tree = self.killed()
        (theirs / "own").symlink_to(victim)
        os.lchown(theirs / "out", NOBODY, NOBODY)
        self.fails("recover", "--output", theirs / "out", tree,
                   message="Permission denied: its path has a symbolic link of another user; give the directory to "
                           "which that leads")
        self.assertEqual(self.entries(victim), [])
        self.assertTrue(tree.exists())
        self.works("recover", "--output", theirs / "own", tree)
        self.assertEqual(self.entries(victim), ["recover_counts_all.json", "recover_counts_all.log"])

    def test_links_of_others_with_the_names_of_the_output(self):
        theirs, victim = scratch_folder(), scratch_folder() / "victim"
        victim.write_text("precious")
        tree = self.killed()
        for suffix in ("log", "json"):
            link = theirs / f"recover_counts_all.{suffix}"
            link.symlink_to(victim)
            os.lchown(link, NOBODY, NOBODY)
        os.chown(theirs, NOBODY, NOBODY)
        self.works("recover", "--output", theirs, tree)
        self.assertEqual(victim.read_text(), "precious")
        self.assertFalse(link.is_symlink())

    def test_snapshot_of_a_process_of_others(self):
        running = self.start()
        tree = running.tree_file()
        os.chown(tree, NOBODY, NOBODY)
        self.fails("snapshot", running.process.pid, message="belongs to another user")
        self.works("snapshot", "--output", self.out, running.process.pid)
        self.assertEqual(self.entries(self.out),
                         ["recover_counts_snapshot_all.json", "recover_counts_snapshot_all.log"])


class OtherOutput(ForeignTest):
    def test_outputs_next_to_files_of_others(self):
        """A link in their folder is replaced, not followed, by each command that writes a file."""
        theirs, victim = scratch_folder(), scratch_folder() / "victim"
        os.chown(theirs, NOBODY, NOBODY)
        tree = self.killed()
        self.recovered(tree)
        profile = theirs / "p.json"
        shutil.copy(self.out / "recover_counts_all.json", profile)
        for words in (("report", "--html"), ("export", "--format", "csv"), ("merge", "--runs", "sum", "-o", theirs / "m.json")):
            with self.subTest(words=words):
                victim.write_text("precious")
                for name in ("p.html", "p.csv", "m.json"):
                    (theirs / name).unlink(missing_ok=True)
                    (theirs / name).symlink_to(victim)
                    os.lchown(theirs / name, NOBODY, NOBODY)
                files = (profile, profile) if words[0] == "merge" else (profile,)
                result = command(*words, *files)
                self.assertEqual(result.status, 0, result.stderr)
                self.assertEqual(victim.read_text(), "precious")


    def test_folders_of_others_that_are_links(self):
        theirs, victim = scratch_folder(), scratch_folder()
        tree = self.killed()
        self.recovered(tree)
        profile = self.out / "recover_counts_all.json"
        (theirs / "out").symlink_to(victim)
        os.lchown(theirs / "out", NOBODY, NOBODY)
        for words in (("report", "--html", "-o"), ("export", "--format", "csv", "-o"),
                      ("merge", "--runs", "sum", profile, "-o")):
            with self.subTest(words=words):
                self.fails(*words, theirs / "out" / "file", profile, message="Permission denied")
                self.assertEqual(self.entries(victim), [])


class Mark(ForeignTest):
    def test_marks_of_processes_of_others(self):
        """They are in the caller's directory, from where commands read them."""
        running = self.start()
        tree = running.tree_file()
        os.chown(tree, NOBODY, NOBODY)
        own = scratch_folder()
        pid = running.process.pid
        self.assertEqual(self.works("mark", pid, TMPDIR=own), f"{pid}: mark set\n")
        self.assertEqual(self.entries(running.trees), [tree.name])
        self.assertEqual(self.entries(own), [f"{tree.name}.mark"])
        state = (own / f"{tree.name}.mark").stat()
        self.assertEqual((state.st_uid, state.st_mode & 0o777), (os.geteuid(), 0o600))
        self.works("snapshot", "--since-mark", "--output", self.out, pid, TMPDIR=own)
        self.assertEqual(self.entries(self.out),
                         ["recover_counts_since_mark_all.json", "recover_counts_since_mark_all.log"])
        seen = json.loads(self.works("top", pid, "--once", "--span", "mark", "--json", TMPDIR=own))
        self.assertEqual(seen["span"], "mark")
        # The process cannot remove this mark.
        self.works("recover", "--clean", "--directory", own)
        self.assertEqual(self.entries(own), [f"{tree.name}.mark"])
        running.kill()
        self.works("recover", "--clean", "--directory", own)
        self.assertEqual(self.entries(own), [])

    def test_a_mark_that_another_user_has_put_there(self):
        running = self.start()
        pid = running.process.pid
        mark = running.trees / f"{running.tree_file().name}.mark"
        self.works("mark", pid)
        os.chown(mark, NOBODY, NOBODY)
        self.fails("snapshot", "--since-mark", "--output", self.out, pid, message="belongs to another user")


class RollCall(ForeignTest):
    def setUp(self):
        super().setUp()
        self.folder = scratch_folder()
        self.folder.chmod(0o755)
        self.theirs = self.folder / "theirs"
        self.trees = self.folder / "trees"
        self.bin = self.folder / "bin"
        for folder in (self.theirs, self.trees, self.bin):
            folder.mkdir()
            folder.chmod(0o777 if folder == self.trees else 0o755)
        self.name = f"lone-{os.getpid()}-{self._testMethodName[-12:]}"
        self.program = self.folder / self.name
        shutil.copy(compile_program("recover_counts.c", ("-O1", "-pthread")), self.program)
        shutil.copy(compile_program("called_anything.c", instrument=False), self.folder / "starter")
        for place in (self.theirs, self.bin):
            script = place / "mpirun"
            script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{place}/was-run\n')
            script.chmod(0o755)

    def launch(self, user, *arguments):
        """A program below a process that is called as mpirun of the other user."""
        process = subprocess.Popen(
            [str(self.theirs / "mpirun"), *map(str, arguments), "--", str(self.program), "counts", "1", "0"],
            executable=self.folder / "starter", cwd=self.trees, stdin=subprocess.DEVNULL, user=user, group=user,
            extra_groups=[], start_new_session=True,
            env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_TREE_FILE_DIRECTORY=self.trees))

        def stop():
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.addCleanup(stop)
        wait_until(lambda: list(self.trees.glob("*.tree")) or process.poll() is not None)
        if process.poll() is not None:
            self.skipTest("another user cannot reach the build folder")

    def roll_call(self):
        path = f"{self.bin}:{os.environ['PATH']}"
        result = command("rollcall", "--job", self.name, "--timeout", "2", PATH=path)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertIn(self.name, result.stdout)
        return result

    def was_run(self, place):
        file = place / "was-run"
        return file.read_text().split("\n") if file.exists() else []

    def test_the_launcher_of_another_user(self):
        secret = self.bin / "secret"
        secret.write_text("hidden-name\n")
        secret.chmod(0o600)
        self.launch(NOBODY, "--host", "n1", "--hostfile", secret)
        result = self.roll_call()
        self.assertEqual((self.was_run(self.theirs), self.was_run(self.bin)), ([], []))
        self.assertNotIn("hidden-name", result.stdout + result.stderr)

    def test_the_launcher_of_the_user(self):
        """The program in PATH is run; names that mean something to a shell or a launcher are left out."""
        (self.trees / "hosts").write_text("n3 slots=2\n-oProxyCommand=true\n`touch x`\n")
        self.launch(os.geteuid(), "--host", "-x,n1:2,$(touch y)", "--hostfile", "hosts")
        self.roll_call()
        self.assertEqual(self.was_run(self.theirs), [])
        words = self.was_run(self.bin)
        # The readers on the hosts are started at the same time.
        self.assertEqual(sorted(words[i + 1] for i, word in enumerate(words) if word == "--host"), ["n1", "n3"])
