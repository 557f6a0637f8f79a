"""Child processes: each writes its own profile, and the parent's is the same as without
children."""
import re
import subprocess
import time

from support import (COMMAND, LIBRARY, LINK_LIBRARY, clean_environment, compile_program, need_part, run,
                     scratch_folder)
from thread_support import (ThreadTest, builds, calls_by_function, own_calls, saved_profiles)


class ForkTest(ThreadTest):
    def processes(self, program, *arguments, status=None, how=None, **options):
        """Runs a program that forks; returns the calls of the parent and a list of those of its
        children.

        Every file is correct and in the right place, and no tree file is left behind."""
        trees = scratch_folder()
        result = self.profile([program, *arguments], TMPDIR=trees, **(how or {}), **options)
        self.assertEqual(list(trees.iterdir()), [])
        if status is not None:
            self.assertEqual(result.status, status)
        return self.split(result.folder, program.name)

    def split(self, folder, base):
        profiles = saved_profiles(folder)
        self.assertIn(base, profiles)
        children = []
        for name, saved in profiles.items():
            log = saved.text()
            self.assertTrue(log.startswith("vftrace "), name)
            self.check_times(saved)
            if name != base:
                pid = re.fullmatch(re.escape(base) + r"_(\d+)", name)
                self.assertTrue(pid, f"{name} is no name of a child of {base}")
                self.assertEqual(saved.profile()["run"]["pid"], int(pid[1]))
                children.append(own_calls(saved))
        return own_calls(profiles[base]), children


