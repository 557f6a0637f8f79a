"""Files that cannot be written at the end of a program: nothing is lost, no partial files remain,
and the program ends as it does alone."""
import collections
import errno
import json
import os
import re
import resource
import shutil
import subprocess
import unittest

from support import (COMMAND, LIBRARY, ProgramTest, clean_environment,
                     compile_program, need, need_part, run, scratch_folder)

NOBODY = 65534
KEPT = (r"\Avftrace: cannot write (\S+): (.*); the profile is in (\S+); make it readable with: "
        r"vftrace recover (\S+) \(--output DIR writes to another directory\)\n\Z")


def need_root():
    if os.geteuid() != 0:
        raise unittest.SkipTest("only root may become another user")


def limit(kind, soft, hard=None):
    return lambda: resource.setrlimit(kind, (soft, soft if hard is None else hard))


class OutputTest(ProgramTest):
    def setUp(self):
        need_part("BUILD_TOOLS")
        self.folder = scratch_folder()
        self.trees = scratch_folder()
        self.trees.chmod(0o1777)

    def start(self, command, prepare=None, preload=True, **variables):
        """Runs a program in self.folder, alone first: status and output are the same."""
        results = []
        for library in ((None, LIBRARY) if preload else (LIBRARY,)):
            environment = clean_environment(
                **{"LD_PRELOAD": library, "VFTR_OVERHEAD_BUDGET": 0,
                   "VFTR_TREE_FILE_DIRECTORY": self.trees, **variables})
            results.append(subprocess.run(
                [str(part) for part in command], cwd=self.folder, env=environment, text=True,
                capture_output=True, timeout=120, preexec_fn=prepare))
            if not library:
                shutil.rmtree(self.folder / "root", ignore_errors=True)
                shutil.rmtree(self.folder / "made", ignore_errors=True)
        alone, profiled = results[0], results[-1]
        self.assertEqual((profiled.returncode, profiled.stdout), (alone.returncode, alone.stdout),
                         profiled.stderr)
        return profiled

    def names(self, folder=None):
        return sorted(path.name for path in (folder or self.folder).iterdir())

    def end(self, how, **arguments):
        program = compile_program("end_limits.c", link=["-pthread"])
        return self.start([program, how], **arguments)

    def recover(self, *arguments):
        """Recovers the only tree file to a folder of its own; returns the calls."""
        tree, = self.trees.glob("*.tree")
        output = scratch_folder()
        result = subprocess.run([COMMAND, "recover", "--output", output, *arguments, tree],
                                capture_output=True, text=True, env=clean_environment())
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.names(self.trees), [])
        self.assertNotIn("ended by", result.stdout)
        path, = output.glob("*_all.json")
        profile = json.loads(path.read_text())
        self.assertNotIn("ended", profile["run"])
        return calls_of(profile)

    def calls_of_tree(self):
        """Calls by function, from the only tree file, which is removed."""
        tree, = self.trees.glob("*.tree")
        output = scratch_folder()
        subprocess.run([COMMAND, "recover", "--output", output, tree], check=True,
                       capture_output=True, env=clean_environment())
        tree.unlink(missing_ok=True)
        path, = output.glob("*_all.json")
        profile = json.loads(path.read_text())
        result = collections.Counter()
        for node in profile["nodes"]:
            result[profile["functions"][node["function"]]["display"]] += node["calls"]
        return result

    def check_kept(self, result, error):
        """The messages at the end, and that the tree is complete."""
        said = re.match(KEPT, result.stderr)
        self.assertTrue(said, result.stderr)
        self.assertEqual(said[2], os.strerror(error))
        self.assertEqual(said[3], said[4])
        self.assertEqual([said[3]], [str(path) for path in self.trees.iterdir()])
        self.assertEqual(self.recover()["work"], 3)


def calls_of(profile):
    names = [function["display"] for function in profile["functions"]]
    return {names[node["function"]]: node["calls"] for node in profile["nodes"]}


