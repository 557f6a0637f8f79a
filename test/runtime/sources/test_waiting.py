"""Where threads wait and where they are displaced: against the programs' own clocks."""
import contextlib
import csv
import json
import os
import subprocess
import unittest

from support import COMMAND, ProgramTest, compile_program, run, scratch_folder
from waiting_figures import states_of_threads, sum_of, sums_by_function


def can_be_watched():
    """Whether the kernel reports the switches of threads here."""
    result = run([compile_program("known_waits.c", link=("-pthread",))])
    return any("waiting.watched" == metric["name"] for metric in result.profile()["metrics"])


class WaitingTest(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not can_be_watched():
            raise unittest.SkipTest("the kernel does not report switches of threads")

    def waited_ms(self, values, function):
        """Of all kinds."""
        return sum_of(values.get(function, {}), "time.") / 1e6

    def kinds(self, values, function):
        return {name.removeprefix("time.") for name, value in values.get(function, {}).items()
                if name.startswith("time.") and value > 0}


KINDS = {"wait_in_sleep": "sleep", "wait_for_mutex": "lock", "wait_for_rwlock": "lock", "wait_for_condition": "lock",
         "wait_for_pipe": "pipe", "wait_for_socket": "socket", "wait_in_poll": "poll", "wait_for_file": "file",
         "wait_for_thread": "lock", "wait_in_barrier": "lock"}


class KnownWaits(WaitingTest):
    def check(self, result, share=0.01, least_ms=0.5):
        """By the program's own clocks: a wait lasted as long as the call, without the processor's time. They do not see
        how long the thread had to wait for a processor before and after the wait."""
        values = sums_by_function(result.profile())
        for line in result.stdout.splitlines():
            function, wall, processor = line.split()
            waited = float(wall) - float(processor)
            sums = values.get(function, {})
            # The clock of the processor also runs while the kernel changes threads.
            change_ms = 0.015 * sum_of(sums, "waits.")
            displaced = sums.get("preempted", 0) / 1e6
            with self.subTest(function=function, waited=waited):
                self.assertAlmostEqual(self.waited_ms(values, function), waited,
                                       delta=max(waited * share, least_ms) + displaced + change_ms)
        return values

    def test_with_hooks(self):
        result = run([compile_program("known_waits.c", link=("-pthread",))])
        self.check(result)
        for states in states_of_threads(result.profile()):
            self.assertAlmostEqual((states["running"] + states["waited"] + states["displaced"]) / states["watched"], 1,
                                   delta=0.02)

    def test_what_for(self):
        result = run([COMMAND, "run", "--waiting", compile_program("known_waits.c", link=("-pthread",))], preload=False)
        values = self.check(result)
        for function, kind in KINDS.items():
            with self.subTest(function=function):
                kinds = self.kinds(values, function) - {"not_seen"}
                if function == "wait_for_file":  # a file system in memory does not wait
                    self.assertLessEqual(kinds, {"file"})
                else:
                    self.assertEqual(kinds, {kind})
        report = run([COMMAND, "report", "--waiting", result.folder / "known_waits_all.json"], preload=False)
        self.assertEqual((report.status, report.stderr), (0, ""))
        for title in ("Waiting of threads", "States of threads"):
            self.assertIn(title, report.stdout)
        self.assertRegex(report.stdout, r"wait_in_poll +\| work_together .*\| poll or select +\|")

    def test_without_hooks(self):
        program = compile_program("known_waits.c", ("-O0", "-g"), instrument=False, link=("-pthread",))
        result = run([COMMAND, "run", "--waiting", "--sample", program], preload=False)
        values = self.check(result, share=0.05, least_ms=0.5)
        self.assertEqual(self.kinds(values, "wait_for_pipe"), {"pipe"})

    def test_looked_at_from_outside(self):
        """Without the functions that tell: another thread looks."""
        result = run([compile_program("known_waits.c", link=("-pthread",))], VFTR_WAITING_ACTIVE="on",
                     VFTR_WAITING_INTERVAL="0.002")
        values = self.check(result)
        for function in set(KINDS) - {"wait_for_file"}:
            with self.subTest(function=function):
                self.assertEqual(self.kinds(values, function) - {"not_seen"}, {KINDS[function]})

    def test_without_events(self):
        """Where the kernel does not report switches, as in containers, calls are timed by the clocks."""
        without = compile_program("without_events.c", instrument=False)
        for how, options in (((), {}), (("--sample",), {"flags": ("-O0", "-g"), "instrument": False})):
            program = compile_program("known_waits.c", link=("-pthread",), **options)
            result = run([without, COMMAND, "run", "--waiting", *how, program], preload=False)
            values = self.check(result, share=0.05)
            for function, kind in KINDS.items():
                if function != "wait_for_file":  # others may be calls that had no processor for a moment
                    self.assertGreater(values[function][f"time.{kind}"], 0.95 * sum_of(values[function], "time."), function)
            self.assertRegex(result.stderr, "vftrace: waiting.active: the kernel does not report when threads wait: ")
            for states in states_of_threads(result.profile()):
                self.assertLess(abs(states["running"] + states["waited"] - states["watched"]) / states["watched"], 0.05)

    def test_beside_busy_loops(self):
        """Work that has to wait for a processor does not wait for anything else."""
        cores = sorted(os.sched_getaffinity(0))[:1]
        program = compile_program("hot_loop.c", ("-O2",))
        with contextlib.ExitStack() as stack:
            for _ in range(2):
                loop = subprocess.Popen(["taskset", "-c", str(cores[0]), "sh", "-c", "while :; do :; done"])
                stack.callback(loop.wait)
                stack.callback(loop.kill)
            result = run(["taskset", "-c", str(cores[0]), program, "20000000"], VFTR_TIMING="exact")
        states, = states_of_threads(result.profile())
        self.assertGreater(states["displaced"], states["running"])
        self.assertAlmostEqual((states["running"] + states["waited"] + states["displaced"]) / states["watched"], 1,
                               delta=0.02)
        values = sums_by_function(result.profile())
        self.assertAlmostEqual(values["init"]["preempted"], states["displaced"], delta=1e6)


class Locks(WaitingTest):
    """Which lock, who has it meanwhile, and for how long: against the program's own clock."""
    HELD_IN = {"wait_for_named": "hold_named", "wait_for_table": "hold_table", "wait_for_member": "hold_member",
               "wait_for_made": "hold_made", "wait_for_made_again": "hold_made_again",
               "wait_for_unmade": "hold_unmade", "wait_once": None}
    NAMES = {"wait_for_named": ("named_lock", "mutex"), "wait_for_table": ("table_lock", "rwlock"),
             "wait_for_member": ("shelves+0x38", "mutex"), "wait_once": ("once", "once")}
    # Where locks without names were made, if that has hooks.
    MADE_IN = {"wait_for_made": "make_lock", "wait_for_made_again": "make_another_lock",
               "wait_for_unmade": "wait_for_unmade"}

    def check(self, profile, text, made_in):
        functions, nodes = profile["functions"], {node["id"]: node for node in profile["nodes"]}

        def path(node):
            names = []
            while node is not None and node in nodes:
                names.append(functions[nodes[node]["function"]]["name"])
                node = nodes[node]["parent"]
            return names

        rows = {path(row["node"])[0]: row for row in profile["lock_waits"] if row["kind"] != "semaphore"}
        for line in text.splitlines():
            waiter, ms = line.split()
            row = rows[waiter]
            with self.subTest(waiter=waiter):
                # One is over before the other thread has noted where it is.
                self.assertAlmostEqual(row["time_ns"] / 1e6, float(ms), delta=max(0.05 * float(ms), 1))
                self.assertLessEqual(row["longest_ns"], row["time_ns"])
                self.assertEqual(row["waits"], 4)
                if waiter in self.NAMES:
                    self.assertEqual((row["lock"], row["kind"]), self.NAMES[waiter])
                    self.assertNotIn("origin", row)
                else:
                    self.assertEqual(path(row["origin"])[0], made_in[waiter])
                holder = self.HELD_IN[waiter]
                self.assertEqual(path(row["holder"])[:2] if holder else row.get("holder"),
                                 ["hold_for_a_while", holder] if holder else None)

    def program(self, **options):
        return compile_program("contended_locks.c", ("-O1", "-g"), link=("-pthread",), **options)

    def test_with_hooks(self):
        result = run([COMMAND, "run", "--waiting", self.program()], preload=False)
        self.check(result.profile(), result.stdout, self.MADE_IN)

    def test_with_samples(self):
        result = run([COMMAND, "run", "--waiting", "--sample", self.program(instrument=False)], preload=False)
        self.check(result.profile(), result.stdout, {waiter: waiter for waiter in self.MADE_IN})

    def test_without_events(self):
        without = compile_program("without_events.c", instrument=False)
        result = run([without, COMMAND, "run", "--waiting", self.program()], preload=False)
        self.check(result.profile(), result.stdout, self.MADE_IN)

    def test_of_a_killed_program(self):
        trees = scratch_folder()
        result = run([COMMAND, "run", "--waiting", self.program(), "kill"], preload=False,
                     VFTR_TREE_FILE_DIRECTORY=trees)
        tree, = trees.iterdir()
        recovered = run([COMMAND, "recover", tree], preload=False)
        self.assertEqual(recovered.status, 0, recovered.stderr)
        profile, = {*result.folder.glob("*_all.json"), *recovered.folder.glob("*_all.json")}
        self.check(json.loads(profile.read_text()), result.stdout, self.MADE_IN)

    def test_tables(self):
        result = run([COMMAND, "run", "--waiting", self.program()], preload=False)
        file = result.folder / "contended_locks_all.json"

        def table(name):
            text = run([COMMAND, "report", "--table", name, "--format", "csv", "--all", file], preload=False).stdout
            return list(csv.DictReader(text.splitlines()))
        locks = {row["lock"]: row for row in table("locks")}
        self.assertEqual([locks["table_lock"][column] for column in ("kind", "waiter", "holder", "holder_share[%]")],
                         ["read-write lock", "wait_for_table<main", "hold_for_a_while<hold_table", "100"])
        self.assertIn("(in make_another_lock)", locks)
        self.assertEqual(sum(int(row["waits"]) for row in table("lock_waits")),
                         sum(int(row["waits"]) for row in locks.values()))
        callpaths = {row["holder_callpath"] for row in table("lock_waits") if row["lock"] == "named_lock"}
        self.assertEqual(callpaths, {"hold_for_a_while<hold_named<hold<[thread]<main<init"})


class Awkward(WaitingTest):
    CASES = ("interrupted", "cancelled", "owner_died", "deadlock", "owner_dies_later", "priority_inherited", "given_up",
             "uses_the_event", "no_locked_memory", "in_shared_memory", "ends_while_waiting", "executes")

    def test_the_program_notices_nothing(self):
        program = compile_program("awkward_waits.c", link=("-pthread",))
        for case in self.CASES:
            alone = run([program, case], preload=False, VFTR_OFF="yes")
            for what, command in (("hooks", [COMMAND, "run", "--waiting"]),
                                  ("samples", [COMMAND, "run", "--waiting", "--sample"])):
                with self.subTest(case=case, what=what):
                    watched = run([*command, program, case], preload=False)
                    self.assertEqual((watched.status, watched.stdout, watched.stderr),
                                     (alone.status, alone.stdout, alone.stderr))

    def test_forbidden_events(self):
        program = compile_program("awkward_waits.c", link=("-pthread",))
        alone = run([program, "no_events"], preload=False, VFTR_OFF="yes")
        for command in ([COMMAND, "run", "--waiting"], [COMMAND, "run", "--waiting", "--sample"]):
            trees = scratch_folder()
            watched = run([*command, program, "no_events"], preload=False, VFTR_TREE_FILE_DIRECTORY=trees)
            self.assertEqual((watched.status, watched.stdout), (alone.status, alone.stdout))
            self.assertEqual(run([COMMAND, "recover", *trees.iterdir()], preload=False).status, 0)

    def test_a_wait_that_has_not_ended(self):
        result = run([COMMAND, "run", "--waiting", compile_program("awkward_waits.c", link=("-pthread",)),
                      "ends_while_waiting"], preload=False)
        self.assertGreater(self.waited_ms(sums_by_function(result.profile()), "wait_for_nothing"), 15)

    def test_a_child_has_its_own(self):
        result = run([COMMAND, "run", "--waiting", compile_program("awkward_waits.c", link=("-pthread",)),
                      "in_shared_memory"], preload=False)
        child, = result.folder.glob("awkward_waits_[0-9]*_all.json")
        values = sums_by_function(json.loads(child.read_text()))
        self.assertGreater(self.waited_ms(values, "nap"), 15)
        self.assertEqual(self.kinds(values, "nap") - {"not_seen"}, {"sleep"})

    def test_pauses_are_left_out(self):
        result = run([compile_program("paused_waits.c")])
        values = sums_by_function(result.profile())
        self.assertAlmostEqual(self.waited_ms(values, "nap"), 20, delta=5)
        self.assertLess(self.waited_ms(values, "init"), 60)


class NotPossible(WaitingTest):
    def test_off(self):
        result = run([compile_program("known_waits.c", link=("-pthread",))], VFTR_WAITING_ACTIVE="off")
        self.assertFalse([metric for metric in result.profile()["metrics"] if metric["name"].startswith("waiting")])
        report = run([COMMAND, "report", "--waiting", result.folder / "known_waits_all.json"], preload=False)
        self.assertEqual(report.status, 2)
        self.assertIn("waiting.active is off", report.stderr)

    def test_many_threads(self):
        """Rings need memory that is limited: the others go without, and nothing is said by default."""
        program = compile_program("living_threads.c", link=("-pthread",))
        result = run([program, "300"])
        self.assertEqual((result.status, result.stdout), (0, "300 threads: Success\n"))
        self.assertNotIn("vftrace", result.stderr)
        self.assertLess(len(states_of_threads(result.profile())), 300)


if __name__ == "__main__":
    unittest.main()