class Fork(ForkTest):
    def test_ends_of_children(self):
        for way in ("return", "exit", "_exit"):
            for text, program, how in builds("fork_ends.c"):
                with self.subTest(way=way, build=text):
                    parent, children = self.processes(program, way, how=how)
                    self.assertEqual(parent, {"init": 0, "main<init": 1, "before<main<init": 1,
                                              "in_parent<main<init": 1})
                    self.assertEqual(children, [{
                        "init": 0, "main<init": 0, "run_child<main<init": 1,
                        "in_child<run_child<main<init": 2}])

    def test_child_continues_in_the_path_that_it_was_forked_from(self):
        phase = "phase<outer<main<init"
        recursion = f"recursion<inner<{phase}"
        leaves = {f"leaf<{path}": 1 for path in (
            "main<init", "outer<main<init", phase, "inner<" + phase, "forks<" + recursion)}
        path = {"main<init": 1, "outer<main<init": 1, phase: 1, "inner<" + phase: 1, recursion: 4,
                "forks<" + recursion: 1}
        for text, program, how in builds("fork_in_path.c"):
            with self.subTest(build=text):
                parent, children = self.processes(program, status=3, how=how)
                self.assertEqual(parent, {"init": 0, **path, **leaves})
                self.assertEqual(children, [{"init": 0, **dict.fromkeys(path, 0), **leaves}])

    def test_fork_in_a_folded_recursion(self):
        for text, program, how in builds("fork_in_path.c"):
            with self.subTest(build=text):
                parent, children = self.processes(program, "folded", status=3, how=how)
                self.assertEqual(calls_by_function(parent), {
                    "init": 0, "main": 1, "even": 21, "odd": 20, "forks": 1, "leaf": 43})
                self.assertEqual(len(children), 1)
                self.assertEqual(calls_by_function(children[0]), {
                    "init": 0, "main": 0, "even": 0, "odd": 0, "forks": 0, "leaf": 43})

    CHILD = {"run_child": 1, "in_child<run_child": 1, "leaf<in_child<run_child": 1,
             "[thread]<run_child": 1, "thread_of_child<[thread]<run_child": 1,
             "leaf<thread_of_child<[thread]<run_child": 1}

    def test_fork_in_a_thread(self):
        forks = "forks<[thread]<main<init"
        forking = "fork_and_wait<" + forks
        for text, program, how in builds("fork_threads.c"):
            with self.subTest(build=text):
                parent, children = self.processes(program, "in_thread", how=how)
                self.assertEqual(parent, {"init": 0, "main<init": 1, "[thread]<main<init": 1,
                                          forks: 1, forking: 1, "in_parent<" + forking: 1})
                self.assertEqual(children, [{
                    "init": 0, "main<init": 0, "[thread]<main<init": 0, forks: 0, forking: 0,
                    **{f"{path}<{forking}": n for path, n in self.CHILD.items()}}])

    def test_fork_while_other_threads_run(self):
        forking, works = "fork_and_wait<main<init", "works<[thread]<main<init"
        for text, program, how in builds("fork_threads.c"):
            with self.subTest(build=text):
                parent, children = self.processes(program, "beside", how=how)
                self.assertEqual(parent, {
                    "init": 0, "main<init": 1, "[thread]<main<init": 2, works: 2,
                    "leaf<" + works: 400000, forking: 10, "in_parent<" + forking: 10})
                self.assertEqual(children, 10 * [{
                    "init": 0, "main<init": 0, forking: 0,
                    **{f"{path}<{forking}": n for path, n in self.CHILD.items()}}])

    def test_children_that_are_not_announced(self):
        for way in ("clone", "fork", "_Fork"):
            for text, program, how in builds("fork_unannounced.c"):
                with self.subTest(way=way, build=text):
                    parent, children = self.processes(program, way, how=how)
                    self.assertEqual(parent, {"init": 0, "main<init": 1, "in_parent<main<init": 2})
                    self.assertEqual(children, [{"init": 0, "run_child<init": 1,
                                                 "in_child<run_child<init": 1}])

    def test_a_hundred_at_once(self):
        program = compile_program("fork_many.c")
        parent, children = self.processes(program)
        self.assertEqual(parent, {"init": 0, "main<init": 1})
        self.assertEqual(sorted(child["work<run_child<main<init"] for child in children),
                         list(range(1, 101)))
        for child in children:
            self.assertEqual((len(child), child["main<init"]), (4, 0))

    def test_children_of_children(self):
        for text, program, how in builds("fork_generations.c"):
            with self.subTest(build=text):
                parent, children = self.processes(program, status=1, how=how)
                self.assertEqual(parent, {"init": 0, "main<init": 1, "work<main<init": 1})
                self.assertEqual(sorted(child.pop("work<main<init") for child in children),
                                 [2, 3, 4])
                self.assertEqual(children, 3 * [{"init": 0, "main<init": 0}])

    def test_child_that_calls_nothing_leaves_nothing(self):
        program = compile_program("fork_without_calls.c")
        parent, children = self.processes(program)
        self.assertEqual(parent, {"init": 0, "main<init": 1, "in_parent<main<init": 2})
        self.assertEqual(children, [])
        parent, children = self.processes(program, "/bin/false")
        self.assertEqual((parent["in_parent<main<init"], children), (2, []))

    def test_handlers_that_interrupt_the_first_event(self):
        """A child refers to its parent's record until it has its own, and must not write to it."""
        program = compile_program("fork_signalled.c", ("-O1",), instrument=False, link=LINK_LIBRARY)
        parent, children = self.processes(program, status=0, how={"preload": False})
        self.assertEqual(parent, {"init": 0, "parent<init": 1})
        self.assertEqual([child["work<init"] for child in children], 20 * [1000])

    def test_switched_off(self):
        program = compile_program("fork_ends.c")
        result = run([program, "exit"], VFTR_OFF="yes")
        self.assertEqual((result.stdout, result.stderr, result.files()), ("5\n", "", []))


class BorrowedMemory(ForkTest):
    def test_vfork_and_exit(self):
        for text, program, how in builds("fork_vfork.c"):
            with self.subTest(build=text):
                parent, children = self.processes(program, status=0, how=how)
                self.assertEqual(parent, {
                    "init": 0, "main<init": 1, "child_leaves<main<init": 3,
                    "leaf<child_leaves<main<init": 3, "show_end<main<init": 3, "leaf<main<init": 1})
                self.assertEqual(children, [])

    def test_vfork_and_another_program(self):
        counts = compile_program("call_counts.c")
        for text, program, how in builds("fork_vfork.c"):
            with self.subTest(build=text):
                result = self.profile([program, counts], **how)
                profiles = saved_profiles(result.folder)
                calls = profiles["fork_vfork"].calls()
                self.assertEqual((calls["child_becomes<main<init"],
                                  calls["leaf<child_becomes<main<init"],
                                  calls["show_end<main<init"]), (1, 1, 4))
                if "preload" not in how:
                    self.assertEqual(profiles["call_counts"].calls()["leaf<mid<main<init"], 6)
                self.assertLessEqual(set(profiles), {"fork_vfork", "call_counts"})


