"""Threads: their places in the tree, the ways in which they end, and the attribution of their time."""
import unittest

import pytest

from support import compile_program, need, run
from thread_support import ThreadTest, builds, caller_pairs, calls_by_function

SPAWNED = "<[thread]<spawn<main<init"


class Ends(ThreadTest):
    def check(self, way):
        self.check_calls("thread_ends.c", {
            "init": 0, "main<init": 1, "work<main<init": 1, "spawn<main<init": 3,
            "[thread]<spawn<main<init": 3, "worker" + SPAWNED: 3, "work<worker" + SPAWNED: 3,
            "leave<worker" + SPAWNED: 3, "cleanup<worker" + SPAWNED: 3,
            "work<cleanup<worker" + SPAWNED: 3}, way)

    def test_return(self):
        self.check("return")

    def test_pthread_exit(self):
        self.check("exit")

    def test_cancelled_at_a_cancellation_point(self):
        self.check("cancel")

    def test_cancelled_anywhere(self):
        self.check("asynchronous")

    def test_process_returns_from_main_while_threads_run(self):
        thread = "worker<[thread]<main<init"
        for result in self.check_calls("thread_exit_of_process.c", {
                "init": 0, "main<init": 1, "[thread]<main<init": 3, thread: 3, "stays<" + thread: 3,
                "leaf<stays<" + thread: 3}, "return"):
            paths = result.paths()
            self.assertGreater(paths["stays<" + thread]["inclusive_ns"], 0)
            self.assertGreaterEqual(paths[thread]["inclusive_ns"],
                                    paths["stays<" + thread]["inclusive_ns"])

    def test_a_thread_ends_the_process(self):
        thread = "<[thread]<main<init"
        self.check_calls("thread_exit_of_process.c", {
            "init": 0, "main<init": 1, "[thread]<main<init": 4, "worker" + thread: 3,
            "stays<worker" + thread: 3, "leaf<stays<worker" + thread: 3,
            "ends_process" + thread: 1, "leaf<ends_process" + thread: 1}, "thread")

    def test_process_ends_while_threads_call_without_pause(self):
        thread = "worker<[thread]<main<init"
        for text, program, how in builds("thread_exit_of_process.c"):
            for _ in range(3):
                with self.subTest(build=text):
                    result = self.profile([program, "busy"], **how)
                    calls = result.calls()
                    self.assertGreater(calls.pop(f"leaf<stays<{thread}"), 3)
                    self.assertEqual(calls, {"init": 0, "main<init": 1, "[thread]<main<init": 3,
                                             thread: 3, "stays<" + thread: 3})

    def test_main_ends_first(self):
        thread = "worker<[thread]<main<init"
        for result in self.check_calls("thread_outlives_main.c", {
                "init": 0, "main<init": 1, "leave<main<init": 1, "[thread]<main<init": 1, thread: 1,
                "early<" + thread: 1, "late<" + thread: 3}):
            self.assertEqual(result.status, 0)


class ManyThreads(ThreadTest):
    def test_ten_thousand_joined_or_detached(self):
        program = compile_program("thread_many.c", ("-O1", "-pthread"))
        for way in ("joined", "detached"):
            with self.subTest(way=way):
                result = self.profile([program, 10000, way])
                self.assertEqual(result.calls(), {
                    "init": 0, "main<init": 1, "spawn<main<init": 10000,
                    "[thread]<spawn<main<init": 10000, "worker" + SPAWNED: 10000,
                    "work<worker" + SPAWNED: 20000})
                self.check_times(result)
                profile = result.profile()
                self.assertEqual(profile["run"]["threads"], 10001)
                self.assertLess(profile["run"]["memory_bytes"], 2 << 20)
                self.assertLess(len(result.text()), 20000)

    def test_memory_does_not_grow_with_their_number(self):
        program = compile_program("thread_many.c", ("-O1", "-pthread"))
        few = run([program, 40, "joined"]).profile()["run"]["memory_bytes"]
        many = run([program, 4000, "joined"]).profile()["run"]["memory_bytes"]
        self.assertLess(many, 8 * few)

    def test_all_builds(self):
        for way in ("joined", "detached"):
            self.check_calls("thread_many.c", {
                    "init": 0, "main<init": 1, "spawn<main<init": 12,
                    "[thread]<spawn<main<init": 12,
                    "worker" + SPAWNED: 12, "work<worker" + SPAWNED: 24}, "12", way)


