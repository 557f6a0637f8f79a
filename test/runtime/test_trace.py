"""Traces of programs: every event that the profile counts, in order, and nothing else."""
import platform
import unittest

from support import ProgramTest, compile_program, run
from trace_support import (ENTER, EVERY_CALL, EXIT, THINNED, calls_in, check_nesting, check_order,
                           count_samples, text_of, vfd_of)


def without_marks(path):
    return path.replace("*", "")


class EveryCall(ProgramTest):
    def trace(self, program, **arguments):
        result = self.profile(program, **arguments, **EVERY_CALL)
        vfd = vfd_of(result)
        self.assertFalse([name for name in result.files() if name.endswith(".tmpvfd")])
        check_order(self, vfd.events)
        self.assertEqual(text_of(vfd.events)[-1], "exit init")
        self.assertEqual(vfd.interval, 0)
        return result, vfd

    def check_counts(self, result, events):
        """Calls in the trace are those in the profile."""
        counted = {path: count for path, count in result.calls().items() if count}
        traced = {}
        for path, count in calls_in(events).items():
            # In JSON, text that is not valid UTF-8 has been replaced.
            path = path.encode(errors="surrogateescape").decode(errors="replace")
            traced[without_marks(path)] = count
        self.assertEqual(traced, counted)

    def test_events_of_a_small_program(self):
        _, vfd = self.trace(compile_program("call_counts.c"))
        check_nesting(self, vfd.events)

    def test_counts_are_the_profiles(self):
        for source in ("call_counts.c", "mutual_recursion.c", "overloads.cpp", "regions.c",
                       "inlined_functions.c", "exit_nested.c"):
            with self.subTest(program=source):
                result, vfd = self.trace(compile_program(source))
                if source == "mutual_recursion.c":
                    self.assertEqual(sum(calls_in(vfd.events).values()),
                                     sum(result.calls().values()))
                else:
                    self.check_counts(result, vfd.events)

    def test_left_by_longjmp_and_exceptions(self):
        for source in ("longjmp_siblings.c", "exceptions.cpp", "throw_paths.cpp"):
            with self.subTest(program=source):
                result, vfd = self.trace(compile_program(source))
                self.check_counts(result, vfd.events)
                check_nesting(self, vfd.events)

    def test_signal_handlers(self):
        result = self.profile(compile_program("signal_handler.c"), **EVERY_CALL)
        enters, exits = count_samples(next(result.folder.glob("*_0.vfd")))
        calls = sum(result.calls().values())
        # A handler that jumps out of the hook that it interrupts makes that hook's entry event get lost. Every seventh may
        # jump; on a busy machine there are more than the 2000 handlers that the program waits for.
        jumps = sum(number for path, number in result.calls().items() if path.startswith("handler<")) // 7 + 1
        self.assertLessEqual(calls - jumps, enters)
        self.assertLessEqual(enters, calls)
        self.assertLessEqual(abs(exits - 1 - calls), jumps)

    @unittest.skipUnless(platform.machine() == "x86_64", "executes instructions one by one")
    def test_no_piece_is_lost_by_interrupted_hooks(self):
        """A signal at any instruction of the code that continues with the next piece of memory."""
        program = compile_program("jump_out_of_hooks.c")
        piece = (1 << 20) // 8 // 8  # words: an eighth of the smallest memory
        for what, lost_by_each in (("jump", 1), ("return", 0)):
            with self.subTest(handler=what):
                result = run([program, str(piece), "50", "1", "250", what], VFTR_SAMPLING_OUTBUFFER_SIZE="1",
                             VFTR_TIMING="exact", **EVERY_CALL)
                interrupted = int(result.stdout)
                self.assertGreater(interrupted, 50)
                enters, exits = count_samples(next(result.folder.glob("*_0.vfd")))
                calls = sum(result.calls().values())
                self.assertLessEqual(calls - enters, interrupted * lost_by_each)
                self.assertLessEqual(enters, calls)
                self.assertLessEqual(abs(exits - 1 - calls), interrupted * lost_by_each)

    def test_pause_is_one_call(self):
        _, vfd = self.trace(compile_program("pause_once.c"))
        events = text_of(vfd.events)
        self.assertEqual(sum(event.startswith("call vftrace_pause*<") for event in events), 1)
        self.assertEqual(sum(event.startswith("exit vftrace_pause*<") for event in events), 1)
        check_nesting(self, vfd.events)

    def test_regions_are_precise(self):
        _, vfd = self.trace(compile_program("regions.c"))
        self.assertIn("first*", vfd.names)
        self.assertNotIn("work*", vfd.names)

    def test_times_are_those_of_the_profile(self):
        result, vfd = self.trace(compile_program("pause.c"))
        spent = {}
        stack = []
        for kind, path, ns in vfd.events:
            if kind == ENTER:
                stack.append(ns)
            elif stack:
                spent[path] = spent.get(path, 0) + ns - stack.pop()
        paths = result.paths()
        path = "seen<main<init"
        self.assertAlmostEqual(spent[path] / 1e9, paths[path]["inclusive_ns"] / 1e9, delta=1e-4)

    def test_threads_are_in_the_extension(self):
        result, vfd = self.trace(compile_program("thread_names.c", link=("-pthread",)))
        self.assertEqual(vfd.thread_count, len(vfd.threads) + 1)
        self.assertEqual(vfd.thread_parents[0], -1)
        self.assertTrue(all(parent >= 0 for parent in vfd.thread_parents[1:]))
        everything = list(vfd.events)
        for events in vfd.threads.values():
            check_order(self, events)
            everything += events
        self.check_counts(result, everything)

    def test_many_threads_share_few_buffers(self):
        result, vfd = self.trace(compile_program("thread_many.c", link=("-pthread",)))
        everything = list(vfd.events)
        for events in vfd.threads.values():
            everything += events
        self.check_counts(result, everything)

    def test_fibers(self):
        for source in ("fiber_scheduler.c", "fiber_generator.c"):
            with self.subTest(program=source):
                result, vfd = self.trace(compile_program(source))
                self.assertGreater(len(vfd.events), 10)

    def test_children_have_traces_of_their_own(self):
        result = run([compile_program("fork_generations.c")], **EVERY_CALL)
        traces = [name for name in result.files() if name.endswith(".vfd")]
        profiles = [name for name in result.files() if name.endswith("_all.json")]
        self.assertEqual(len(traces), len(profiles), result.files())
        self.assertFalse([name for name in result.files() if name.endswith(".tmpvfd")])

    def test_program_closes_all_descriptors(self):
        result, vfd = self.trace(compile_program("closes_descriptors.c"))
        self.check_counts(result, vfd.events)

    def test_nothing_is_left_by_a_program_without_events(self):
        result = run(["/bin/true"], **EVERY_CALL)
        self.assertEqual(result.files(), [])


