"""Code that departs from the order of calls and returns: exceptions, jumps, fibers, coroutines."""
import shutil

import pytest

from support import compile_program
from thread_support import ThreadTest, builds, calls_by_function, own_calls

# Callers are suspended while the code that they switched to runs, so estimates do not add up in these programs.
EXACT = {"VFTR_TIMING": "exact", "VFTR_OVERHEAD_CORRECTED": "no"}



class Exceptions(ThreadTest):
    def test_thrown_by_several_threads_at_once(self):
        thread, n = "worker<[thread]<main<init", 4 * 200
        catcher = "catcher<" + thread
        rethrows = "rethrows<" + catcher
        self.check_calls("thread_exceptions.cpp", {
            "init": 0, "main<init": 1, "[thread]<main<init": 4, thread: 4, catcher: n,
            rethrows: n, "passes<" + rethrows: n, "thrower<passes<" + rethrows: n,
            "handled<" + rethrows: n, "handled<" + catcher: n, "after<" + catcher: n})

    def test_thrown_through_several_functions(self):
        def main(path, calls):
            return {f"{path}<main<init": calls}
        below = "down<from_below"
        half, throws = "half_way<top", "thrower<cleans<half_way<top"
        expected = {
            "init": 0, **main("main", 0), "main<init": 1, **main("leaf", 1),
            **main("top", 6), **main(half, 6), **main("cleans<" + half, 6), **main(throws, 6),
            **main("leaf<cleans<" + half, 1), **main("Cleaner::~Cleaner<cleans<" + half, 6),
            **main("cleaned<Cleaner::~Cleaner<cleans<" + half, 6), **main("leaf<" + half, 5),
            **main("leaf<top", 5),
            **main("constructs", 6), **main("Fails::Fails<constructs", 6),
            **main("Member::Member<Fails::Fails<constructs", 6),
            **main("leaf<Member::Member<Fails::Fails<constructs", 6),
            **main("Member::~Member<Fails::Fails<constructs", 5),
            **main("cleaned<Member::~Member<Fails::Fails<constructs", 5),
            **main("Fails::~Fails<constructs", 1),
            **main("Member::~Member<Fails::~Fails<constructs", 1),
            **main("cleaned<Member::~Member<Fails::~Fails<constructs", 1),
            **main("leaf<constructs", 6),
            **main("in_handler", 5), **main("thrower<in_handler", 5), **main("top<in_handler", 5),
            **main(half + "<in_handler", 5), **main("cleans<" + half + "<in_handler", 5),
            **main(throws + "<in_handler", 5),
            **main("Cleaner::~Cleaner<cleans<" + half + "<in_handler", 5),
            **main("cleaned<Cleaner::~Cleaner<cleans<" + half + "<in_handler", 5),
            **main("leaf<" + half + "<in_handler", 5), **main("leaf<top<in_handler", 5),
            **main("leaf<in_handler", 5),
            **main("from_below", 5), **main(below, 5 * 101), **main("thrower<" + below, 5),
            **main("leaf<from_below", 5),
            **main("rethrows_stored", 5), **main("stores<rethrows_stored", 5),
            **main("thrower<stores<rethrows_stored", 5), **main("leaf<rethrows_stored", 10)}
        del expected["main<main<init"]
        self.check_calls("throw_paths.cpp", expected)

    def test_terminated_by_noexcept(self):
        expected = {"init": 0, "main<init": 1, "leaf<main<init": 1, "promises<main<init": 1,
                    "thrower<promises<main<init": 1}
        for text, program, how in builds("throw_noexcept.cpp"):
            with self.subTest(build=text):
                result = self.profile(program, **how)
                self.assertEqual(result.status, -6)
                self.assertEqual(own_calls(result), expected)

    def test_terminate_handler_that_exits(self):
        for text, program, how in builds("throw_noexcept.cpp"):
            with self.subTest(build=text):
                result = self.profile([program, "handler"], **how)
                self.assertEqual(result.status, 3)
                calls = calls_by_function(own_calls(result))
                self.assertEqual({name: calls[name] for name in ("leaf", "promises", "thrower",
                                                                 "handler")},
                                 {"leaf": 2, "promises": 1, "thrower": 1, "handler": 1})

    def test_jumps_on_two_threads(self):
        thread = "worker<[thread]<main<init"
        expected = {"init": 0, "main<init": 1, "leaf<main<init": 1, "[thread]<main<init": 2,
                    thread: 2}
        for name, depth in (("with_longjmp", 4), ("with_underscore", 5), ("with_siglongjmp", 6)):
            path = f"{name}<{thread}"
            expected |= {path: 100, "leaf<" + path: 100, "deeper<" + path: 100 * depth,
                         "jumps<deeper<" + path: 100}
        path = "out_of_handler<" + thread
        expected |= {path: 200, "leaf<" + path: 200, "raises<" + path: 200,
                     "handler<raises<" + path: 200, "jumps<handler<raises<" + path: 200}
        self.check_calls("throw_jumps.c", expected)
        # The fortified form, for which glibc uses another function name.
        program = compile_program("throw_jumps.c", ("-O2", "-pthread", "-D_FORTIFY_SOURCE=2"))
        self.assertEqual(self.profile(program).calls(), expected)