class Creation(ThreadTest):
    def test_threads_that_make_threads(self):
        first, second = "worker" + SPAWNED, "worker<[thread]<spawn<worker" + SPAWNED
        third = "worker<[thread]<spawn<" + second
        expected = {"init": 0, "main<init": 1, "spawn<main<init": 1, "[thread]<spawn<main<init": 2,
                    first: 2, "leaf<" + first: 2, "spawn<" + first: 2,
                    "[thread]<spawn<" + first: 4, second: 4, "leaf<" + second: 4,
                    "spawn<" + second: 4, "[thread]<spawn<" + second: 8, third: 8,
                    "leaf<" + third: 8}
        for result in self.check_calls("thread_nested.c", expected):
            self.assertEqual(result.profile()["run"]["threads"], 15)

    def test_each_thread_makes_its_successor(self):
        # A server that renews its worker for months: the paths must not grow without bound.
        program = compile_program("thread_nested.c", ("-O1", "-pthread"))
        for length in (3, 300):
            with self.subTest(length=length):
                result = self.profile([program, "chain", length])
                calls = calls_by_function(result.calls())
                self.assertEqual((calls["link_of_chain"], calls["leaf"]), (length + 1, length + 1))
                self.check_times(result)
                if length == 300:
                    self.assertLess(len(result.calls()), 100)
                    self.assertLess(len(result.text()), 100000)

    def test_start_function_without_hooks(self):
        thread = "<[thread]<spawn<main<init"
        for result in self.check_calls("thread_bare_start.c", {
                "init": 0, "main<init": 1, "spawn<main<init": 3, "spawn_silent<main<init": 3,
                "spawn<spawn_silent<main<init": 3, "[thread]<spawn<main<init": 3,
                "work" + thread: 3, "leaf<work" + thread: 3, "leaf" + thread: 3}):
            self.assertEqual(result.profile()["run"]["threads"], 4)  # threads that call nothing are not seen

    def test_stacks_of_their_own_and_of_all_sizes(self):
        self.check_calls("thread_attributes.c", {
            "init": 0, "main<init": 1, "spawn<main<init": 8, "[thread]<spawn<main<init": 8,
            "worker" + SPAWNED: 8,
            "recursion<worker" + SPAWNED: 5 * 501 + 2 * 11 + 10001})

    def test_made_before_main(self):
        # What runs before main is not recorded, and neither is the path that created the thread.
        for text, program, how in builds("thread_before_main.c"):
            with self.subTest(build=text):
                result = self.profile(program, **how)
                calls = calls_by_function(result.calls())
                self.assertEqual((calls["work"], calls["main"]), (5, 1))
                self.assertNotIn("early", calls)
                self.assertFalse([path for path in result.paths() if path.endswith("main<init")
                                  and path != "main<init"])
                self.check_times(result)

    def test_made_before_main_and_recorded(self):
        thread = "worker<[thread]<before_main<init"
        self.check_calls("thread_before_main.c", {
            "init": 0, "main<init": 1, "before_main<init": 1, "[thread]<before_main<init": 1,
            thread: 1, "early<" + thread: 1, "work<" + thread: 5},
            VFTR_INCLUDE_CXX_PRELUDE="yes")

    def test_c11(self):
        thread = "<[thread]<spawn<main<init"
        self.check_calls("thread_c11.c", {
            "init": 0, "main<init": 1, "spawn<main<init": 3, "[thread]<spawn<main<init": 3,
            **{name + thread: 1 for name in (
                "returns", "exits", "detached", "leaf<returns", "leaf<exits",
                "leaf<detached")}})

    def test_cxx_standard_library(self):
        by_thread, by_jthread = "[thread]<by_thread<main<init", "[thread]<by_jthread<main<init"
        by_async = "[thread]<by_async<main<init"
        self.check_calls("thread_standard_library.cpp", {
            "init": 0, "main<init": 1, "by_thread<main<init": 1, by_thread: 2,
            "plain_worker<" + by_thread: 2, "leaf<plain_worker<" + by_thread: 15,
            "by_jthread<main<init": 1, by_jthread: 1, "stoppable_worker<" + by_jthread: 1,
            "leaf<stoppable_worker<" + by_jthread: 2,
            "by_async<main<init": 1, by_async: 4, "task<" + by_async: 4,
            "leaf<task<" + by_async: 4,
            "deferred<main<init": 1, "task<deferred<main<init": 1,
            "leaf<task<deferred<main<init": 1})

    def test_made_by_the_c_library(self):
        for text, program, how in builds("thread_of_timer.c"):
            with self.subTest(build=text):
                result = self.profile(program, **how)
                calls = calls_by_function(result.calls())
                self.assertEqual((calls["expired"], calls["leaf"]), (3, 3))
                self.assertIn(("leaf", "expired"), caller_pairs(result))
                self.assertNotIn(("expired", "main"), caller_pairs(result))