class Sampled(ProgramTest):
    def test_interval_thins_but_keeps_what_is_precise(self):
        program = compile_program("call_counts.c")
        result = self.profile(program, **THINNED,
                              VFTR_SAMPLING_SAMPLE_INTERVAL="1000")
        vfd = vfd_of(result)
        # Only the first event and the end are there.
        self.assertEqual(len(vfd.events), 2)
        self.assertEqual(vfd.interval, 1000 * 10**9)

    def test_short_runs_are_traced_completely(self):
        """Up to a size, every call is in the trace, and no function loses its hooks; then the interval begins."""
        program = compile_program("nested_short_calls.c")
        result = self.profile(program, VFTR_SAMPLING_ACTIVE="yes")
        vfd = vfd_of(result)
        self.assertEqual((vfd.interval, vfd.left_out, vfd.call_samples), (0, {}, {}))
        self.assertEqual(calls_in(vfd.events)["point<sweep<solve<main<init"], 800_000)
        vfd = vfd_of(self.profile(program, VFTR_SAMPLING_ACTIVE="yes", VFTR_SAMPLING_COMPLETE_SIZE="4"))
        self.assertEqual(vfd.interval, 5_000_000)
        first = vfd.left_out[0][0][1]
        complete = sum(ns < first for _, _, ns in vfd.events)
        self.assertGreater(complete, 4 << 16)
        self.assertLess(complete, 5 << 16)

    def test_what_the_interval_leaves_out(self):
        """Their number, and the innermost call that was open throughout."""
        result = self.profile(compile_program("nested_short_calls.c"), **THINNED, VFTR_OVERHEAD_BUDGET="0")
        vfd = vfd_of(result)
        self.assertEqual(vfd.interval, 5_000_000)
        calls = sum(result.calls().values())
        self.assertEqual(calls, 800_042)
        self.assertEqual(sum(events for _, _, events in vfd.left_out[0]) + len(vfd.events) - 1, 2 * calls)
        open_throughout = {path for path, _, _ in vfd.left_out[0]}
        self.assertLessEqual(open_throughout, {"main<init", "init", "solve<main<init", "sweep<solve<main<init"})
        self.assertIn("solve<main<init", open_throughout)
        # Between two of its samples, a sweep of which neither end was left out is one call.
        for path, ns, events in vfd.left_out[0]:
            self.assertTrue(events > 0 and ns > 0)

    def test_precise_functions(self):
        program = compile_program("longjmp_siblings.c")
        every = calls_in(vfd_of(self.profile(program, **EVERY_CALL)).events)
        some = next(path for path in every if path.count("<") == 2).split("<")[0]
        result = self.profile(program, **THINNED,
                              VFTR_SAMPLING_SAMPLE_INTERVAL="1000",
                              VFTR_SAMPLING_PRECISE_FUNCTIONS=f"^{some}$")
        vfd = vfd_of(result)
        expected = {path: count for path, count in every.items() if path.startswith(some + "<")}
        found = {path.replace("*", ""): count for path, count in calls_in(vfd.events).items()
                 if path.startswith(some + "*")}
        self.assertEqual(found, expected)
        self.assertTrue(any(name == some + "*" for name in vfd.names))

    def test_regions_are_always_there(self):
        program = compile_program("regions.c")
        every = calls_in(vfd_of(self.profile(program, **EVERY_CALL)).events)
        thin = calls_in(vfd_of(self.profile(program, **THINNED,
                                            VFTR_SAMPLING_SAMPLE_INTERVAL="1000")).events)
        regions = {path: count for path, count in every.items() if "*" in path.split("<")[0]}
        self.assertTrue(regions)
        self.assertEqual({path: thin.get(path) for path in regions}, regions)