class Fibers(ThreadTest):
    def check_fibers(self, source, expected, *arguments):
        results = []
        for text, program, how in builds(source):
            with self.subTest(build=text, arguments=arguments):
                result = self.profile([program, *arguments], **EXACT, **how)
                self.assertEqual(result.calls(), expected)
                self.check_times(result, fibers=True)
                results.append(result)
        return results

    def test_generator(self):
        generator = "generator<resume<main<init"
        self.check_fibers("fiber_generator.c", {
            "init": 0, "main<init": 1, "resume<main<init": 6, "leaf<resume<main<init": 6,
            generator: 2, "produce<" + generator: 12, "leaf<produce<" + generator: 24,
            "yield_value<produce<" + generator: 12, "resume_deeper<main<init": 24,
            "resume<resume_deeper<main<init": 8, "leaf<resume<resume_deeper<main<init": 8,
            "leaf<resume_deeper<main<init": 24, "leaf<main<init": 2})

    def scheduler(self, above, threads):
        run_all = "run_all<" + above
        task = "task<dispatch<" + run_all
        return {"init": 0, "main<init": 1, run_all: threads, "start<" + run_all: threads,
                "sleep_ms<" + run_all: 6 * threads, "dispatch<" + run_all: 14 * threads,
                task: 4 * threads, "step<" + task: 40 * threads, "leaf<step<" + task: 40 * threads,
                "yield<step<" + task: 10 * threads, "sleep_ms<" + task: 10 * threads}

    @pytest.mark.timing
    def test_scheduler(self):
        for result in self.check_fibers("fiber_scheduler.c", self.scheduler("main<init", 1)):
            # Each moment counts once: 16 x 5 ms of sleep, in tasks and in their scheduler.
            paths = result.paths()
            exclusive = sum(node["exclusive_ns"] for node in paths.values())
            self.assertGreater(exclusive, 80e6)
            self.assertLess(exclusive, 1.01 * result.profile()["run"]["runtime_ns"])
            slept = [node["inclusive_ns"] for path, node in paths.items()
                     if path.startswith("sleep_ms<")]
            self.assertLess(sum(slept), 1.01 * exclusive)
            task = paths["task<dispatch<run_all<main<init"]
            self.assertGreater(task["inclusive_ns"], 50e6)
            # Its calls were suspended while other fibers ran, so all the sleep below task() is its own.
            self.assertLess(task["inclusive_ns"], exclusive - 25e6)

    def test_schedulers_on_two_threads(self):
        self.check_fibers("fiber_scheduler.c", {
            **self.scheduler("[thread]<main<init", 2), "[thread]<main<init": 2}, "threads")

    def test_left_forever_and_setcontext_as_a_jump(self):
        fiber = "fiber_main<run_fiber<main<init"
        self.check_fibers("fiber_abandoned.c", {
            "init": 0, "main<init": 1, "run_fiber<main<init": 20, fiber: 20,
            "deep<" + fiber: 120, "leaves_for_ever<deep<" + fiber: 20,
            "leaf<leaves_for_ever<deep<" + fiber: 20, "leaf<run_fiber<main<init": 20,
            "repeats<main<init": 1, "leaf<repeats<main<init": 4,
            "goes_back<repeats<main<init": 15, "leaf<main<init": 1})

    def test_stacks_that_are_not_announced(self):
        task = "task<dispatch<main<init"
        self.check_fibers("fiber_unannounced.c", {
            "init": 0, "main<init": 1, "make_fiber<main<init": 2, "dispatch<main<init": 12,
            "leaf<main<init": 12, task: 2, "leaf<" + task: 10, "yield<" + task: 10})


def coroutine_builds(source, *flags):
    # gcc 12 ends with an internal error without this flag; clang 14 does not know <coroutine>.
    yield from builds(source, ("-fno-optimize-sibling-calls", *flags), ("g++",))
    for clang in ("clang++-19", "clang++-18", "clang++-17", "clang++-16"):
        if shutil.which(clang):
            for level in ("-O0", "-O2"):
                yield f"{clang} {level}", compile_program(
                    source, (level, "-std=c++20", "-pthread", *flags), clang), {}
            return


class Coroutines(ThreadTest):
    def test_generator(self):
        for text, program, how in coroutine_builds("coroutine_generator.cpp"):
            with self.subTest(build=text):
                result = self.profile(program, **EXACT, **how)
                calls = calls_by_function(own_calls(result))
                self.assertEqual({name: calls[name] for name in (
                    "main", "produced", "leaf", "cleaned", "thrower", "uses_all", "uses_some",
                    "takes_turns", "catches")},
                    {"main": 1, "produced": 22, "leaf": 24, "cleaned": 4, "thrower": 1,
                     "uses_all": 1, "uses_some": 1, "takes_turns": 1, "catches": 1})
                callers = {}
                for path in own_calls(result):
                    names = path.split("<")
                    callers.setdefault(names[0], set()).add(names[1] if len(names) > 1 else None)
                for name in ("uses_all", "uses_some", "takes_turns", "catches"):
                    self.assertEqual(callers[name], {"main"})
                self.assertEqual(callers["leaf"], {"produced", "catches"})
                # clang instruments a coroutine up to its first suspension only.
                self.assertTrue(all("squares" in name or name == "Generator::next"
                                    for name in callers["produced"]), callers["produced"])
                for user, count in (("uses_all", 10), ("uses_some", 2), ("takes_turns", 10)):
                    self.assertEqual(sum(n for path, n in own_calls(result).items()
                                         if path.startswith("produced<")
                                         and path.endswith(f"<{user}<main<init")), count)
                self.check_times(result)

    def test_transfer_and_another_thread(self):
        for text, program, how in coroutine_builds("coroutine_tasks.cpp"):
            with self.subTest(build=text):
                result = self.profile(program, **EXACT, **how)
                calls = own_calls(result)
                self.assertEqual(calls_by_function(calls)["one"], 1002)
                there = sum(n for path, n in calls.items()
                            if path.startswith("one<") and "[thread]" in path)
                self.assertEqual(there, 1)
                self.assertEqual(sum(n for path, n in calls.items() if path.startswith("one<")
                                     and path.endswith("<run_on_two_threads<main<init")), 2)
                self.check_times(result)