class Destructors(ThreadTest):
    def test_of_thread_local_objects(self):
        thread = "[thread]<main<init"
        self.check_calls("thread_local_destructors.cpp", {
            "init": 0, "main<init": 1, thread: 4, "worker<" + thread: 4,
            "use_guard<worker<" + thread: 4,
            "Guard::Guard<use_guard<worker<" + thread: 4,
            "opened<Guard::Guard<use_guard<worker<" + thread: 4,
            "Guard::use<use_guard<worker<" + thread: 4,
            "Guard::~Guard<" + thread: 4, "closed<Guard::~Guard<" + thread: 4})

    def test_of_pthread_keys(self):
        thread = "[thread]<main<init"
        for text, program, how in builds("thread_key_destructors.c"):
            with self.subTest(build=text):
                result = self.profile(program, **how)
                # The library's own destructor may have run before, but these calls still belong to the same thread.
                self.assertEqual(result.calls(), {
                    "init": 0, "main<init": 1, thread: 6, "worker<" + thread: 3,
                    "leaf<worker<" + thread: 3,
                    "destroy_once<" + thread: 6, "leaf<destroy_once<" + thread: 6,
                    "destroy_twice<" + thread: 6, "leaf<destroy_twice<" + thread: 6})


class Times(ThreadTest):
    @pytest.mark.timing
    def test_a_thread_is_not_in_its_creators_time(self):
        expected = {"init": 0, "main<init": 1, "spawn<main<init": 2, "waits<main<init": 1,
                    "[thread]<spawn<main<init": 2, "worker" + SPAWNED: 2,
                    "sleep_ms<worker" + SPAWNED: 2}
        for result in self.check_calls("thread_time.c", expected):
            times = {path: node["inclusive_ns"] for path, node in result.paths().items()}
            worker, main = times["worker" + SPAWNED], times["main<init"]
            self.assertGreaterEqual(times["sleep_ms<worker" + SPAWNED], 400e6)
            self.assertGreaterEqual(times["[thread]<spawn<main<init"], worker)
            self.assertLess(times["spawn<main<init"], 0.5 * worker)
            self.assertLess(main, worker)  # two threads work at the same time
            self.assertGreater(times["waits<main<init"], 0.5 * main)

    def test_threads_of_the_json_add_up_to_the_paths(self):
        program = compile_program("thread_nested.c", ("-O1", "-pthread"))
        result = self.profile(program)
        profile = result.profile()
        self.assertEqual(sum(thread["calls"] for thread in profile["threads"]),
                         sum(node["calls"] for node in profile["nodes"]
                             if profile["functions"][node["function"]]["kind"] != "thread"))
        for figure in ("calls", "exclusive_ns"):
            by_path = [0] * len(profile["nodes"])
            for thread in profile["threads"]:
                for path, calls, _, exclusive_ns in thread["nodes"]:
                    by_path[path] += calls if figure == "calls" else exclusive_ns
            self.assertEqual(by_path[1:], [node[figure] for node in profile["nodes"]][1:])


class Names(ThreadTest):
    def test_names_given_by_the_program(self):
        names = {"itself", "main's choice", "before-any-call", 'by "prctl" \\ |'}
        for text, program, how in builds("thread_names.c"):
            with self.subTest(build=text):
                result = self.profile(program, **how)
                self.assertEqual(calls_by_function(result.calls())["work"], 5)
                profile = result.profile()
                # Unnamed threads inherit the name of the program, which does not count as a name.
                self.assertEqual({thread.get("name") for thread in profile["threads"]} - {None},
                                 names)
                log = result.text()
                for name in names:
                    self.assertIn(name, log)