class FullBuffers(ProgramTest):
    """The smallest buffers, and a program that fills them many times."""

    def test_waiting_loses_nothing(self):
        program = compile_program("hot_loop.c")
        result = self.profile([program, "1000000"], expect_stderr=None, **EVERY_CALL,
                              VFTR_SAMPLING_OUTBUFFER_SIZE="1")
        vfd = vfd_of(result)
        self.assertEqual(calls_in(vfd.events),
                         {path: count for path, count in result.calls().items() if count})
        check_nesting(self, vfd.events)
        self.assertEqual([gap for gap in vfd.gaps if not gap["waited"]], [])

    def check_drops(self, program, *arguments):
        """Everything is in the trace or reported as missing; returns how much is missing."""
        result = self.profile([program, *arguments], expect_stderr=None, **EVERY_CALL,
                              VFTR_SAMPLING_OUTBUFFER_SIZE="1", VFTR_SAMPLING_WHEN_FULL="drop")
        vfd = vfd_of(result)
        traced = sum(kind == ENTER for kind, _, _ in vfd.events)
        exits = sum(kind == EXIT for kind, _, _ in vfd.events) - 1
        gaps = [gap for gap in vfd.gaps if not gap["waited"]]
        for gap in gaps:
            self.assertLessEqual(gap["start"], gap["end"])
        dropped = sum(gap["events"] for gap in gaps)
        self.assertEqual(traced + exits + dropped, 2 * sum(result.calls().values()))
        if dropped:
            self.assertRegex(result.text(), f"{dropped} events are missing in the trace")
        return dropped

    def test_dropping_is_counted(self):
        self.check_drops(compile_program("hot_loop.c"), "1000000")

    def test_dropping_until_the_end_is_counted(self):
        program = compile_program("writer_held_up.c", link=["-rdynamic", "-ldl"])
        self.assertEqual(self.check_drops(program), 400000 - 8 * 2 ** 14)


if __name__ == "__main__":
    unittest.main()