class OtherPrograms(ForkTest):
    def test_every_way_to_start_one(self):
        counts = compile_program("call_counts.c")
        for way in ("spawn", "system", "popen", "fork"):
            for text, program, how in builds("spawn_programs.c"):
                if "preload" in how:
                    continue  # the other program would not be profiled
                with self.subTest(way=way, build=text):
                    trees = scratch_folder()
                    result = self.profile([program, way, counts], TMPDIR=trees)
                    self.assertEqual(list(trees.iterdir()), [])
                    profiles = saved_profiles(result.folder)
                    self.assertEqual(set(profiles), {"call_counts", "spawn_programs"})
                    self.assertEqual(profiles["spawn_programs"].calls(), {
                        "init": 0, "main<init": 1, "leaf<main<init": 2, f"by_{way}<main<init": 1})
                    self.assertEqual(profiles["call_counts"].calls(), {
                        "init": 0, "main<init": 1, "mid<main<init": 3, "leaf<mid<main<init": 6,
                        "factorial<main<init": 10})

    def test_shell_script_under_vftrace_run(self):
        need_part("BUILD_TOOLS")
        script = scratch_folder() / "job.sh"
        script.write_text("#!/bin/sh\nset -e\necho begin\n(cd . && \"$1\") || true\n"
                          "\"$2\" | cat\ntrue\nexit 7\n")
        script.chmod(0o755)
        counts, nested = compile_program("call_counts.c"), compile_program("fork_ends.c")
        alone = run([script, counts, nested], preload=False)
        self.assertEqual(alone.status, 7)
        for words in ((script,), ("sh", script), ("env", "A=b", "sh", script)):
            with self.subTest(words=words):
                result = run([COMMAND, "run", *words, counts, nested], preload=False)
                self.assertEqual((result.status, result.stdout), (alone.status, alone.stdout))
                self.assertEqual(result.stderr, "")
                profiles = saved_profiles(result.folder)
                self.assertEqual({re.sub(r"_\d+$", "_PID", name) for name in profiles},
                                 {"call_counts", "fork_ends", "fork_ends_PID"})
                self.assertEqual(len(result.files()), 6)
                self.assertEqual(profiles["call_counts"].calls()["leaf<mid<main<init"], 6)


class Daemons(ForkTest):
    """The first process leaves by _exit, and `vftrace recover` writes its profile."""

    def daemon(self, program, *arguments):
        """Starts it, waits until the first process has ended, then asks the daemon to end."""
        folder, trees = scratch_folder(), scratch_folder()
        process = subprocess.Popen([program, *arguments], cwd=folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=clean_environment(LD_PRELOAD=LIBRARY, VFTR_OVERHEAD_BUDGET=0,
                                  TMPDIR=trees))
        # Not communicate(), which would close the pipe at once.
        self.assertEqual(process.wait(60), 0)
        process.stdin.close()
        for _ in range(300):
            daemons = [saved for name, saved in saved_profiles(folder).items()
                       if name != program.name and complete(saved)
                       and "work" in calls_by_function(saved.calls())]
            if daemons and not list(trees.iterdir()):
                return saved_profiles(folder), daemons[0]
            time.sleep(0.1)
        self.fail(f"no profile of a daemon, or tree files left: {list(folder.iterdir())}, "
                  f"{list(trees.iterdir())}")

    def test_daemon(self):
        need_part("BUILD_TOOLS")
        profiles, daemon = self.daemon(compile_program("fork_daemon.c"))
        self.assertEqual(daemon.calls(), {"init": 0, "main<init": 0, "work<main<init": 7})
        self.assertEqual(profiles["fork_daemon"].calls(), {
            "init": 0, "main<init": 1, "before<main<init": 1})

    def test_two_forks(self):
        need_part("BUILD_TOOLS")
        profiles, daemon = self.daemon(compile_program("fork_daemon.c", ("-O2",)), "twice")
        # The daemon had left fork_and_leave before it recorded anything.
        self.assertEqual(daemon.calls(), {"init": 0, "main<init": 0, "work<main<init": 7})
        self.assertEqual(len(profiles), 3)
        self.assertEqual(profiles["fork_daemon"].calls(), {
            "init": 0, "main<init": 1, "before<main<init": 1, "fork_and_leave<main<init": 1})


def complete(saved):
    try:
        return saved.profile() is not None
    except ValueError:
        return False  # being written