class PauseAndRegions(ThreadTest):
    def check_pause(self, way, extra):
        thread = "<[thread]<main<init"
        expected = {"init": 0, "main<init": 1, "pauses_below<main<init": 1,
                    "seen<pauses_below<main<init": 1, "seen<main<init": 1, "[thread]<main<init": 1,
                    "worker" + thread: 1, "open_call<worker" + thread: 1,
                    "seen<open_call<worker" + thread: 2, "sleep_ms<open_call<worker" + thread: 1,
                    "seen<worker" + thread: 1, "vftrace_pause<pauses_below<main<init": 1, **extra}
        for result in self.check_calls("pause_threads.c", expected, way):
            paths = result.paths()
            # The open call was paused for 0.3 s and not paused for 0.02 s.
            self.assertLess(paths["open_call<worker" + thread]["inclusive_ns"], 250e6)
            self.assertGreater(paths["open_call<worker" + thread]["inclusive_ns"], 19e6)
            self.assertGreater(paths["vftrace_pause<pauses_below<main<init"]["inclusive_ns"], 299e6)
            self.assertGreater(result.profile()["run"]["paused_ns"], 299e6)
            self.assertLess(paths["main<init"]["inclusive_ns"], 250e6)

    @pytest.mark.timing
    def test_pause_stops_all_threads(self):
        self.check_pause("same", {})

    @pytest.mark.timing
    def test_resumed_by_another_thread_in_another_function(self):
        self.check_pause("other", {})

    @pytest.mark.timing
    def test_process_ends_while_paused(self):
        thread = "worker<[thread]<main<init"
        for result in self.check_calls("pause_at_exit.c", {
                "init": 0, "main<init": 1, "vftrace_pause<main<init": 1, "[thread]<main<init": 1,
                thread: 1, "left_meanwhile<" + thread: 1}):
            paths = result.paths()
            self.assertLess(paths[thread]["inclusive_ns"], 190e6)
            self.assertLess(paths["left_meanwhile<" + thread]["inclusive_ns"], 190e6)
            self.assertGreater(paths["vftrace_pause<main<init"]["inclusive_ns"], 199e6)

    def test_regions_across_functions_and_threads(self):
        thread = "[thread]<spawn<main<init"
        of_main = "<spawn<of main<main<init"
        expected = {"init": 0, "main<init": 1, "spawn<main<init": 2, "begins<main<init": 1,
                    "phase<begins<main<init": 1, "work<phase<begins<main<init": 1,
                    thread: 2, "worker<" + thread: 2, "begins<worker<" + thread: 2,
                    "phase<begins<worker<" + thread: 2,
                    "work<phase<begins<worker<" + thread: 2,
                    "left open<worker<" + thread: 2, "left open<" + thread: 0,
                    "of main<main<init": 1, "spawn<of main<main<init": 1,
                    "work<of main<main<init": 1, "[thread]" + of_main: 1,
                    "ends_other<[thread]" + of_main: 1, "work<ends_other<[thread]" + of_main: 1}
        # After begins() the region continues below its caller; so does ends() after the region.
        for path in ("main<init", "worker<" + thread):
            n = 1 if path == "main<init" else 2
            expected |= {"phase<" + path: 0, "work<phase<" + path: n, "ends<phase<" + path: n,
                         "work<ends<phase<" + path: n, "ends<" + path: 0}
        for result in self.check_calls("thread_regions.c", expected,
                                       expect_stderr="no region is open"):
            self.assertEqual(result.stderr.count("\n"), 1)


class OtherTools(ThreadTest):
    def test_thread_sanitizer_in_the_program(self):
        for source, *arguments in (("thread_ends.c", "return"), ("thread_ends.c", "exit"),
                                   ("thread_ends.c", "cancel"), ("thread_many.c",),
                                   ("thread_nested.c",), ("thread_names.c",),
                                   ("thread_exit_of_process.c",), ("thread_exceptions.cpp",),
                                   ("thread_local_destructors.cpp",),
                                   ("thread_key_destructors.c",), ("pause_threads.c",)):
            with self.subTest(source=source, arguments=arguments):
                try:
                    program = compile_program(source, ("-O1", "-g", "-pthread",
                                                       "-fsanitize=thread"))
                except AssertionError:
                    self.skipTest("no ThreadSanitizer")
                alone = run([program, *arguments], preload=False, VFTR_OFF="yes")
                if "FATAL: ThreadSanitizer" in alone.stderr:
                    self.skipTest(alone.stderr)
                result = self.profile([program, *arguments])
                self.assertNotIn("ThreadSanitizer", result.stderr)
                self.assertIn("main<init", result.calls())

    def test_valgrind(self):
        # helgrind is not used: it only knows the locks of pthread, and would report all of ours.
        need("valgrind")
        for source in ("thread_nested.c", "thread_key_destructors.c"):
            with self.subTest(source=source):
                program = compile_program(source, ("-O1", "-g", "-pthread"))
                result = run(["valgrind", "--error-exitcode=9", program])
                self.assertEqual((result.status, result.stdout), (0, "done\n"), result.stderr)
                self.assertEqual(result.calls(), self.profile(program).calls())