class Unwritable(OutputTest):
    def test_limit_on_the_size_of_files(self):
        self.check_kept(self.end("file size"), errno.EFBIG)
        self.assertEqual(self.names(), [])

    def test_limit_from_the_start(self):
        """Log, JSON, trace and tree file, at each length at which one of them may be cut."""
        program = compile_program("call_counts.c")
        for size in (0, 1000, 4096, 5000, 20000, 100_000):
            for traced in (False, True):
                with self.subTest(size=size, traced=traced):
                    self.setUp()
                    result = self.start([program], limit(resource.RLIMIT_FSIZE, size),
                                        VFTR_SAMPLING_ACTIVE=traced or None)
                    self.assertEqual(result.returncode, 3)
                    self.assertFalse(list(self.folder.glob(".*")), self.names())
                    for path in self.folder.glob("*.json"):
                        json.loads(path.read_text())
                    for path in self.folder.glob("*.log"):
                        self.assertIn("Runtime profile", path.read_text())

    def test_old_files_stay_whole(self):
        (self.folder / "end_limits_all.log").write_text("old")
        (self.folder / "end_limits_all.json").write_text("{}")
        self.end("file size")
        self.assertEqual((self.folder / "end_limits_all.log").read_text(), "old")
        self.assertEqual((self.folder / "end_limits_all.json").read_text(), "{}")

    def test_another_user(self):
        """A server that drops its privileges and may not even remove its tree file."""
        need_root()
        self.folder.chmod(0o755)
        self.check_kept(self.end("setuid"), errno.EACCES)
        self.assertEqual(self.names(), [])

    def test_another_user_who_may_write(self):
        need_root()
        self.folder.chmod(0o777)
        self.assertEqual(self.end("setuid").stderr, "")
        profile = json.loads((self.folder / "end_limits_all.json").read_text())
        self.assertEqual(calls_of(profile)["work"], 3)
        self.assertEqual(self.names(self.trees), [])

    def test_tree_file_belongs_to_the_user_that_the_program_becomes(self):
        need_root()
        self.folder.chmod(0o777)
        for how in ("setuid", "setreuid", "setresuid"):
            with self.subTest(how=how):
                self.start([compile_program("end_limits.c", link=["-pthread"]), how, "kill"])
                tree, = self.trees.iterdir()
                self.assertEqual(tree.stat().st_uid, NOBODY)
                self.assertEqual(self.calls_of_tree()["later"], 1)
        self.start([compile_program("end_limits.c", link=["-pthread"]), "seteuid", "kill"])
        tree, = self.trees.iterdir()
        self.assertEqual(tree.stat().st_uid, 0)

    def test_another_root_directory(self):
        need_root()
        result = self.end("chroot")
        # Missing directories are created there.
        if result.stderr:
            self.check_kept(result, errno.ENOENT)

    def test_directory_is_tried_at_the_start(self):
        need_root()
        self.folder.chmod(0o755)
        program = compile_program("end_limits.c", link=["-pthread"])

        def become_nobody():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        result = self.start([program, "at start"], become_nobody)
        first, _, rest = result.stderr.partition("\n")
        self.assertEqual(first, f"vftrace: cannot write files to {self.folder}: Permission "
                                f"denied")
        self.assertRegex(rest, KEPT)
        # A program that records nothing prints no message, and only one process per machine does.
        self.assertEqual(self.start(["/bin/true"], become_nobody).stderr, "")
        result = self.start([program, "at start"], become_nobody, OMPI_COMM_WORLD_RANK=3,
                            OMPI_COMM_WORLD_LOCAL_RANK=1, OMPI_COMM_WORLD_SIZE=4)
        self.assertRegex(result.stderr, KEPT)

    def test_file_in_a_directory_without_room_for_others(self):
        """Only existing files may be written to."""
        need_root()
        for suffix in ("log", "json"):
            path = self.folder / f"end_limits_all.{suffix}"
            path.write_text("old")
            os.chown(path, NOBODY, NOBODY)
        self.folder.chmod(0o755)
        self.end("setuid")
        profile = json.loads((self.folder / "end_limits_all.json").read_text())
        self.assertEqual(calls_of(profile)["work"], 3)

    def test_no_tree_file(self):
        result = self.end("file size", VFTR_TREE_FILE_ACTIVE="no")
        self.assertRegex(result.stderr, r"\Avftrace: cannot write \S+: File too large, and there is no "
                                        r"tree file: the profile is lost\n\Z")


