"""Everything at once, at random: threads that throw, jump, load libraries, fork and end."""
import subprocess

from support import PROGRAMS, compile_program, scratch_folder
from thread_support import ThreadTest, calls_by_function, caller_pairs, own_calls, saved_profiles

# The possible calls in stress.cpp.
CALLERS = {
    "main": {"init"}, "[thread]": {"spawns", "main"}, "worker": {"[thread]"},
    "run_actions": {"worker", "main"}, "act": {"run_actions", "act", "region"},
    "leaf": {"act", "recurse", "ping", "pong", "rethrows", "catches", "lands"},
    "recurse": {"act"}, "ping": {"act", "pong"}, "pong": {"ping"}, "catches": {"act"},
    "rethrows": {"catches"}, "throws_deep": {"rethrows"}, "lands": {"act"},
    "jumps_deep": {"lands"}, "in_region": {"act"}, "region": {"in_region"}, "loads": {"act"},
    "call": {"loads"}, "plugin_one": {"call"}, "forks": {"act"}, "child_work": {"forks"},
    "spawns": {"act", "main"}, "leaves": {"act"}, "ends": {"main", "end_of_other"},
    "end_of_other": {"[thread]"}}


class Stress(ThreadTest):
    def check(self, compiler, level, seed):
        plugin = scratch_folder() / "plugin.so"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-finstrument-functions",
                        PROGRAMS / "plugin.c", "-o", plugin], check=True)
        program = compile_program("stress.cpp", (level, "-pthread"), compiler)
        trees = scratch_folder()
        result = self.profile([program, seed, plugin], TMPDIR=trees)
        self.assertEqual(list(trees.iterdir()), [])
        expected = {name: int(count) for name, _, count in
                    (line.partition(" ") for line in result.stdout.splitlines()) if int(count)}
        child_work = expected.pop("child_work", 0)
        profiles = saved_profiles(result.folder)
        parent = profiles.pop("stress")
        calls = calls_by_function(own_calls(parent))
        for name in ("init", "[thread]"):
            del calls[name]
        self.assertEqual(calls, expected)
        self.check_callers(parent)
        self.check_times(parent)
        self.assertEqual(len(profiles), expected.get("forks", 0))
        of_children = 0
        for child in profiles.values():
            self.check_callers(child)
            calls = calls_by_function(own_calls(child))
            of_children += calls.pop("child_work")
            self.assertEqual(set(calls.values()), {0})  # on the path that it was forked from
        self.assertEqual(of_children, child_work)

    def check_callers(self, result):
        wrong = {(name, caller) for name, caller in caller_pairs(result)
                 if caller not in CALLERS[name]}
        self.assertEqual(wrong, set())

    def test_gcc(self):
        for seed in (1, 2, 3):
            with self.subTest(seed=seed):
                self.check("g++", "-O2", seed)

    def test_gcc_without_optimisation(self):
        for seed in (4, 5):
            with self.subTest(seed=seed):
                self.check("g++", "-O0", seed)

    def test_clang(self):
        # Its exit hooks are not called while exceptions pass.
        for seed in (1, 4, 6):
            with self.subTest(seed=seed):
                self.check("clang++", "-O2", seed)