class Directories(OutputTest):
    def test_missing_directory_is_made(self):
        result = self.end("directory", VFTR_OUTPUT_DIRECTORY="new/folder")
        self.assertEqual(result.stderr, "")
        self.assertEqual(self.names(self.folder / "new" / "folder"),
                         ["end_limits_all.json", "end_limits_all.log"])

    def test_directory_that_the_program_makes(self):
        result = self.end("makes directory", VFTR_OUTPUT_DIRECTORY="made")
        self.assertEqual(result.stderr, "")
        self.assertEqual(self.names(self.folder / "made"),
                         ["end_limits_all.json", "end_limits_all.log"])

    def test_nothing_recorded_nothing_made(self):
        self.start(["/bin/true"], VFTR_OUTPUT_DIRECTORY="new")
        self.assertEqual(self.names(), [])

    def test_missing_directory_of_a_program_that_is_killed(self):
        program = compile_program("end_by_signal.c", link=["-pthread"])
        self.start([program, "term"], VFTR_OUTPUT_DIRECTORY="new")
        self.assertEqual(self.names(self.folder / "new"),
                         ["end_by_signal_all.json", "end_by_signal_all.log"])

    def test_trace_in_a_missing_directory(self):
        result = self.end("directory", VFTR_OUTPUT_DIRECTORY="new", VFTR_SAMPLING_ACTIVE="yes")
        self.assertEqual(result.stderr, "")
        self.assertIn("end_limits_0.vfd", self.names(self.folder / "new"))


class KeptProfiles(ProgramTest):
    def test_profile_of_a_much_longer_run_is_kept(self):
        program = compile_program("call_counts.c")
        for seconds, kept in ((0.9, False), (5, True)):
            with self.subTest(seconds=seconds):
                folder = run([program]).folder
                json_file, log = folder / "call_counts_all.json", folder / "call_counts_all.log"
                earlier = re.sub(r'"runtime_ns": *\d+', f'"runtime_ns": {int(seconds * 1e9)}', json_file.read_text(), count=1)
                json_file.write_text(earlier)
                earlier_log = log.read_text()
                os.utime(log, (1e9, 1e9))
                run([program], folder=folder)
                notices = json.loads(json_file.read_text())["run"].get("notices", [])
                self.assertEqual((folder / "call_counts_all.json.1").exists(), kept)
                self.assertEqual(any("longer-profile-kept" in str(notice) for notice in notices), kept, notices)
                if kept:
                    self.assertEqual((folder / "call_counts_all.json.1").read_text(), earlier)
                    self.assertEqual((folder / "call_counts_all.log.1").read_text(), earlier_log)
                    self.assertRegex(log.read_text(), r"Warning: The profile of an earlier, longer run was kept as .*call_counts_all.json.1; it took 5.0+ s")


class Links(OutputTest):
    def planted(self, mode, owner):
        target = self.folder / "target"
        target.write_text("of somebody")
        link = self.folder / "end_limits_all.log"
        link.symlink_to("target")
        os.lchown(link, owner, owner)
        self.folder.chmod(mode)
        self.assertEqual(self.end("links").stderr, "")
        return link, target

    def test_links_of_others_in_a_sticky_directory(self):
        need_root()
        link, target = self.planted(0o1777, NOBODY)
        self.assertEqual(target.read_text(), "of somebody")
        self.assertFalse(link.is_symlink())
        self.assertIn("Runtime profile", link.read_text())

    def test_own_links(self):
        for mode in (0o1777, 0o755):
            self.setUp()
            link, target = self.planted(mode, os.geteuid())
            self.assertTrue(link.is_symlink())
            self.assertIn("Runtime profile", target.read_text())

    def test_directory_that_others_have_linked(self):
        need_root()
        elsewhere = scratch_folder()
        (self.folder / "results").symlink_to(elsewhere)
        os.lchown(self.folder / "results", NOBODY, NOBODY)
        self.folder.chmod(0o1777)
        result = self.end("links", VFTR_OUTPUT_DIRECTORY="results")
        self.assertEqual(result.stderr, "vftrace: results: Permission denied\nvftrace: "
                                        "output_directory cannot be used; files go to the working "
                                        "directory\n")
        self.assertEqual(self.names(elsewhere), [])
        self.assertIn("end_limits_all.log", self.names())

    def test_tree_files_of_others(self):
        """Root does not write to a place that another user's link chooses."""
        need_root()
        self.end("file size")
        tree, = self.trees.iterdir()
        os.chown(tree, NOBODY, NOBODY)
        result = subprocess.run([COMMAND, "recover", tree], capture_output=True, text=True,
                                env=clean_environment())
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, "belongs to another user.*--output")
        self.assertEqual(self.names(), [])
        self.assertEqual(self.recover()["work"], 3)


class SmallStacks(OutputTest):
    def test_limit_on_the_stack(self):
        """Source lines are read by libdw, which needs some hundred KiB."""
        program = compile_program("end_limits.c", ("-O1", "-g"), link=["-pthread"])
        for kib in (160, 96):
            with self.subTest(kib=kib):
                hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
                result = self.start([program, "stack"],
                                    limit(resource.RLIMIT_STACK, kib << 10, hard))
                self.assertEqual(result.stderr, "")
                profile = json.loads((self.folder / "end_limits_all.json").read_text())
                self.assertEqual(calls_of(profile)["work"], 3)
                work, = (function for function in profile["functions"]
                         if function["display"] == "work")
                self.assertTrue(work["file"].endswith("end_limits.c"), work)

    def test_exit_on_a_small_stack(self):
        program = compile_program("end_limits.c", ("-O1", "-g"), link=["-pthread"])
        for how in ("thread", "fiber"):
            with self.subTest(how=how):
                self.assertEqual(self.start([program, how]).stderr, "")
                profile = json.loads((self.folder / "end_limits_all.json").read_text())
                work = [index for index, function in enumerate(profile["functions"])
                        if function["display"] == "work"]
                self.assertEqual(sum(node["calls"] for node in profile["nodes"]
                                     if node["function"] in work), 4)

    def test_valgrind_sees_no_switch_of_stacks(self):
        need("valgrind")
        program = compile_program("end_limits.c", link=["-pthread"])
        result = self.start(["valgrind", "-q", "--trace-children=no", program, "stack"],
                            preload=False)
        self.assertNotIn("switching stacks", result.stderr)
        self.assertIn("end_limits_all.json", self.names())


class SystemCallFilters(OutputTest):
    """A filter kills the program if the library makes a system call that the program itself does not make."""

    def test_filter_by_prctl(self):
        result = self.end("prctl")
        self.assertRegex(result.stderr, r"\Avftrace: the program limits its system calls "
                                        r"\(seccomp\): its profile remains in \S+; when it has ended, "
                                        r"make it readable with: vftrace recover \S+\n\Z")
        self.assertEqual(self.recover()["work"], 3)

    def test_filter_by_system_call(self):
        result = self.end("seccomp")
        self.assertEqual(result.stderr, "")  # printing a message could get the program killed
        self.assertEqual(self.recover()["work"], 3)

    def test_nothing_but_system_calls_of_the_program(self):
        """Any other one would be a SIGSYS. Call paths are recorded all the same."""
        program = compile_program("limited_calls.c")
        for how in ("_exit", "exit", "return", "quick_exit", "fault", "alarm", "forbidden"):
            with self.subTest(how=how):
                self.start([program, how])
                calls = self.calls_of_tree()
                self.assertEqual(calls["work"], 3)
                self.assertEqual(sum(calls[name] for name in "abcd"), 364)

    def test_nothing_but_system_calls_of_a_sampled_program(self):
        program = compile_program("limited_calls.c", instrument=False)
        for how in ("_exit", "return", "alarm"):
            for wanted in ({"VFTR_STACK_SAMPLING_FREQUENCY": 1000}, {"VFTR_SAMPLING_ACTIVE": "yes"}):
                with self.subTest(how=how, wanted=wanted):
                    self.start([program, how], **wanted)
                    for tree in self.trees.iterdir():
                        tree.unlink()

    def test_filters_from_the_start_belong_to_a_container(self):
        program = compile_program("end_limits.c", link=["-pthread"])
        wrapper = compile_program("in_container.c", instrument=False)
        self.assertEqual(self.start([wrapper, program, "container"]).stderr, "")
        self.assertEqual(self.names(), ["end_limits_all.json", "end_limits_all.log"])
        self.assertEqual(self.names(self.trees), [])


class Descriptors(OutputTest):
    def check_profile(self):
        profile = json.loads((self.folder / "end_limits_all.json").read_text())
        self.assertEqual(calls_of(profile)["work"], 3)
        self.assertEqual(self.names(self.trees), [])

    def test_no_descriptors_left(self):
        """In this case the command writes the profile."""
        self.assertEqual(self.end("descriptors").stderr, "")
        self.check_profile()

    def test_no_descriptors_left_in_a_program_with_counters(self):
        config = self.folder / "config.json"
        config.write_text(json.dumps({"hwprof": {
            "active": True, "type": "dummy",
            "counters": [{"hwc_name": "dummy", "symbol": "n"}]}}))
        result = self.end("descriptors", VFTR_CONFIG=config,
                          VFTR_TREE_FILE_RECOVER_COMMAND="/nonexistent")
        self.assertEqual(result.stderr, "")
        self.check_profile()
